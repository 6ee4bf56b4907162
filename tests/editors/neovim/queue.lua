play.up()
play.say("ready")
for _ = 1, 3 do
  local buffer = play.window("keepgate-question")
  local number = table.concat(play.lines(buffer), "\n"):match("Wish (%d)")
  play.say("seen " .. number)
  play.decide("Wish " .. number, number == "2" and "Reject" or "Allow once")
  play.wait("the window of wish " .. number .. " to go", function()
    return not vim.api.nvim_buf_is_valid(buffer)
  end)
end
