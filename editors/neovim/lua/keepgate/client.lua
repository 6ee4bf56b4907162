---The sidecars of this editor: one `keepgate serve --stdio` for each root, run by |vim.lsp| and attached to no
---buffer, since keepgate has no business with the text of files.
local config = require("keepgate.config")
local say = require("keepgate.say")

local M = {}

M.NAME = "keepgate"

---What each client last said with `keepgate/status`.
---@type table<integer, {health: string, message: string, pendingApprovals: integer}>
M.said = {}

---What this editor is called as one that asks for changes.
M.session = { id = ("neovim-%d-%d"):format(vim.uv.os_getpid(), vim.uv.hrtime()) }

---@type table<string, vim.lsp.Client> by root
local clients = {}

---@type table<integer, fun()[]> what waits for a client to be initialised, by its id
local waiting = {}

---@type table<string, integer> how often the sidecar of a root failed to start or died since it was last asked for
local failures = {}

---A sidecar that dies is started anew this often, since without it wishes would wait unseen.
local FAILURES_MAX = 3

---@type fun(event: string, client_id: integer, params: table)[]
local listeners = {}

---Have `listener` called with each notification of each sidecar, and with `started` and `ended`.
---@param listener fun(event: string, client_id: integer, params: table)
function M.listen(listener)
  table.insert(listeners, listener)
end

---@param event string
---@param client_id integer
---@param params table
function M.tell(event, client_id, params)
  for _, listener in ipairs(listeners) do
    listener(event, client_id, params or {})
  end
end

---The root of a buffer: its nearest ancestor with a marker, else that of the working directory, else this.
---@param buffer integer?
---@return string
function M.root_of(buffer)
  local markers, here = config.current.root_markers, assert(vim.uv.cwd())
  local name = buffer and vim.api.nvim_buf_is_valid(buffer) and vim.api.nvim_buf_get_name(buffer) or ""
  if name ~= "" and vim.bo[buffer].buftype == "" then
    local root = vim.fs.root(buffer, markers)
    if root then
      return vim.fs.normalize(root)
    end
  end
  return vim.fs.normalize(vim.fs.root(here, markers) or here)
end

---The clients that run, those that are still starting included, by root.
---@return vim.lsp.Client[]
function M.all()
  local running = vim.tbl_values(clients)
  table.sort(running, function(one, other)
    return one.root_dir < other.root_dir
  end)
  return running
end

---The running client of a root.
---@param root string
---@return vim.lsp.Client?
function M.at(root)
  return clients[root]
end

local FORWARDED = {
  "approval/asked", "approval/decided", "proposals/didChange", "keepgate/status", "memory/added",
  "memory/updated", "memory/removed", "memory/recalled", "memory/snapshot", "facts/didChange",
  "pages/didChange", "$/cancelRequest",
}

---@return table<string, lsp.Handler>
local function handlers()
  local table_of_handlers = {
    ["approval/request"] = function(_, params, context)
      return require("keepgate.approval").on_request(context.client_id, params)
    end,
  }
  for _, method in ipairs(FORWARDED) do
    table_of_handlers[method] = function(_, params, context)
      if method == "keepgate/status" then
        M.said[context.client_id] = params
      end
      M.tell(method, context.client_id, params)
    end
  end
  return table_of_handlers
end

---@param client vim.lsp.Client
local function begun(client)
  local acts = waiting[client.id] or {}
  waiting[client.id] = nil
  M.tell("started", client.id, {})
  vim.iter(acts):each(function(act)
    act()
  end)
end

---@param root string
---@param client_id integer
---@param code integer
local function ended(root, client_id, code)
  local own = clients[root] and clients[root].id == client_id
  M.said[client_id], waiting[client_id] = nil, nil
  M.tell("ended", client_id, {})
  if not own or vim.v.exiting ~= vim.NIL then
    return
  end
  clients[root] = nil
  failures[root] = (failures[root] or 0) + 1
  if failures[root] < FAILURES_MAX then
    M.ensure(root)
  else
    say.warn(("the sidecar of %s ended (code %d); see :Keepgate log, then :Keepgate restart"):format(root, code))
  end
end

---@param root string
---@return vim.lsp.ClientConfig
local function client_config(root)
  local capabilities = vim.lsp.protocol.make_client_capabilities()
  capabilities.experimental = { keepgate = { approvalRequest = true } }
  return {
    name = M.NAME,
    cmd = config.current.cmd,
    root_dir = root,
    workspace_folders = { { uri = vim.uri_from_fname(root), name = root } },
    capabilities = capabilities,
    handlers = handlers(),
    on_init = begun,
    on_exit = function(code, _, client_id)
      vim.schedule(function()
        ended(root, client_id, code)
      end)
    end,
  }
end

---The client of a root, started where there is none. `nil` where the program cannot be run or keeps ending.
---@param root string?
---@return vim.lsp.Client?
function M.ensure(root)
  root = root or M.root_of(vim.api.nvim_get_current_buf())
  if clients[root] or (failures[root] or 0) >= FAILURES_MAX then
    return clients[root]
  end
  local program = config.current.cmd[1]
  if vim.fn.executable(program) ~= 1 then
    failures[root] = FAILURES_MAX
    say.warn(("there is no program %q; see :checkhealth keepgate"):format(program))
    return nil
  end
  local id = vim.lsp.start(client_config(root), {
    attach = false,
    reuse_client = function()
      return false
    end,
  })
  clients[root] = id and vim.lsp.get_client_by_id(id) or nil
  return clients[root]
end

---Call `act` when the client has been initialised; not at all where it ends before.
---@param client vim.lsp.Client
---@param act fun()
function M.when_ready(client, act)
  if client.initialized then
    return act()
  end
  waiting[client.id] = waiting[client.id] or {}
  table.insert(waiting[client.id], act)
end

---Send a request once the client is ready. `done` gets the result; an error is told with `what` was asked for,
---unless `failed_with` takes it.
---@param client vim.lsp.Client
---@param method string
---@param params table
---@param what string
---@param done fun(result: any)
---@param failed_with fun(err: lsp.ResponseError)?
function M.request(client, method, params, what, done, failed_with)
  local function answered(err, result)
    if not err then
      done(result)
    elseif failed_with then
      failed_with(err)
    else
      say.failure(err, what)
    end
  end
  M.when_ready(client, function()
    -- An empty table would go out as a list.
    if not client:request(method, next(params) == nil and vim.empty_dict() or params, answered) then
      say.warn(what .. ": the sidecar has ended; :Keepgate restart starts it anew")
    end
  end)
end

---Stop a client for good; its process ends by itself, or is ended after two seconds.
---@param root string
local function stop(root)
  local client = clients[root]
  clients[root] = nil
  client:stop()
  vim.defer_fn(function()
    if not client:is_stopped() then
      client:stop(true)
    end
  end, 2000)
end

---Stop all clients and start those of the same roots anew, and that of the current buffer.
function M.restart()
  local roots = vim.tbl_keys(clients)
  vim.iter(roots):each(stop)
  failures = {}
  vim.iter(roots):each(M.ensure)
  M.ensure()
end

return M
