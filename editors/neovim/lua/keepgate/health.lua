---`:checkhealth keepgate`
local client = require("keepgate.client")
local config = require("keepgate.config")

local M = {}

local ANSWER_MS = 10000

local function check_editor()
  if vim.fn.has("nvim-0.11") == 1 then
    vim.health.ok("Neovim is new enough")
  else
    vim.health.error("Neovim 0.11 or newer is needed")
  end
end

---@return boolean
local function check_program()
  local program = config.current.cmd[1]
  if vim.fn.executable(program) ~= 1 then
    vim.health.error(("there is no program %q"):format(program), {
      "Install it: pipx install . in a checkout of keepgate",
      "Or name it: require('keepgate').setup({ cmd = { '/path/to/keepgate', 'serve', '--stdio' } })",
    })
    return false
  end
  local done = vim.system({ program, "--version" }, { text = true }):wait(ANSWER_MS)
  local version = vim.trim(done.stdout or "")
  if done.code == 0 and version ~= "" then
    vim.health.ok(("%s (%s)"):format(version, vim.fn.exepath(program)))
  else
    vim.health.warn(("%q does not tell its version"):format(program))
  end
  return true
end

---@param running vim.lsp.Client
local function check_sidecar(running)
  local answer = running:request_sync("memory/status", vim.empty_dict(), ANSWER_MS)
  if not answer or answer.err or not answer.result then
    local advice = { ":Keepgate log", ":Keepgate restart" }
    vim.health.error("the sidecar of " .. running.root_dir .. " does not answer", advice)
    return
  end
  local status = answer.result
  local tell = status.health == "ok" and vim.health.ok or vim.health.warn
  tell(("%s: %s, %d waiting"):format(running.root_dir, status.message, status.pendingProposals))
  vim.health.info("store: " .. status.storePath)
  for _, problem in ipairs(status.problems) do
    vim.health.warn(problem)
  end
end

function M.check()
  vim.health.start("keepgate")
  check_editor()
  if not check_program() then
    return
  end
  local running = client.all()
  if #running == 0 then
    vim.health.warn("no sidecar runs", { "Call require('keepgate').setup()", "Or :Keepgate restart" })
  end
  vim.iter(running):each(check_sidecar)
end

return M
