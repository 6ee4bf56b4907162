play.up()
play.say("ready")
local buffer, window = play.window("keepgate-question", "Port")
local lines = play.lines(buffer)
play.equal(true, play.holds(buffer, "! "))
play.equal(true, play.holds(buffer, "⟨U+202E⟩"))
play.equal(true, play.holds(buffer, "⟨U+001B⟩[2J"))
for _, line in ipairs(lines) do
  play.equal(nil, line:find("[%z\1-\8\11-\31\127]"))
  play.equal(nil, line:find("\226\128\174", 1, true))
end
-- What imitates the frame of a question does not begin a line.
for number, line in ipairs(lines) do
  play.equal(number == 1, line:find("^keepgate asks") ~= nil)
end
play.equal(true, play.holds(buffer, 'asked by    "this editor, session of yours" 1, session '))
-- Nothing in a text is obeyed as a modeline.
play.equal(false, vim.bo[buffer].modeline)
play.equal(true, vim.wo[window].wrap)
play.decide("Port", "Allow once")

vim.cmd("Keepgate list")
buffer, window = play.window("keepgate-list", "Port")
for _, line in ipairs(play.lines(buffer)) do
  play.equal(nil, line:find("[%z\1-\31\127]"))
end
play.on_line(window, "Port")
play.press(window, "h")
play.window("keepgate-told", "⟨U+202E⟩")
play.press(window, "w")
play.window("keepgate-told", 'asked by     "this editor, session of yours" 1')
