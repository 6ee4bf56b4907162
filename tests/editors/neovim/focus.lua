local running = play.up()

---Tell keepgate what happened to the focus, and wait until it knows.
local function focus(event)
  vim.api.nvim_exec_autocmds(event, {})
  vim.api.nvim_exec_autocmds("CursorHold", {})
  play.equal(nil, assert(running:request_sync("memory/budgets", vim.empty_dict(), 30000)).err)
end

focus("FocusLost")
play.say("out of focus")
vim.wait(120000, function()
  return vim.uv.fs_stat(vim.env.GO_ON) ~= nil
end, 20)
play.equal({}, require("keepgate.questions").all())
focus("FocusGained")
play.say("in focus")
play.decide("The tests need port 5434.", "Allow once")
