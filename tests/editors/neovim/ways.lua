local keepgate = require("keepgate")
keepgate.setup({ on_question = "notify" })
play.up()
play.say("ready")
play.told("remember a fact? :Keepgate next")
play.equal({}, vim.iter(vim.api.nvim_list_bufs()):filter(function(buffer)
  return vim.bo[buffer].filetype == "keepgate-question"
end):totable())
vim.cmd("Keepgate next")
local _, choose = play.picker()
choose("Reject")
play.say("rejected")

-- The picker at once, and no words about it.
keepgate.setup({ on_question = "select", notify = false })
play.messages = {}
local labels
labels, choose = play.picker()
play.equal("Decide later", labels[1])
play.window("keepgate-question", "Wish 2")
choose("Allow once")
play.equal({}, play.messages)
