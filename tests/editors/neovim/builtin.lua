-- Neovim's own picker: a numbered list, which gets the keys that follow the one that asked for it.
vim.ui.select = play.builtin_select
local inputlist = vim.fn.inputlist
-- What is decided stands on the screen, all of it, above the lines that the list covers.
vim.fn.inputlist = function(lines)
  local buffer, window = play.window("keepgate-question", "The tests need port 5434.")
  play.equal({ 1, vim.api.nvim_buf_line_count(buffer) }, { vim.fn.line("w0", window), vim.fn.line("w$", window) })
  play.equal(true, vim.api.nvim_win_get_height(window) > vim.api.nvim_win_text_height(window, {}).all + #lines)
  return inputlist(lines)
end
vim.o.lines = 40
vim.cmd("split | split | split")
play.up()
play.say("ready")
local _, window = play.window("keepgate-question", "The tests need port 5434.")
play.press(window, "<CR>1<CR>")
play.no_window("keepgate-question")
play.equal(1, #require("keepgate.questions").all())
vim.api.nvim_feedkeys(vim.keycode(":Keepgate next<CR>2<CR>"), "mx", false)
play.no_window("keepgate-question")
play.equal({}, require("keepgate.questions").all())
