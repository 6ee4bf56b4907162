---Buffers in which a person writes a memory: `:w` proposes it, and the gate asks before anything is stored.
local client = require("keepgate.client")
local say = require("keepgate.say")

local M = {}

---@class keepgate.Layer
---@field track string
---@field scope string
---@field title string

---@type keepgate.Layer[] in the order of memory/budgets
M.LAYERS = {
  { track = "user", scope = "user-global", title = "About you, everywhere" },
  { track = "user", scope = "workspace", title = "About you, in this workspace" },
  { track = "agent", scope = "user-global", title = "Agent notes, everywhere" },
  { track = "agent", scope = "workspace", title = "Agent notes, in this workspace" },
}

---@param layer keepgate.Layer
---@return string such as agent/workspace
function M.layer_name(layer)
  return layer.track .. "/" .. layer.scope
end

---@param name string
---@return keepgate.Layer?
function M.layer(name)
  return vim.iter(M.LAYERS):find(function(layer)
    return M.layer_name(layer) == name
  end)
end

---The session of a change of an entry: an agent's private memory is in sight of that agent alone.
---@param agent_key string
---@return table
function M.session_for(agent_key)
  return { id = client.session.id, agentPreset = agent_key ~= "" and agent_key or nil }
end

local drafts = 0

---@param buffer integer
local function text_of(buffer)
  return table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), "\n")
end

---Open a buffer whose `:w` calls `propose` with its text and a function to call when that was stored.
---@param name string
---@param body string
---@param propose fun(text: string, stored: fun())
---@return integer buffer
local function open(name, body, propose)
  local buffer = vim.api.nvim_create_buf(true, false)
  vim.api.nvim_buf_set_name(buffer, name)
  vim.bo[buffer].buftype = "acwrite"
  vim.bo[buffer].swapfile = false
  vim.bo[buffer].modeline = false
  vim.bo[buffer].bufhidden = "hide"
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, vim.split(body, "\n", { plain = true }))
  vim.bo[buffer].modified = false
  vim.bo[buffer].filetype = "keepgate-memory"
  vim.api.nvim_create_autocmd("BufWriteCmd", {
    buffer = buffer,
    callback = function()
      local written = text_of(buffer)
      propose(written, function()
        if vim.api.nvim_buf_is_valid(buffer) and text_of(buffer) == written then
          vim.bo[buffer].modified = false
        end
      end)
    end,
  })
  vim.cmd.split()
  vim.api.nvim_win_set_buf(0, buffer)
  return buffer
end

---Propose a new memory.
---@param running vim.lsp.Client
---@param layer keepgate.Layer
---@param body string
---@param stored fun()?
function M.add(running, layer, body, stored)
  local params = { track = layer.track, scope = layer.scope, text = body, source = "neovim", session = client.session }
  client.request(running, "memory/add", params, "add", function()
    say.note("stored in " .. M.layer_name(layer))
    if stored then
      stored()
    end
  end)
end

---Open a buffer for a new memory.
---@param running vim.lsp.Client
---@param layer keepgate.Layer
---@param body string?
function M.compose(running, layer, body)
  drafts = drafts + 1
  local entry
  local name = ("keepgate://new/%d/%s"):format(drafts, M.layer_name(layer))
  open(name, body or "", function(written, stored)
    if entry then
      return say.warn("that is stored already; :Keepgate list changes it")
    end
    M.add(running, layer, written, function()
      entry = true
      stored()
    end)
  end)
end

---@param running vim.lsp.Client
---@param id string
local function rewrite(running, id)
  client.request(running, "memory/get", { id = id, session = vim.NIL }, "edit", function(result)
    local entry = result.entry
    local name = "keepgate://memory/" .. id
    local known = vim.fn.bufnr("^" .. name .. "$")
    if known ~= -1 then
      if vim.bo[known].modified then
        return vim.api.nvim_win_set_buf(0, known)
      end
      vim.api.nvim_buf_delete(known, { force = true })
    end
    open(name, entry.text, function(written, stored)
      client.request(running, "memory/replace", {
        track = entry.track,
        scope = entry.scope,
        id = entry.id,
        version = entry.version,
        text = written,
        session = M.session_for(entry.agentKey),
      }, "edit", function(replaced)
        entry = replaced.entry
        stored()
        say.note("rewritten")
      end)
    end)
  end)
end

---Open a page's file; it is yours to edit as any other.
---@param running vim.lsp.Client
---@param slug string
local function edit_page(running, slug)
  client.request(running, "pages/get", { slug = slug }, "edit", function(found)
    vim.cmd.split({ args = { found.path }, magic = { file = false } })
  end)
end

---Open a memory to rewrite it: `:w` proposes a replacement of exactly the version that was opened. A page's
---file is opened as it is; of a fact nothing is rewritten.
---@param running vim.lsp.Client
---@param item keepgate.Item
function M.edit(running, item)
  if item.kind == "page" then
    return edit_page(running, item.slug)
  elseif item.kind == "fact" then
    return say.note("a fact is not rewritten; another takes its place, or it is forgotten")
  end
  rewrite(running, item.id)
end

---Propose that a memory, a fact or a page goes.
---@param running vim.lsp.Client
---@param item keepgate.Item
function M.forget(running, item)
  local function gone()
    say.note("forgotten")
  end
  if item.kind == "page" then
    local params = { slug = item.slug, session = client.session }
    return client.request(running, "pages/remove", params, "forget", gone)
  end
  if item.kind == "fact" then
    local params = { id = item.id, reason = "forgotten in Neovim", session = client.session }
    return client.request(running, "verbs/forget", params, "forget", gone)
  end
  local entry = item.entry
  client.request(running, "memory/remove", {
    track = entry.track,
    scope = entry.scope,
    id = entry.id,
    version = entry.version,
    session = M.session_for(entry.agentKey),
  }, "forget", gone)
end

return M
