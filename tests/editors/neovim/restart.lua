local client = require("keepgate.client")
local first = play.up()
play.say("ready")
play.window("keepgate-question", "The tests need port 5434.")
play.say("kill the sidecar")

-- A sidecar that dies is started anew, and the wish comes back.
play.wait("another sidecar", function()
  local now = client.at(first.root_dir)
  return now and now.id ~= first.id
end)
local second = play.up()
play.window("keepgate-question", "The tests need port 5434.")

vim.cmd("Keepgate restart")
play.wait("a third sidecar", function()
  local now = client.at(first.root_dir)
  return now and now.id ~= second.id and now.initialized
end)
play.wait("the end of the second", function()
  return second:is_stopped()
end)
play.decide("The tests need port 5434.", "Allow once")
