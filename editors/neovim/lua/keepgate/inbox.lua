---The inbox and the ledger of a workspace, as buffers.
local client = require("keepgate.client")
local questions = require("keepgate.questions")
local say = require("keepgate.say")
local text = require("keepgate.text")
local view = require("keepgate.view")

local M = {}

---The answer to a wish from the inbox; nobody waits for it, so there is no leave for a session.
---@param running vim.lsp.Client
---@param ask keepgate.Ask
---@param outcome string
local function decide(running, ask, outcome)
  if outcome == "rejected" then
    return client.request(running, "proposals/dismiss", { id = ask.id }, "reject", function()
      say.note("rejected")
    end)
  end
  client.request(running, "proposals/approve", { id = ask.id, hash = ask.hash }, "allow", function()
    say.note("allowed")
  end)
end

---Show a wish of the inbox and ask for the decision.
---@param running vim.lsp.Client
---@param id string the proposal
function M.open(running, id)
  local asked = questions.find(id)
  if asked then
    return questions.show(asked, true)
  end
  client.request(running, "proposals/get", { id = id, session = vim.NIL }, "inbox", function(found)
    if not found.ask then
      return say.warn("this wish cannot be decided: " .. (found.problem or found.proposal.status))
    end
    if not questions.find(id) then
      questions.put_aside({
        ask = found.ask,
        client_id = running.id,
        requested = false,
        put_off = true,
        answer = function(outcome)
          decide(running, found.ask, outcome)
        end,
      })
    end
    questions.show(assert(questions.find(id)), true)
  end)
end

---@param running vim.lsp.Client
---@param done fun(proposals: table[])
function M.pending(running, done)
  local params = { status = "pending", session = vim.NIL }
  client.request(running, "proposals/list", params, "inbox", function(result)
    done(result.proposals)
  end)
end

---Show and decide the oldest wish that waits: of the questions on hand, else of the inbox.
---@param running vim.lsp.Client
function M.next(running)
  if questions.next() then
    return
  end
  M.pending(running, function(proposals)
    if #proposals == 0 then
      return say.note("nothing waits for you")
    end
    M.open(running, proposals[1].id)
  end)
end

---@param proposal table
---@return keepgate.Line
local function proposal_line(proposal)
  local place = ("%s %s/%s"):format(proposal.kind, proposal.track, proposal.scope)
  local line = ("  %s  %-28s %s"):format(text.moment(proposal.createdAt), text.one_line(place),
    text.excerpt(text.one_line(proposal.text), 120))
  return { text = line, item = proposal.id }
end

---@type table<integer, string> roots by inbox buffer
local roots = {}

---@param buffer integer
local function fill(buffer)
  local running = client.ensure(roots[buffer])
  if not running then
    return
  end
  M.pending(running, function(proposals)
    local title = #proposals == 0 and "Nothing waits for you" or ("%d waiting"):format(#proposals)
    local lines = { { text = title .. " in " .. text.one_line(running.root_dir), group = "KeepgateTitle" } }
    vim.list_extend(lines, vim.tbl_map(proposal_line, proposals))
    view.set(buffer, lines)
  end)
end

---@param buffer integer
---@param id string?
local function open_line(buffer, id)
  local running = id and client.ensure(roots[buffer])
  if id and running then
    M.open(running, id)
  end
end

---@param running vim.lsp.Client
function M.inbox(running)
  local buffer = view.buffer(view.name("inbox", running.root_dir), "keepgate-inbox")
  roots[buffer] = running.root_dir
  view.set_keys(buffer, {
    {
      key = "<CR>",
      meaning = "show the wish whole and decide it",
      act = function(id)
        open_line(buffer, id)
      end,
    },
    {
      key = "R",
      meaning = "read again",
      act = function()
        fill(buffer)
      end,
    },
  })
  view.show(buffer, nil, true)
  fill(buffer)
end

client.listen(function(event)
  if event ~= "proposals/didChange" then
    return
  end
  for buffer in pairs(roots) do
    if vim.api.nvim_buf_is_valid(buffer) and #vim.fn.win_findbuf(buffer) > 0 then
      fill(buffer)
    end
  end
end)

return M
