---|vim.ui.select|, with the question left in view.
local M = {}

---Lines that Neovim's own picker covers beside those of its choices: its prompt, and a blank one.
local AROUND = 2

---Neovim's own picker waits for a number at the foot of the screen, and covers what stands there.
local function is_built_in()
  return debug.getinfo(vim.ui.select, "S").source:find("vim/ui.lua", 1, true) ~= nil
end

---@generic T
---@param window integer that shows what is decided, as the last one above the command line
---@param choices T[]
---@param options table as vim.ui.select takes them
---@param on_choice fun(choice: T?)
function M.open(window, choices, options, on_choice)
  if not is_built_in() or not vim.api.nvim_win_is_valid(window) then
    return vim.ui.select(choices, options, on_choice)
  end
  local before = vim.api.nvim_win_get_height(window)
  local whole = math.max(before, vim.api.nvim_win_text_height(window, {}).all)
  local function give_back()
    if vim.api.nvim_win_is_valid(window) then
      vim.api.nvim_win_set_height(window, before)
    end
  end
  -- The lines below the text are there to be covered. A small screen gives fewer.
  vim.api.nvim_win_set_height(window, whole + #choices + AROUND)
  vim.cmd.redraw()
  local ok, problem = pcall(vim.ui.select, choices, options, function(choice)
    give_back()
    on_choice(choice)
  end)
  if not ok then
    give_back()
    error(problem, 0)
  end
end

return M
