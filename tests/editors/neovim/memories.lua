play.up()
local function allow(part)
  play.decide(part, "Allow once")
  play.no_window("keepgate-question")
end

vim.cmd("Keepgate add agent/workspace Run  the linter first.")
allow("add a memory to agent/workspace")
play.told("stored in agent/workspace")

-- A layer is asked for, and the text written in a buffer.
vim.cmd("Keepgate add")
local _, choose = play.picker()
choose("About you, everywhere (user/user-global)")
vim.api.nvim_buf_set_lines(0, 0, -1, false, { "Likes short answers.", "And tea." })
local draft = vim.api.nvim_get_current_buf()
vim.cmd.write()
play.equal(true, vim.bo[draft].modified)
allow("user/user-global")
play.wait("the draft to count as written", function()
  return not vim.bo[draft].modified
end)

vim.cmd("Keepgate list")
local buffer, window = play.window("keepgate-list", "Run  the linter first.")
play.window("keepgate-list", "Likes short answers. ⏎ And tea.")
play.equal(true, play.holds(buffer, "Agent notes, in this workspace  █░░░░░░░░░  22/4000"))
local beside = vim.tbl_filter(function(mark)
  return mark[4].virt_text ~= nil
end, vim.api.nvim_buf_get_extmarks(buffer, -1, { 0, 0 }, { 0, -1 }, { details = true }))
play.equal("  g? tells the keys", beside[1] and beside[1][4].virt_text[1][1])

play.on_line(window, "Run  the linter first.")
play.press(window, "e")
play.wait("the memory's buffer", function()
  return vim.bo.filetype == "keepgate-memory" and play.holds(0, "Run  the linter first.")
end)
local memory = vim.api.nvim_get_current_buf()
vim.api.nvim_buf_set_lines(memory, 0, -1, false, { "Run the linter last." })
vim.cmd.write()
play.window("keepgate-question", "- Run  the linter first.")
play.window("keepgate-question", "+ Run the linter last.")

-- What is rejected counts as not written.
play.decide("change a memory", "Reject")
play.told("edit: rejected")
play.equal(true, vim.bo[memory].modified)
vim.api.nvim_buf_call(memory, vim.cmd.write)
allow("change a memory")
play.wait("the memory to count as written", function()
  return not vim.bo[memory].modified
end)
play.window("keepgate-list", "Run the linter last.")

play.on_line(window, "Run the linter last.")
play.press(window, "w")
play.window("keepgate-told", "decided by   Neovim")
play.press(window, "h")
play.window("keepgate-told", "version 2, replace")
play.press(window, "d")
allow("remove a memory from agent/workspace")
play.wait("the memory to go", function()
  return not play.holds(buffer, "Run the linter last.")
end)

vim.cmd("Keepgate ledger")
local _, ledger = play.window("keepgate-ledger", "remove ")
play.on_line(ledger, " remove ")
play.press(ledger, "u")
allow("take a change back")
play.window("keepgate-list", "Run the linter last.")

vim.cmd("Keepgate search LINTER")
play.window("keepgate-list", "LINTER: 1 found")
for command, part in pairs({
  budgets = "agent/workspace    █░░░░░░░░░  20 of 4000",
  status = "health       ok",
  verify = "The ledger is whole",
  grants = "Nothing is allowed for the rest of a session",
}) do
  vim.cmd("Keepgate " .. command)
  play.window("keepgate-told", part)
end
