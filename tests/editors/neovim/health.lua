play.up()
vim.cmd("checkhealth keepgate")
local buffer = vim.api.nvim_get_current_buf()
local lines = table.concat(play.lines(buffer), "\n")
play.equal(nil, lines:find("ERROR"))
play.equal(nil, lines:find("WARNING"))
play.equal(true, lines:find("ok, 0 waiting", 1, true) ~= nil)

-- The tags as a plugin manager would make them.
vim.opt.runtimepath:append(vim.env.HELP_TAGS)
vim.cmd("help keepgate-settings")
play.equal("help", vim.bo.buftype)
for _, name in ipairs(require("keepgate.commands").names()) do
  vim.cmd("help :Keepgate-" .. name)
end
play.equal({ "ledger", "list", "log" }, vim.fn.getcompletion("Keepgate l", "cmdline"))
play.equal({ "agent/user-global", "agent/workspace" }, (function()
  local found = vim.fn.getcompletion("Keepgate add agent", "cmdline")
  table.sort(found)
  return found
end)())
