---Short answers in a buffer: one memory whole, its history, why it is there, budgets, status, verify, grants.
local client = require("keepgate.client")
local say = require("keepgate.say")
local text = require("keepgate.text")
local view = require("keepgate.view")

local M = {}

---@param title string
---@param lines keepgate.Line[]
---@param keys keepgate.Key[]?
local function tell(title, lines, keys)
  local buffer = view.buffer("keepgate://told", "keepgate-told")
  table.insert(lines, 1, { text = text.one_line(title), group = "KeepgateTitle" })
  view.set(buffer, lines)
  view.set_keys(buffer, keys or {})
  view.show(buffer, #lines + 1, true)
end

---@param rows [string, any][]
---@return keepgate.Line[]
local function fields(rows)
  local lines = {}
  for _, row in ipairs(rows) do
    if row[2] ~= nil and row[2] ~= "" then
      table.insert(lines, { text = ("  %-12s %s"):format(row[1], text.one_line(tostring(row[2]))) })
    end
  end
  return lines
end

---@param lines keepgate.Line[]
---@param body string
local function add_body(lines, body)
  for _, line in ipairs(text.lines(body)) do
    table.insert(lines, { text = "  " .. line })
  end
end

---@param running vim.lsp.Client
---@param slug string
local function show_page(running, slug)
  client.request(running, "pages/get", { slug = slug }, "show", function(found)
    local lines = fields({ { "file", found.path }, { "seen by", found.page.visibility } })
    table.insert(lines, { text = "" })
    add_body(lines, found.content)
    tell("Page " .. text.named(slug), lines)
  end)
end

---Show a memory, a fact or a page whole.
---@param running vim.lsp.Client
---@param item keepgate.Item
function M.show(running, item)
  if item.kind == "fact" then
    return M.history(running, item)
  elseif item.kind == "page" then
    return show_page(running, item.slug)
  end
  client.request(running, "memory/get", { id = item.id, session = vim.NIL }, "show", function(result)
    local entry = result.entry
    local lines = fields({
      { "layer", entry.track .. "/" .. entry.scope },
      { "workspace", entry.workspaceKey },
      { "agent", entry.agentKey },
      { "tags", table.concat(vim.tbl_map(text.named, entry.tags), ", ") },
      { "source", entry.source },
      { "version", entry.version },
      { "written", text.moment(entry.updatedAt) },
      { "recalled", ("%d times"):format(entry.recallCount) },
      { "id", entry.id },
    })
    table.insert(lines, { text = "" })
    add_body(lines, entry.text)
    tell("Memory", lines)
  end)
end

---@param running vim.lsp.Client
---@param item keepgate.Item
function M.history(running, item)
  client.request(running, "memory/history", { id = item.id, session = vim.NIL }, "history", function(result)
    local lines = {}
    for _, each in ipairs(result.versions) do
      local head = ("%s  version %d, %s: %s, row %d"):format(text.moment(each.ts), each.version, each.action,
        each.outcome, each.seq)
      table.insert(lines, { text = text.one_line(head), group = "KeepgateLayer" })
      add_body(lines, each.text or "(purged)")
    end
    tell("History", lines)
  end)
end

---@param by table?
local function who(by)
  if not by then
    return nil
  end
  local version = by.version and by.version ~= "" and (" " .. text.named(by.version)) or ""
  return (by.client and text.named(by.client) or by.via or "unknown") .. version
end

---@param running vim.lsp.Client
---@param item keepgate.Item
function M.why(running, item)
  client.request(running, "memory/why", { id = item.id, session = vim.NIL }, "why", function(result)
    local lines = {}
    for _, link in ipairs(result.chain) do
      local head = ("%s  %s, row %d"):format(text.moment(link.ts), link.action, link.seq)
      table.insert(lines, { text = text.one_line(head), group = "KeepgateLayer" })
      vim.list_extend(lines, fields({
        { "asked by", who(link.askedBy) },
        { "session", link.sessionId },
        { "decided by", who(link.decidedBy) },
        { "outcome", link.outcome },
        { "sha-256", link.hash },
        { "reason", link.reason },
      }))
    end
    tell("Why it is remembered", lines)
  end)
end

---@param running vim.lsp.Client
function M.budgets(running)
  client.request(running, "memory/budgets", { session = vim.NIL }, "budgets", function(result)
    local lines = {}
    for _, row in ipairs(result.budgets) do
      local layer = row.track .. "/" .. row.scope
      local fill = ("  %-18s %s  %d of %d"):format(layer, text.bar(row.used, row.limit), row.used, row.limit)
      table.insert(lines, { text = fill, group = row.used > row.limit and "KeepgateWarning" or nil })
    end
    tell("Budgets, in UTF-16 units", lines)
  end)
end

---@param running vim.lsp.Client
function M.status(running)
  client.request(running, "memory/status", {}, "status", function(result)
    local lines = fields({
      { "health", result.health },
      { "message", result.message },
      { "version", result.version },
      { "root", running.root_dir },
      { "store", result.storePath },
      { "file system", result.fileSystem },
      { "waiting", result.pendingProposals },
    })
    for _, problem in ipairs(result.problems) do
      table.insert(lines, { text = "! " .. text.one_line(problem), group = "KeepgateWarning" })
    end
    tell("keepgate", lines)
  end)
end

---@param running vim.lsp.Client
function M.verify(running)
  say.note("verifying the ledger")
  client.request(running, "memory/verify", {}, "verify", function(result)
    local title = result.ok and ("The ledger is whole: %d rows"):format(result.rows) or "The ledger has problems"
    local lines = fields({ { "head", result.head } })
    for _, problem in ipairs(result.problems) do
      table.insert(lines, { text = "! " .. text.one_line(problem.message), group = "KeepgateWarning" })
    end
    tell(title, lines)
  end)
end

---@param running vim.lsp.Client
function M.grants(running)
  local function again()
    M.grants(running)
  end
  client.request(running, "grants/list", {}, "grants", function(result)
    local lines = vim.tbl_map(function(grant)
      local what = ("  %s %s, session %s, since %s"):format(grant.kind, grant.layer or "facts",
        text.named(grant.sessionId), text.moment(grant.grantedAt))
      return { text = text.one_line(what), item = grant.id }
    end, result.grants)
    local title = #lines == 0 and "Nothing is allowed for the rest of a session" or "Allowed for the rest of a session"
    tell(title, lines, {
      {
        key = "d",
        meaning = "end it",
        act = function(id)
          if id then
            client.request(running, "grants/revoke", { id = id }, "revoke", again)
          end
        end,
      },
      { key = "R", meaning = "read again", act = again },
    })
  end)
end

return M
