local keepgate = require("keepgate")
play.up()
play.say("ready")
local _, window = play.window("keepgate-question", "The tests need port 5434.")

-- A picker that is left, the key for later, a closed window: the wish stays each time.
play.press(window, "<CR>")
local _, choose = play.picker()
choose(nil)
play.no_window("keepgate-question")
play.wait("the number in the statusline", function()
  return keepgate.status() == "keepgate: 1 waiting"
end)

vim.cmd("Keepgate next")
_, window = play.window("keepgate-question", "The tests need port 5434.")
_, choose = play.picker()
play.press(window, "q")
play.no_window("keepgate-question")

vim.cmd("Keepgate next")
_, window = play.window("keepgate-question", "The tests need port 5434.")
play.picker()
vim.api.nvim_win_close(window, true)
play.no_window("keepgate-question")

-- An answer to a picker that was left open still counts, for the wish is open, too.
choose("Allow once")
play.wait("an empty statusline", function()
  return keepgate.status() == ""
end)
