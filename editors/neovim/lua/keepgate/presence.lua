---Says where the person is: `session/active` to the sidecar of the buffer in use, so that questions of other
---processes come to this editor. Sent when the editor gets the focus or another root is turned to, and else at
---signs of use, at most every ten seconds; never while the editor is known to be out of focus.
local client = require("keepgate.client")

local M = {}

local EVERY_MS = 10000

---@type {focused: boolean, root: string?, sent_ms: integer}
local state = { focused = true, root = nil, sent_ms = -EVERY_MS }

---@param at_once boolean
local function active(at_once)
  if not state.focused then
    return
  end
  local running = client.at(client.root_of(vim.api.nvim_get_current_buf()))
  if not running or not running.initialized then
    return
  end
  local now = math.floor(vim.uv.hrtime() / 1e6)
  if at_once or running.root_dir ~= state.root or now - state.sent_ms >= EVERY_MS then
    state.root, state.sent_ms = running.root_dir, now
    running:notify("session/active", vim.empty_dict())
  end
end

---Watch for signs of the person.
---@param group integer the group of autocommands
function M.watch(group)
  local on = function(events, act)
    vim.api.nvim_create_autocmd(events, { group = group, callback = act })
  end
  on("FocusLost", function()
    state.focused = false
  end)
  on("FocusGained", function()
    state.focused = true
    active(true)
  end)
  on({ "CursorHold", "CursorHoldI", "InsertEnter", "BufEnter", "TextChangedI" }, function()
    active(false)
  end)
end

return M
