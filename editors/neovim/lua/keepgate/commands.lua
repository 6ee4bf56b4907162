---`:Keepgate` and its subcommands.
local client = require("keepgate.client")
local say = require("keepgate.say")

local M = {}

---@class keepgate.Call
---@field words string[] after the subcommand
---@field rest string the same as it was written
---@field lines string[]? those of the range, where one was given

---@param running vim.lsp.Client
---@param call keepgate.Call
local function add(running, call)
  local write = require("keepgate.write")
  local layer = write.layer(call.words[1] or "")
  local rest = layer and (call.rest:match("^%S+%s+(.*)$") or "") or call.rest
  local body = call.lines and table.concat(call.lines, "\n") or rest
  if call.lines and rest ~= "" then
    return say.warn("add takes the lines of a range, or words, not both")
  end
  ---@param chosen keepgate.Layer?
  local function go(chosen)
    if chosen and body ~= "" and not call.lines then
      write.add(running, chosen, body)
    elseif chosen then
      write.compose(running, chosen, body)
    end
  end
  if layer then
    return go(layer)
  end
  vim.ui.select(write.LAYERS, {
    prompt = "Add to",
    kind = "keepgate.layer",
    format_item = function(each)
      return ("%s (%s)"):format(each.title, write.layer_name(each))
    end,
  }, go)
end

---@param running vim.lsp.Client
---@param call keepgate.Call
local function search(running, call)
  if #call.words == 0 then
    return say.warn("search needs words")
  end
  require("keepgate.memories").search(running, call.rest)
end

---@param module string
---@param name string
local function of(module, name)
  return function(running)
    require(module)[name](running)
  end
end

---@type table<string, fun(running: vim.lsp.Client, call: keepgate.Call)>
local SUBCOMMANDS = {
  add = add,
  budgets = of("keepgate.told", "budgets"),
  grants = of("keepgate.told", "grants"),
  inbox = of("keepgate.inbox", "inbox"),
  ledger = of("keepgate.ledger", "ledger"),
  list = of("keepgate.memories", "list"),
  next = of("keepgate.inbox", "next"),
  search = search,
  status = of("keepgate.told", "status"),
  verify = of("keepgate.told", "verify"),
}

---Those that need no sidecar.
---@type table<string, fun()>
local ALONE = {
  log = function()
    vim.cmd.split({ args = { vim.fn.fnameescape(vim.lsp.log.get_filename()) }, magic = { file = false } })
  end,
  restart = function()
    client.restart()
  end,
}

---@return string[]
function M.names()
  local names = vim.list_extend(vim.tbl_keys(SUBCOMMANDS), vim.tbl_keys(ALONE))
  table.sort(names)
  return names
end

---@param given vim.api.keyset.create_user_command.command_args
function M.run(given)
  local words = vim.list_slice(given.fargs)
  local name = table.remove(words, 1) or "inbox"
  if ALONE[name] then
    return ALONE[name]()
  end
  local act = SUBCOMMANDS[name]
  if not act then
    return say.warn(("there is no subcommand %q; there are %s"):format(name, table.concat(M.names(), ", ")))
  end
  local lines = given.range > 0 and vim.api.nvim_buf_get_lines(0, given.line1 - 1, given.line2, false) or nil
  local running = client.ensure()
  if running then
    act(running, { words = words, rest = given.args:match("^%S+%s+(.*)$") or "", lines = lines })
  else
    say.warn("no sidecar runs here; see :checkhealth keepgate")
  end
end

---@param lead string
---@param line string
---@return string[]
function M.complete(lead, line)
  local before = vim.split(line:sub(1, #line - #lead), "%s+", { trimempty = true })
  local choices = {}
  if #before == 1 then
    choices = M.names()
  elseif #before == 2 and before[2] == "add" then
    local write = require("keepgate.write")
    choices = vim.tbl_map(write.layer_name, write.LAYERS)
  end
  return vim.tbl_filter(function(choice)
    return vim.startswith(choice, lead)
  end, choices)
end

return M
