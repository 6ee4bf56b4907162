---The settings, all given to `setup()`. Nothing is read from a project: a repository cannot name the program,
---and where the store is stands in the user's config.toml, so that every program finds the same one.
local M = {}

---@class keepgate.Config
---@field cmd string[] the program and its arguments
---@field autostart boolean start for the working directory and for the folders of files as they are opened
---@field root_markers string[] names that make a folder a root
---@field on_question "show"|"select"|"notify" what happens when a wish arrives
---@field question_height integer lines of the question's window at most
---@field notify boolean say in a message what was asked and decided

---@type keepgate.Config
M.defaults = {
  cmd = { "keepgate", "serve", "--stdio" },
  autostart = true,
  root_markers = { ".keepgate", ".git" },
  on_question = "show",
  question_height = 20,
  notify = true,
}

---@type keepgate.Config
M.current = vim.deepcopy(M.defaults)

local WAYS = { show = true, select = true, notify = true }

---@param value any
local function is_list_of_words(value)
  if not vim.islist(value) or #value == 0 then
    return false
  end
  return vim.iter(value):all(function(each)
    return type(each) == "string" and each ~= ""
  end)
end

---Take the settings over. Raises an error that names what is wrong with them.
---@param opts table?
---@return keepgate.Config
function M.set(opts)
  opts = opts or {}
  vim.validate("opts", opts, "table")
  for name in pairs(opts) do
    assert(M.defaults[name] ~= nil, ("keepgate: there is no setting %q"):format(name))
  end
  local merged = vim.tbl_extend("force", vim.deepcopy(M.defaults), opts)
  assert(is_list_of_words(merged.cmd), "keepgate: cmd is a list of words, the program first")
  assert(is_list_of_words(merged.root_markers), "keepgate: root_markers is a list of names")
  assert(WAYS[merged.on_question], 'keepgate: on_question is "show", "select" or "notify"')
  vim.validate("autostart", merged.autostart, "boolean")
  vim.validate("notify", merged.notify, "boolean")
  vim.validate("question_height", merged.question_height, "number")
  M.current = merged
  return merged
end

return M
