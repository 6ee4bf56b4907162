---What a person is told of a change beside its texts. Names that callers chose are quoted where they are no
---plain words: else a preset could say who else will see a memory. Pure.
local text = require("keepgate.text")

local M = {}

---@class keepgate.Line
---@field text string one line, without its end
---@field group string? the highlight group of the line
---@field item any? what the line stands for

---The question of `approval/request`, or `ask` of `proposals/get`: docs/protocol.md has its fields.
---@alias keepgate.Ask table<string, any>

---A line with the name of a value.
---@param lines keepgate.Line[]
---@param name string
---@param value string
function M.labelled(lines, name, value)
  table.insert(lines, { text = ("  %-11s %s"):format(name, text.one_line(value)) })
end

---Tags on one line; one that is called none is quoted, so that it cannot say that there are none.
---@param tags string[]
---@return string
function M.listed(tags)
  return #tags == 0 and "none" or table.concat(vim.tbl_map(function(tag)
    return tag == "none" and '"none"' or text.named(tag)
  end, tags), ", ")
end

---Who sees a memory.
---@param agent_key string
---@return string
function M.readers(agent_key)
  return agent_key == "" and "every agent" or ("agent %s alone"):format(text.named(agent_key))
end

---The values of one field over several things, each once, in order.
---@param items table[]
---@param field string
local function distinct(items, field)
  local seen, values = {}, {}
  for _, item in ipairs(items) do
    for _, value in ipairs(type(item[field]) == "table" and item[field] or { item[field] }) do
      if value ~= "" and not seen[value] then
        seen[value] = true
        table.insert(values, value)
      end
    end
  end
  return values
end

---@param ask keepgate.Ask
local function things(ask)
  return vim.list_extend(vim.list_slice(ask.targets or {}), ask.entries or {})
end

---@param lines keepgate.Line[]
---@param ask keepgate.Ask
local function add_tags(lines, ask)
  local before, after = distinct(ask.targets or {}, "tags"), distinct(ask.entries or {}, "tags")
  if ask.track == "batch" or #before + #after == 0 then
    return
  end
  if #(ask.entries or {}) == 0 then
    return M.labelled(lines, "tags", M.listed(before))
  end
  local changed = #(ask.targets or {}) > 0 and not vim.deep_equal(before, after)
  M.labelled(lines, "tags", M.listed(after) .. (changed and (" (before: %s)"):format(M.listed(before)) or ""))
end

---Add where the change goes, who will see it, its tags, and who asks.
---@param lines keepgate.Line[]
---@param ask keepgate.Ask
function M.add(lines, ask)
  local everything = vim.list_extend(things(ask), ask.facts or {})
  vim.list_extend(everything, ask.pages or {})
  table.insert(everything, 1, { workspaceKey = ask.workspaceKey or "" })
  for _, key in ipairs(distinct(everything, "workspaceKey")) do
    M.labelled(lines, "workspace", key)
  end
  local private = ask.agentKey ~= "" or #distinct(things(ask), "agentKey") > 0
  if private and #things(ask) > 0 then
    local seen, who = {}, {}
    for _, thing in ipairs(things(ask)) do
      if not seen[thing.agentKey] then
        seen[thing.agentKey] = true
        table.insert(who, M.readers(thing.agentKey))
      end
    end
    M.labelled(lines, "seen by", table.concat(who, "; "))
  end
  add_tags(lines, ask)
  local client = type(ask.client) == "table" and ask.client or {}
  local version = client.version and client.version ~= "" and (" " .. text.named(client.version)) or ""
  local asking = client.client and (text.named(client.client) .. version) or "this editor"
  local session = ask.sessionId and (", session " .. text.named(ask.sessionId)) or ""
  M.labelled(lines, "asked by", asking .. session)
  if ask.agentKey and ask.agentKey ~= "" then
    M.labelled(lines, "agent", ask.agentKey)
  end
  if ask.source then
    M.labelled(lines, "source", ask.source)
  end
end

return M
