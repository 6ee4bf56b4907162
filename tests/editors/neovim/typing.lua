play.up()
vim.cmd.edit("notes.txt")
play.say("ready")
play.window("keepgate-question", "The tests need port 5434.")

-- Whatever is typed into another window goes there.
vim.api.nvim_feedkeys(vim.keycode("i2<CR>1<CR>y<CR>3<CR>aAq<CR><Esc>"), "mx", false)
play.equal({ "2", "1", "y", "3", "aAq", "" }, play.lines(vim.fn.bufnr("notes.txt")))
play.no_picker()
play.window("keepgate-question", "The tests need port 5434.")
play.say("typed")
play.decide("The tests need port 5434.", "Reject")
