---Questions of the sidecars: `approval/request`, and what ends one from elsewhere.
local client = require("keepgate.client")
local questions = require("keepgate.questions")
local say = require("keepgate.say")

local M = {}

---A sidecar that takes a question back says so first, and then why, if at all.
local GONE = "a wish was decided elsewhere, withdrawn, or left to the inbox"

---`approval/request`. The answer comes later: |vim.lsp| runs the handler of a server's request in a coroutine
---of its own, and sends what that returns in the end.
---@param client_id integer
---@param ask keepgate.Ask
---@return {outcome: string, hash: string}?, lsp.ResponseError?
function M.on_request(client_id, ask)
  local waiting = assert(coroutine.running())
  local result, err
  local function finish(with, problem)
    if result or err then
      return
    end
    result, err = with, problem
    if coroutine.status(waiting) == "suspended" then
      assert(coroutine.resume(waiting))
    end
  end
  local older = questions.find(ask.id)
  if older then
    questions.take_down(older)
  end
  questions.put({
    ask = ask,
    client_id = client_id,
    requested = true,
    put_off = false,
    answer = function(outcome)
      finish({ outcome = outcome, hash = ask.hash })
    end,
    withdraw = function()
      finish(nil, vim.lsp.rpc_response_error(vim.lsp.protocol.ErrorCodes.RequestCancelled))
    end,
  })
  if not (result or err) then
    coroutine.yield()
  end
  return result, err
end

---Whether a notification, or the end of a sidecar, ends a question.
---@param one keepgate.Question
---@param event string
---@param params table
local function ends(one, event, params)
  if event == "$/cancelRequest" then
    -- A sidecar has one request of this kind open at a time, so that no other can be meant.
    return one.requested
  end
  local same = one.ask.id == params.id
  local decided = event == "proposals/didChange" and params.status ~= "pending"
  return event == "ended" or same and (event == "approval/decided" or decided)
end

client.listen(function(event, client_id, params)
  local gone = vim.tbl_filter(function(one)
    return one.client_id == client_id and ends(one, event, params)
  end, questions.all())
  for _, one in ipairs(gone) do
    questions.take_down(one)
    if one.withdraw then
      one.withdraw()
    end
  end
  if #gone > 0 and event ~= "ended" then
    local waits = params.outcome == "unavailable"
    say.note(waits and "nobody decided a wish in time; it waits in the inbox" or GONE)
  end
  if #gone > 0 then
    questions.show_next()
  end
end)

return M
