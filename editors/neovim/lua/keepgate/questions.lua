---Questions to the person. Each stays until it is answered, here or elsewhere; closing its window answers
---nothing, and no key answers it but the choice in |vim.ui.select| that was asked for.
local config = require("keepgate.config")
local picker = require("keepgate.picker")
local question = require("keepgate.question")
local say = require("keepgate.say")
local view = require("keepgate.view")

local M = {}

---@class keepgate.Question
---@field ask keepgate.Ask
---@field client_id integer
---@field requested boolean asked by the sidecar, not taken from the inbox
---@field put_off boolean the person left it for later
---@field answer fun(outcome: string) sends the decision
---@field withdraw fun()? ends the sidecar's request when it was decided elsewhere

---@type keepgate.Question[] in order of arrival
local open = {}

---@type keepgate.Question? the one in the window
local current

local LATER = { label = "Decide later", outcome = nil }
local CHOICES = {
  { label = "Allow once", outcome = "allowed-once" },
  { label = "Allow for this session", outcome = "allowed-session" },
  { label = "Reject", outcome = "rejected" },
}

---@param id string the proposal
---@return keepgate.Question?
function M.find(id)
  return vim.iter(open):find(function(each)
    return each.ask.id == id
  end)
end

---The questions that are open, oldest first.
---@return keepgate.Question[]
function M.all()
  return vim.list_slice(open)
end

---@param one keepgate.Question
local function is_open(one)
  return vim.list_contains(open, one)
end

local function buffer_of(one)
  return view.buffer("keepgate://question/" .. one.ask.id, "keepgate-question", function(buffer)
    vim.api.nvim_create_autocmd("BufWinLeave", {
      buffer = buffer,
      callback = vim.schedule_wrap(function()
        if current and current.ask.id == one.ask.id and #vim.fn.win_findbuf(buffer) == 0 then
          M.put_off(current)
        end
      end),
    })
  end)
end

---Take a question off the list and off the screen; whoever calls it has an answer.
---@param one keepgate.Question
function M.take_down(one)
  open = vim.tbl_filter(function(each)
    return each ~= one
  end, open)
  if current == one then
    current = nil
  end
  local buffer = buffer_of(one)
  view.close(buffer)
  vim.api.nvim_buf_delete(buffer, { force = true })
end

---@param one keepgate.Question
---@param choice {label: string, outcome: string?}?
local function chosen(one, choice)
  if choice and choice.outcome and not is_open(one) then
    return say.warn("that wish was decided already; your answer changed nothing")
  end
  if not is_open(one) then
    return
  end
  if not choice or not choice.outcome then
    return M.put_off(one)
  end
  M.take_down(one)
  one.answer(choice.outcome)
  M.show_next()
end

---Ask for the decision with |vim.ui.select|. The first choice, and no choice, leave the wish where it is.
---@param one keepgate.Question
function M.choose(one)
  local choices = { LATER }
  for _, choice in ipairs(CHOICES) do
    if choice.outcome ~= "allowed-session" or one.requested and one.ask.forSession then
      table.insert(choices, choice)
    end
  end
  picker.open(vim.fn.bufwinid(buffer_of(one)), choices, {
    prompt = ("keepgate: %s?"):format(question.heading(one.ask)),
    kind = "keepgate.approval",
    format_item = function(choice)
      return choice.label
    end,
  }, function(choice)
    chosen(one, choice)
  end)
end

---Leave a question for later: its window goes, the wish stays.
---@param one keepgate.Question
function M.put_off(one)
  one.put_off = true
  if current == one then
    current = nil
  end
  view.close(buffer_of(one))
  M.show_next()
end

---Say that a question is on the screen. Without a screen it is not, and other windows are offered it.
---@param one keepgate.Question
local function acknowledge(one)
  local running = one.requested and vim.lsp.get_client_by_id(one.client_id)
  if running and #vim.api.nvim_list_uis() > 0 then
    running:notify("approval/shown", { id = one.ask.id })
  end
end

---Put a question into a window. `enter` moves the cursor there and asks for the decision.
---@param one keepgate.Question
---@param enter boolean
function M.show(one, enter)
  current, one.put_off = one, false
  local buffer = buffer_of(one)
  local lines = question.lines(one.ask)
  table.insert(lines, 2, { text = "<CR> decides, q leaves it for later", group = "KeepgateDim" })
  view.set(buffer, lines)
  view.set_keys(buffer, {
    {
      key = "<CR>",
      meaning = "decide",
      act = function()
        M.choose(one)
      end,
    },
  })
  vim.keymap.set("n", "q", function()
    M.put_off(one)
  end, { buffer = buffer, nowait = true, desc = "keepgate: leave it for later" })
  local window = view.show(buffer, math.min(#lines + 1, config.current.question_height), enter)
  vim.wo[window][0].winfixheight = true
  acknowledge(one)
  if enter then
    M.choose(one)
  end
end

---Whether a window may be opened now: not from the command-line window, and not while a picker waits.
local function may_open()
  return vim.fn.getcmdwintype() == "" and vim.v.exiting == vim.NIL
end

---Bring up the oldest question that was not left for later, unless one is on the screen.
function M.show_next()
  if current or config.current.on_question == "notify" or not may_open() then
    return
  end
  local one = vim.iter(open):find(function(each)
    return not each.put_off
  end)
  if not one then
    return
  end
  local ok, problem = pcall(M.show, one, config.current.on_question == "select")
  if not ok then
    M.put_off(one)
    say.warn(("a wish waits, but no window can be opened: %s"):format(problem))
  end
end

---Add a question. It is shown when its turn comes.
---@param one keepgate.Question
function M.put(one)
  table.insert(open, one)
  say.note(("%s? :Keepgate next shows and decides it"):format(question.heading(one.ask)))
  M.show_next()
end

---Add a question without showing it.
---@param one keepgate.Question
function M.put_aside(one)
  table.insert(open, one)
end

---Show and decide: the question on the screen, else the oldest open one. False where there is none.
---@return boolean
function M.next()
  local one = current or vim.iter(open):find(function(each)
    return not each.put_off
  end) or open[1]
  if not one then
    return false
  end
  M.show(one, true)
  return true
end

local group = vim.api.nvim_create_augroup("keepgate.questions", {})
vim.api.nvim_create_autocmd("CmdwinLeave", { group = group, callback = vim.schedule_wrap(M.show_next) })
vim.api.nvim_create_autocmd("UIEnter", {
  group = group,
  callback = function()
    if current then
      acknowledge(current)
    end
  end,
})

return M
