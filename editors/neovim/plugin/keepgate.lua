-- Defines :Keepgate. Nothing else is loaded, and no sidecar started, before setup() or the first use.
if vim.g.loaded_keepgate then
  return
end
vim.g.loaded_keepgate = true

vim.api.nvim_create_user_command("Keepgate", function(given)
  require("keepgate.approval")
  require("keepgate.commands").run(given)
end, {
  nargs = "*",
  range = true,
  desc = "What agents remember here, and what they wish to",
  complete = function(lead, line)
    return require("keepgate.commands").complete(lead, line)
  end,
})
