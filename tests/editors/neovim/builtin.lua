-- Neovim's own picker: a numbered list, which gets the keys that follow the one that asked for it.
vim.ui.select = play.builtin_select
play.up()
play.say("ready")
local _, window = play.window("keepgate-question", "The tests need port 5434.")
play.press(window, "<CR>1<CR>")
play.no_window("keepgate-question")
play.equal(1, #require("keepgate.questions").all())
vim.api.nvim_feedkeys(vim.keycode(":Keepgate next<CR>2<CR>"), "mx", false)
play.no_window("keepgate-question")
play.equal({}, require("keepgate.questions").all())
