---What the person is told in messages: few, short, and without the text of memories.
local config = require("keepgate.config")

local M = {}

local TITLE = { title = "keepgate" }

---Something worth knowing; nothing where the setting `notify` is off.
---@param message string
function M.note(message)
  if config.current.notify then
    vim.notify("keepgate: " .. message, vim.log.levels.INFO, TITLE)
  end
end

---@param message string
function M.warn(message)
  vim.notify("keepgate: " .. message, vim.log.levels.WARN, TITLE)
end

---Why a request failed, in the words of the sidecar.
---@param err lsp.ResponseError
---@param what string what was asked for
function M.failure(err, what)
  local data = type(err.data) == "table" and err.data or {}
  local outcome = type(data.details) == "table" and data.details.outcome
  if data.code == "WRITE_DENIED" and outcome then
    local waits = outcome == "unavailable" and "; it waits in the inbox" or ""
    return M.note(("%s: %s%s"):format(what, outcome, waits))
  end
  local suggestion = type(data.suggestion) == "string" and (" " .. data.suggestion) or ""
  M.warn(("%s: %s.%s"):format(what, tostring(err.message):gsub("%.$", ""), suggestion))
end

return M
