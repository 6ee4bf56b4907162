play.up()
play.say("ready")
local buffer = play.window("keepgate-question", "change a memory")
local lines = play.lines(buffer)
for _, line in ipairs({ "  First line stays.", "- The tests need port 5433.", "+ The tests need port 5434." }) do
  play.equal(true, vim.list_contains(lines, line))
end
play.decide("change a memory", "Allow once")

buffer = play.window("keepgate-question", "put one memory in the place of 2 memories")
lines = play.lines(buffer)
for _, line in ipairs({ "- First line stays.", "- Run the linter.", "+ Both in one." }) do
  play.equal(true, vim.list_contains(lines, line))
end
play.decide("put one memory", "Allow once")
