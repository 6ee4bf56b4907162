---Text as a person may see it: hidden characters are written out, names of others are quoted. Pure.
local M = {}

---Ranges of code points that draw nothing or reorder their neighbours; line feed and tab do not count. They
---are the sidecar's: control and format characters, line and paragraph separators, surrogates, blank letters
---and marks, and what Unicode sets aside to be ignored.
---@type [integer, integer][]
M.HIDDEN = {
  { 0x00, 0x08 }, { 0x0B, 0x1F }, { 0x7F, 0x9F }, { 0xAD, 0xAD }, { 0x34F, 0x34F }, { 0x600, 0x605 },
  { 0x61C, 0x61C }, { 0x6DD, 0x6DD }, { 0x70F, 0x70F }, { 0x890, 0x891 }, { 0x8E2, 0x8E2 },
  { 0x115F, 0x1160 }, { 0x17B4, 0x17B5 }, { 0x180B, 0x180F }, { 0x200B, 0x200F }, { 0x2028, 0x202E },
  { 0x2060, 0x206F }, { 0x2800, 0x2800 }, { 0x3164, 0x3164 }, { 0xD800, 0xDFFF }, { 0xFE00, 0xFE0F },
  { 0xFEFF, 0xFEFF }, { 0xFFA0, 0xFFA0 }, { 0xFFF0, 0xFFFB }, { 0x110BD, 0x110BD }, { 0x110CD, 0x110CD },
  { 0x13430, 0x1343F }, { 0x1BCA0, 0x1BCA3 }, { 0x1D173, 0x1D17A }, { 0xE0000, 0xE0FFF },
}

---What an emoji may be made of. A joiner or a style selector beside these belongs to the emoji; anywhere else
---it is written out, in the scripts that are spelled with joiners, too: better one sign too many.
local EMOJI = { { 0x2190, 0x2BFF }, { 0x1F000, 0x1FAFF } }
local STYLED_OTHERS = {}
for _, code in ipairs({ 0x23, 0x2A, 0x203C, 0x2049, 0x2139, 0x3030 }) do
  STYLED_OTHERS[code] = true
end
for digit = 0x30, 0x39 do
  STYLED_OTHERS[digit] = true
end

local JOINER, TEXT_STYLE, EMOJI_STYLE = 0x200D, 0xFE0E, 0xFE0F

---@param code integer
---@param ranges [integer, integer][]
local function within(code, ranges)
  for _, range in ipairs(ranges) do
    if code >= range[1] and code <= range[2] then
      return true
    end
  end
  return false
end

---Whether a character draws nothing or reorders its neighbours.
---@param code integer
---@return boolean
function M.is_hidden(code)
  return within(code, M.HIDDEN)
end

---@param codes integer[]
---@param index integer
local function belongs_to_emoji(codes, index)
  local code, before, after = codes[index], codes[index - 1], codes[index + 1]
  if not before then
    return false
  end
  if code == TEXT_STYLE or code == EMOJI_STYLE then
    return STYLED_OTHERS[before] == true or within(before, EMOJI)
  end
  local emoji_before = within(before, EMOJI) or (before == EMOJI_STYLE and within(codes[index - 2] or 0, EMOJI))
  return code == JOINER and after ~= nil and emoji_before and within(after, EMOJI)
end

---`text` with every hidden character written as `⟨U+202E⟩`; line feeds and tabs stay.
---@param text string
---@return string
function M.visible(text)
  if not text:find("[^\t\n\32-\126]") then
    return text
  end
  local codes = vim.fn.str2list(text)
  local shown = {}
  for index, code in ipairs(codes) do
    local hidden = M.is_hidden(code) and not belongs_to_emoji(codes, index)
    shown[index] = hidden and ("⟨U+%04X⟩"):format(code) or vim.fn.nr2char(code)
  end
  return table.concat(shown)
end

---`text` on one line: breaks become ` ⏎ `, hidden characters are written out, tabs become blanks.
---@param text string
---@return string
function M.one_line(text)
  return (M.visible(text:gsub("\r\n", "\n")):gsub("\n", " ⏎ "):gsub("\t", " "))
end

---A name that somebody chose, quoted unless it is one plain word: it must not pass for words of ours.
---@param name string
---@return string
function M.named(name)
  return name:find("^[%w_.@+:/\\~#-]+$") and name or vim.json.encode(name):gsub("\\/", "/")
end

---The lines of `text`, each fit for a buffer.
---@param text string
---@return string[]
function M.lines(text)
  return vim.split(M.visible(text), "\n", { plain = true })
end

---The beginning of `text` within `cells` of the screen, with an ellipsis where something was left out.
---@param text string
---@param cells integer
---@return string
function M.excerpt(text, cells)
  if vim.fn.strdisplaywidth(text) <= cells then
    return text
  end
  local length = cells
  while length > 0 and vim.fn.strdisplaywidth(vim.fn.strcharpart(text, 0, length)) > cells - 1 do
    length = length - 1
  end
  return vim.fn.strcharpart(text, 0, length) .. "…"
end

---How full a layer is, as ten blocks.
---@param used integer UTF-16 units
---@param limit integer UTF-16 units
---@return string
function M.bar(used, limit)
  local full = limit > 0 and math.min(10, math.ceil(10 * used / limit)) or (used > 0 and 10 or 0)
  return ("█"):rep(full) .. ("░"):rep(10 - full)
end

---A moment in local time, to the second.
---@param epoch_ms integer
---@return string
function M.moment(epoch_ms)
  return os.date("%Y-%m-%d %H:%M:%S", math.floor(epoch_ms / 1000)) --[[@as string]]
end

return M
