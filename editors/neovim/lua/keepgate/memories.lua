---What is remembered, as buffers: the list by layer with facts and pages, and what a search found.
local client = require("keepgate.client")
local rows = require("keepgate.rows")
local text = require("keepgate.text")
local told = require("keepgate.told")
local view = require("keepgate.view")
local write = require("keepgate.write")

local M = {}

---@class keepgate.Shown
---@field running fun(): vim.lsp.Client?
---@field load fun()

---@type table<integer, keepgate.Shown> by buffer
local shown = {}

---@param root string
---@param entries table[]
---@param budgets table[]
---@param facts table[]
---@param pages table[]
---@return keepgate.Line[]
local function list_lines(root, entries, budgets, facts, pages)
  local lines = { { text = "keepgate remembers in " .. text.one_line(root), group = "KeepgateTitle" } }
  for index, layer in ipairs(write.LAYERS) do
    local budget = budgets[index]
    local fill = ("%s  %s  %d/%d"):format(layer.title, text.bar(budget.used, budget.limit), budget.used, budget.limit)
    table.insert(lines, { text = "" })
    table.insert(lines, { text = fill, group = "KeepgateLayer" })
    for _, entry in ipairs(entries) do
      if entry.track == layer.track and entry.scope == layer.scope then
        table.insert(lines, rows.memory(entry))
      end
    end
  end
  rows.add(lines, "Facts, the newest first", vim.tbl_map(rows.fact, facts))
  rows.add(lines, "Pages", vim.tbl_map(rows.page, pages))
  return lines
end

---@param running vim.lsp.Client
---@param after string?
---@param entries table[]
---@param done fun(entries: table[])
local function all_entries(running, after, entries, done)
  local params = { limit = 1000, after = after, session = vim.NIL }
  client.request(running, "memory/list", params, "list", function(result)
    vim.list_extend(entries, result.entries)
    if result.next then
      return all_entries(running, result.next, entries, done)
    end
    done(entries)
  end)
end

---@param buffer integer
local function keys(buffer)
  ---@param act fun(running: vim.lsp.Client, item: keepgate.Item)
  local function on_item(act)
    return function(item)
      local running = shown[buffer].running()
      if item and running then
        act(running, item)
      end
    end
  end
    return {
    { key = "<CR>", meaning = "show it whole", act = on_item(told.show) },
    { key = "e", meaning = "rewrite a memory; :w proposes it; edit a page", act = on_item(write.edit) },
    { key = "d", meaning = "forget it, after a question", act = on_item(write.forget) },
    { key = "h", meaning = "its history", act = on_item(told.history) },
    { key = "w", meaning = "why it is remembered: who asked, who allowed it", act = on_item(told.why) },
    {
      key = "R",
      meaning = "read again",
      act = function()
        shown[buffer].load()
      end,
    },
  }
end

---@param kind string
---@param running vim.lsp.Client
---@param read fun(running: vim.lsp.Client, done: fun(lines: keepgate.Line[]))
---@return integer buffer
local function show(kind, running, read)
  local root = running.root_dir
  local buffer = view.buffer(view.name(kind, root), "keepgate-list")
  local function current()
    return client.ensure(root)
  end
  shown[buffer] = {
    running = current,
    load = function()
      local now = current()
      if now then
        read(now, function(lines)
          view.set(buffer, lines)
        end)
      end
    end,
  }
  view.set_keys(buffer, keys(buffer))
  view.show(buffer, nil, true)
  shown[buffer].load()
  return buffer
end

---@param running vim.lsp.Client
function M.list(running)
  show("list", running, function(now, done)
    all_entries(now, nil, {}, function(entries)
      client.request(now, "memory/budgets", { session = vim.NIL }, "list", function(filled)
        client.request(now, "verbs/recall", { limit = 100 }, "list", function(recalled)
          client.request(now, "pages/list", { limit = 1000 }, "list", function(listed)
            done(list_lines(now.root_dir, entries, filled.budgets, recalled.facts, listed.pages))
          end)
        end)
      end)
    end)
  end)
end

---@param running vim.lsp.Client
---@param words string
function M.search(running, words)
  show("search", running, function(now, done)
    local params = { text = words, limit = 100, session = vim.NIL }
    client.request(now, "memory/query", params, "search", function(found)
      client.request(now, "verbs/recall", { query = words, limit = 50 }, "search", function(recalled)
        client.request(now, "pages/search", { query = words }, "search", function(pages)
          local count = found.total + #recalled.facts + #pages.hits
          local title = ("%s: %d found"):format(text.named(words), count)
          local lines = { { text = text.one_line(title), group = "KeepgateTitle" } }
          vim.list_extend(lines, vim.tbl_map(rows.memory, found.entries))
          rows.add(lines, "Facts", vim.tbl_map(rows.fact, recalled.facts))
          rows.add(lines, "Pages", vim.tbl_map(rows.hit, pages.hits))
          done(lines)
        end)
      end)
    end)
  end)
end

local CHANGES = {
  ["memory/added"] = true,
  ["memory/updated"] = true,
  ["memory/removed"] = true,
  ["facts/didChange"] = true,
  ["pages/didChange"] = true,
}

-- What is on a screen is read again when it changes, once for many changes at a time.
local due = false
client.listen(function(event)
  if not CHANGES[event] or due then
    return
  end
  due = true
  vim.defer_fn(function()
    due = false
    for buffer, each in pairs(shown) do
      if not vim.api.nvim_buf_is_valid(buffer) then
        shown[buffer] = nil
      elseif #vim.fn.win_findbuf(buffer) > 0 then
        each.load()
      end
    end
  end, 100)
end)

return M
