---A question as lines: what is asked, warnings, who asks, the whole change, what it does to the budgets. Pure.
local asked = require("keepgate.asked")
local text = require("keepgate.text")

local M = {}

local HEADINGS = {
  add = "add a memory to {layer}",
  replace = "change a memory of {layer}",
  remove = "remove a memory from {layer}",
  consolidate = "put one memory in the place of {targets} in {layer}",
  seed = "add {count}",
  undo = "take a change back",
  remember = "remember a fact",
  supersede = "remember a fact in the place of another",
  forget = "forget a fact",
  ["page-put"] = "write a page",
  ["page-remove"] = "remove a page",
  trust = "trust a folder of pages",
  quarantine = "put a session's memories into quarantine",
  release = "bring a session's memories back from quarantine",
  purge = "purge a text for good",
}

---@param count integer
local function memories(count)
  return count == 1 and "1 memory" or ("%d memories"):format(count)
end

---What is asked, on one line without a question mark.
---@param ask keepgate.Ask
---@return string
function M.heading(ask)
  local values = {
    layer = ask.track .. "/" .. ask.scope,
    targets = memories(#(ask.targets or {})),
    count = memories(ask.count or #(ask.entries or {})),
  }
  return (text.one_line(HEADINGS[ask.action] or ask.action):gsub("{(%l+)}", values))
end

local SIGNS = { ["-"] = "KeepgateGone", ["+"] = "KeepgateNew", ["@"] = "KeepgateTitle" }

---@param lines keepgate.Line[]
---@param sign string
---@param body string
local function block(lines, sign, body)
  for _, line in ipairs(text.lines(body)) do
    table.insert(lines, { text = sign .. " " .. line, group = SIGNS[sign] })
  end
end

---The difference as shown, so that texts that differ in a hidden character alone differ on the screen, too.
---@param lines keepgate.Line[]
---@param before string
---@param after string
---@param context integer lines around a change
local function difference(lines, before, after, context)
  local old, new = text.visible(before), text.visible(after)
  local diff = vim.diff(old .. "\n", new .. "\n", { ctxlen = context, algorithm = "histogram" })
  if diff == "" then
    return block(lines, " ", after)
  end
  local whole = context >= M.WHOLE
  for _, line in ipairs(vim.split(diff --[[@as string]], "\n", { plain = true, trimempty = true })) do
    local sign = line:sub(1, 1)
    if not (whole and sign == "@") then
      local shown = sign == "@" and line or (sign .. " " .. line:sub(2))
      table.insert(lines, { text = shown, group = SIGNS[sign] })
    end
  end
end

---As many lines of context as any text has.
M.WHOLE = 1000000

---@param lines keepgate.Line[]
---@param page table an AskPage
local function add_page(lines, page)
  if page.path == "" then
    return asked.labelled(lines, "folder", page.root)
  end
  asked.labelled(lines, "page", page.slug)
  asked.labelled(lines, "file", page.root .. "/" .. page.path)
  if page.before and page.content then
    difference(lines, page.before, page.content, 3)
  else
    block(lines, page.before and "-" or "+", page.content or page.before or "")
  end
end

---@param lines keepgate.Line[]
---@param thing table an AskTarget or AskEntry
---@param sign string
---@param ask keepgate.Ask
local function add_thing(lines, thing, sign, ask)
  if ask.track == "batch" then
    local tags = #thing.tags > 0 and (", tags " .. asked.listed(thing.tags)) or ""
    local home = thing.workspaceKey ~= "" and (" of " .. text.named(thing.workspaceKey)) or ""
    local layer = ("%s/%s%s"):format(thing.track, thing.scope, home)
    local place = ("%s, %s%s:"):format(layer, asked.readers(thing.agentKey), tags)
    table.insert(lines, { text = text.one_line(place) })
  end
  block(lines, sign, thing.text)
end

---The change: `-` before what goes, `+` before what comes, two blanks before what stays.
---@param ask keepgate.Ask
---@return keepgate.Line[]
function M.change(ask)
  local lines = {}
  if ask.from and ask.to then
    difference(lines, ask.from, ask.to, M.WHOLE)
    return lines
  end
  for _, target in ipairs(ask.targets or {}) do
    add_thing(lines, target, "-", ask)
  end
  for _, entry in ipairs(ask.entries or {}) do
    add_thing(lines, entry, "+", ask)
  end
  if #(ask.facts or {}) > 0 then
    -- The text has every field of every fact on a line of its own, what becomes of it first.
    block(lines, " ", ask.text)
  end
  for _, page in ipairs(ask.pages or {}) do
    add_page(lines, page)
  end
  if #lines == 0 then
    block(lines, " ", ask.text)
  end
  return lines
end

---@param ask keepgate.Ask
---@return keepgate.Line[]
function M.lines(ask)
  local lines = { { text = ("keepgate asks: %s?"):format(M.heading(ask)), group = "KeepgateTitle" } }
  for _, warning in ipairs(ask.warnings or {}) do
    table.insert(lines, { text = "! " .. text.one_line(warning.message), group = "KeepgateWarning" })
  end
  table.insert(lines, { text = "" })
  asked.add(lines, ask)
  table.insert(lines, { text = "" })
  vim.list_extend(lines, M.change(ask))
  table.insert(lines, { text = "" })
  for _, row in ipairs(ask.usage or {}) do
    local fill = ("%s/%s will hold %d of %d units"):format(row.track, row.scope, row.used, row.limit)
    table.insert(lines, { text = fill, group = row.used > row.limit and "KeepgateWarning" or nil })
  end
  local queue = ask.queue or {}
  if #queue > 0 then
    local sure = #queue == 1 and "1 more wish of this session waits behind it:"
      or ("%d more wishes of this session wait behind it:"):format(#queue)
    table.insert(lines, { text = sure })
    for _, each in ipairs(queue) do
      table.insert(lines, { text = ("  %s: %s"):format(text.one_line(each.action), text.one_line(each.text)) })
    end
  end
  return lines
end

return M
