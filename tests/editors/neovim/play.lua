-- Runs the scenario of KEEPGATE_SCENARIO once Neovim is up, and ends Neovim: 0 when it held, 1 when it did not.
-- Scenarios speak to the test that started Neovim by lines on stdout.
local WAIT_MS = 60000

---@class Play
play = {} -- luacheck: globals play

---The choices that the plugin put to the person and that wait for one, oldest first.
local picks = {}

play.builtin_select = vim.ui.select
-- Pickers of users stand in this place, too.
vim.ui.select = function(items, options, on_choice)
  table.insert(picks, { items = items, options = options, on_choice = on_choice })
end

---@type {message: string, level: integer}[]
play.messages = {}
vim.notify = function(message, level)
  table.insert(play.messages, { message = message, level = level })
end

function play.say(line)
  io.stdout:write(line .. "\n")
  io.stdout:flush()
end

---Look until `holds` gives something; what it gave.
function play.wait(what, holds)
  local found
  local came = vim.wait(WAIT_MS, function()
    found = holds()
    return found ~= nil and found ~= false
  end, 20)
  if not came then
    error("waited in vain for " .. what .. "\nmessages: " .. vim.inspect(play.messages), 2)
  end
  return found
end

function play.equal(expected, actual)
  if not vim.deep_equal(expected, actual) then
    error(("expected %s\nfound %s"):format(vim.inspect(expected), vim.inspect(actual)), 2)
  end
end

function play.lines(buffer)
  return vim.api.nvim_buf_get_lines(buffer, 0, -1, false)
end

function play.holds(buffer, part)
  return table.concat(play.lines(buffer), "\n"):find(part, 1, true) ~= nil
end

---Wait until a visible buffer of that filetype holds `part`; its buffer and window.
function play.window(filetype, part)
  local found = play.wait(("a %s window with %q"):format(filetype, part or ""), function()
    for _, window in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
      local buffer = vim.api.nvim_win_get_buf(window)
      if vim.bo[buffer].filetype == filetype and (not part or play.holds(buffer, part)) then
        return { buffer = buffer, window = window }
      end
    end
  end)
  return found.buffer, found.window
end

function play.no_window(filetype)
  play.wait("no " .. filetype .. " window", function()
    return vim.iter(vim.api.nvim_tabpage_list_wins(0)):all(function(window)
      return vim.bo[vim.api.nvim_win_get_buf(window)].filetype ~= filetype
    end)
  end)
end

---Press keys in a window.
function play.press(window, keys)
  vim.api.nvim_set_current_win(window)
  vim.api.nvim_feedkeys(vim.keycode(keys), "mx", false)
end

---Put the cursor on the first line that holds `part`.
function play.on_line(window, part)
  for number, line in ipairs(play.lines(vim.api.nvim_win_get_buf(window))) do
    if line:find(part, 1, true) then
      vim.api.nvim_set_current_win(window)
      return vim.api.nvim_win_set_cursor(window, { number, 0 })
    end
  end
  error("no line holds " .. part, 2)
end

---The next picker that was opened: its labels and a function that chooses one, or none.
function play.picker()
  play.wait("a picker", function()
    return #picks > 0
  end)
  local pick = table.remove(picks, 1)
  local labels = vim.tbl_map(pick.options.format_item, pick.items)
  return labels, function(label)
    for index, each in ipairs(labels) do
      if each == label then
        return pick.on_choice(pick.items[index], index)
      end
    end
    assert(label == nil, "there is no choice " .. tostring(label))
    pick.on_choice(nil, nil)
  end
end

---Decide the question that shows `part`.
function play.decide(part, label)
  local _, window = play.window("keepgate-question", part)
  play.press(window, "<CR>")
  local _, choose = play.picker()
  choose(label)
end

function play.no_picker()
  play.equal(0, #picks)
end

---Wait until the person was told something that holds `part`.
function play.told(part)
  return play.wait("the message " .. part, function()
    return vim.iter(play.messages):any(function(each)
      return each.message:find(part, 1, true) ~= nil
    end)
  end)
end

---Give this Neovim a screen: a second one that shows it, on a terminal.
function play.attach_screen()
  -- A Neovim that believes to be in a terminal of this one would refuse.
  local command = { "env", "-u", "NVIM", vim.v.progpath, "--server", vim.v.servername, "--remote-ui" }
  local job = vim.fn.jobstart(command, { pty = true, width = 120, height = 40, env = { TERM = "xterm-256color" } })
  play.wait("a screen", function()
    return #vim.api.nvim_list_uis() > 0
  end)
  return job
end

---Wait until the sidecar of the current buffer is up, and tell.
function play.up()
  local client = require("keepgate.client")
  return play.wait("a sidecar", function()
    local running = client.at(client.root_of(vim.api.nvim_get_current_buf()))
    return running and running.initialized and client.said[running.id] and running
  end)
end

---Wait until the test says so, by a file.
function play.go_on()
  play.wait("the word to go on", function()
    return vim.uv.fs_stat(vim.env.GO_ON)
  end)
end

---Tell what happened to the focus, and give the sidecar the time to act on it: a notification has no answer.
function play.focus(event)
  local running = play.up()
  vim.api.nvim_exec_autocmds(event, {})
  vim.api.nvim_exec_autocmds("CursorHold", {})
  play.equal(nil, assert(running:request_sync("memory/budgets", vim.empty_dict(), 30000)).err)
  vim.wait(1000)
end

local function run()
  local ok, problem = xpcall(dofile, debug.traceback, vim.env.KEEPGATE_SCENARIO)
  if ok then
    play.say("held")
    vim.cmd("qall!")
  else
    play.say("failed: " .. tostring(problem))
    vim.cmd("cquit 1")
  end
end

vim.api.nvim_create_autocmd("VimEnter", { callback = vim.schedule_wrap(run) })
