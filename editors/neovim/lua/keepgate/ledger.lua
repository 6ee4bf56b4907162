---The ledger, newest first, with undo.
local client = require("keepgate.client")
local say = require("keepgate.say")
local text = require("keepgate.text")
local view = require("keepgate.view")

local M = {}

local ROWS = 200

---@param row table an AuditRow
---@return keepgate.Line
local function row_line(row)
  local where = row.track and row.scope and ("%s/%s"):format(row.track, row.scope) or ""
  local head = ("%5d  %s  %-18s %-18s"):format(row.seq, text.moment(row.ts), row.action, where)
  local body = row.purged and "(purged)" or text.excerpt(text.one_line(row.text or ""), 120)
  return { text = text.one_line(head) .. " " .. body, item = row }
end

---Propose to take back the change of a row.
---@param running vim.lsp.Client
---@param seq integer
function M.undo(running, seq)
  client.request(running, "memory/undo", { seq = seq, session = client.session }, "undo", function()
    say.note(("row %d was taken back"):format(seq))
  end)
end

---@param row table
local function show_row(row)
  local lines = {}
  for _, name in ipairs({ "seq", "action", "outcome", "source", "sessionId", "entryId", "proposalId" }) do
    if row[name] ~= nil then
      table.insert(lines, { text = ("  %-12s %s"):format(name, text.one_line(tostring(row[name]))) })
    end
  end
  table.insert(lines, { text = "" })
  for _, line in ipairs(text.lines(row.text or "")) do
    table.insert(lines, { text = "  " .. line })
  end
  local buffer = view.buffer("keepgate://told", "keepgate-told")
  table.insert(lines, 1, { text = "Row of the ledger", group = "KeepgateTitle" })
  view.set(buffer, lines)
  view.set_keys(buffer, {})
  view.show(buffer, #lines + 1, true)
end

---@class keepgate.Ledger
---@field lines keepgate.Line[]
---@field next integer? where older rows go on

---@param root string
---@param buffer integer
---@param held keepgate.Ledger
local function read(root, buffer, held)
  local running = client.ensure(root)
  if not running then
    return
  end
  local params = { limit = ROWS, before = held.next, session = vim.NIL }
  client.request(running, "memory/audit", params, "ledger", function(result)
    vim.list_extend(held.lines, vim.tbl_map(row_line, result.rows))
    held.next = result.next
    local lines = vim.list_extend({ { text = "Ledger, the newest first", group = "KeepgateTitle" } }, held.lines)
    if held.next then
      table.insert(lines, { text = "m reads older rows", group = "KeepgateDim" })
    end
    view.set(buffer, lines)
  end)
end

---@param root string
---@param buffer integer
---@param held keepgate.Ledger
---@return keepgate.Key[]
local function keys(root, buffer, held)
  ---@param act fun(row: table)
  local function on_row(act)
    return function(row)
      if row then
        act(row)
      end
    end
  end
  local function undo(row)
    local running = client.ensure(root)
    if running then
      M.undo(running, row.seq)
    end
  end
  local function older()
    if held.next then
      read(root, buffer, held)
    end
  end
  local function again()
    held.lines, held.next = {}, nil
    read(root, buffer, held)
  end
  return {
    { key = "<CR>", meaning = "show the row whole", act = on_row(show_row) },
    { key = "u", meaning = "take the change of this row back, after a question", act = on_row(undo) },
    { key = "m", meaning = "read older rows", act = older },
    { key = "R", meaning = "read again", act = again },
  }
end

---@param running vim.lsp.Client
function M.ledger(running)
  local root = running.root_dir
  local buffer = view.buffer(view.name("ledger", root), "keepgate-ledger")
  local held = { lines = {} }
  view.set_keys(buffer, keys(root, buffer, held))
  view.show(buffer, nil, true)
  read(root, buffer, held)
end

return M
