---Memories, facts and pages, each as one line. Pure.
local text = require("keepgate.text")

local M = {}

---@class keepgate.Item
---@field kind "memory"|"fact"|"page"
---@field id string as memory/history and memory/why take it
---@field entry table? the Entry of a memory
---@field slug string? of a page

---Cells of a text that is shown on its line; the rest is shown whole by <CR>.
local CELLS_MAX = 160

---@param value string
local function begun(value)
  return text.excerpt(text.one_line(value), CELLS_MAX)
end

---@param entry table an Entry
---@return keepgate.Line
function M.memory(entry)
  local tags = #entry.tags > 0 and ("  [%s]"):format(table.concat(vim.tbl_map(text.named, entry.tags), ", ")) or ""
  local agent = entry.agentKey ~= "" and ("  (agent %s)"):format(text.named(entry.agentKey)) or ""
  return {
    text = "  " .. begun(entry.text) .. text.one_line(tags .. agent),
    item = { kind = "memory", id = entry.id, entry = entry },
  }
end

---@param fact table a fact of verbs/recall
---@return keepgate.Line
function M.fact(fact)
  local about = fact.entity_slug and ("%s: "):format(text.one_line(fact.entity_slug)) or ""
  local private = fact.visibility == "private" and "  (private)" or ""
  return { text = "  " .. about .. begun(fact.fact) .. private, item = { kind = "fact", id = fact.fact_id } }
end

---@param page table a PageRef
---@return keepgate.Line
function M.page(page)
  local everywhere = page.home == "" and "  (everywhere)" or ""
  local line = ("  %s  %s%s"):format(text.one_line(page.slug), begun(page.title), everywhere)
  return { text = line, item = { kind = "page", id = "page:" .. page.slug, slug = page.slug } }
end

---@param hit table a PageHit
---@return keepgate.Line
function M.hit(hit)
  local line = M.page(hit.page)
  line.text = line.text .. ": " .. begun(hit.chunk)
  return line
end

---Add a section, unless it is empty.
---@param lines keepgate.Line[]
---@param title string
---@param section keepgate.Line[]
function M.add(lines, title, section)
  if #section > 0 then
    table.insert(lines, { text = "" })
    table.insert(lines, { text = title, group = "KeepgateLayer" })
    vim.list_extend(lines, section)
  end
end

return M
