---keepgate in Neovim: an approver of what agents want to remember, and a view of what is remembered.
local config = require("keepgate.config")

local M = {}

---@param buffer integer
local function start_for(buffer)
  local client = require("keepgate.client")
  local named = vim.api.nvim_buf_get_name(buffer) ~= ""
  if named and vim.bo[buffer].buftype == "" then
    client.ensure(client.root_of(buffer))
  end
end

---@param group integer
local function autostart(group)
  local client = require("keepgate.client")
  local function begin()
    client.ensure(client.root_of(vim.api.nvim_get_current_buf()))
    vim.api.nvim_create_autocmd("BufEnter", {
      group = group,
      callback = function(event)
        start_for(event.buf)
      end,
    })
  end
  if vim.v.vim_did_enter == 1 then
    return begin()
  end
  vim.api.nvim_create_autocmd("VimEnter", { group = group, once = true, callback = begin })
end

---Tell once for each sidecar that wishes wait from before.
---@param event string
---@param client_id integer
---@param params table
local told = {}
local function tell_waiting(event, client_id, params)
  if event ~= "keepgate/status" or told[client_id] then
    return
  end
  told[client_id] = true
  if params.pendingApprovals > 0 then
    require("keepgate.say").note(("%d waiting; :Keepgate inbox lists them"):format(params.pendingApprovals))
  end
end

local listening = false

---Set keepgate up. Settings come from here alone; see |keepgate-settings|.
---@param opts table?
function M.setup(opts)
  config.set(opts)
  require("keepgate.view").define_highlights()
  require("keepgate.approval")
  if not listening then
    listening = true
    require("keepgate.client").listen(tell_waiting)
  end
  local group = vim.api.nvim_create_augroup("keepgate", {})
  require("keepgate.presence").watch(group)
  vim.api.nvim_create_autocmd("ColorScheme", {
    group = group,
    callback = function()
      require("keepgate.view").define_highlights()
    end,
  })
  if config.current.autostart then
    autostart(group)
  end
end

---For a statusline: how many wishes wait, or that a sidecar is not well; empty where there is nothing to say.
---@return string
function M.status()
  local waiting, unwell = 0, false
  for _, said in pairs(require("keepgate.client").said) do
    waiting = waiting + said.pendingApprovals
    unwell = unwell or said.health == "error"
  end
  if unwell then
    return "keepgate: error"
  end
  return waiting > 0 and ("keepgate: %d waiting"):format(waiting) or ""
end

return M
