play.up()
play.say("ready")
play.window("keepgate-question", "The tests need port 5434.")
play.say("shown")
play.wait("the end, which comes from outside", function()
  return false
end)
