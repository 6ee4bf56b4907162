---Buffers that show lines, with keys for what a line stands for.
local M = {}

local MARKS = vim.api.nvim_create_namespace("keepgate")

---@class keepgate.Key
---@field key string
---@field meaning string shown by g?
---@field act fun(item: any)

---@type table<integer, keepgate.Line[]> what each buffer shows
local shown = {}

---Define the highlight groups where nothing else has.
function M.define_highlights()
  local links = {
    KeepgateTitle = "Title",
    KeepgateWarning = "WarningMsg",
    KeepgateGone = "DiffDelete",
    KeepgateNew = "DiffAdd",
    KeepgateLayer = "Label",
    KeepgateDim = "Comment",
  }
  for group, target in pairs(links) do
    vim.api.nvim_set_hl(0, group, { link = target, default = true })
  end
end

---The name of a buffer of a root; the root's own name may hold what a buffer's may not.
---@param kind string
---@param root string
---@return string
function M.name(kind, root)
  return ("keepgate://%s/%s"):format(kind, vim.fn.sha256(root):sub(1, 12))
end

---The buffer of that name, made where there is none; it cannot be edited and belongs to no file.
---@param name string
---@param filetype string
---@param made fun(buffer: integer)? called where it was made
---@return integer
function M.buffer(name, filetype, made)
  local buffer = vim.fn.bufnr("^" .. name .. "$")
  if buffer == -1 or not vim.api.nvim_buf_is_loaded(buffer) then
    if buffer ~= -1 then
      vim.api.nvim_buf_delete(buffer, { force = true })
    end
    buffer = vim.api.nvim_create_buf(false, true)
    vim.api.nvim_buf_set_name(buffer, name)
    vim.bo[buffer].buftype = "nofile"
    vim.bo[buffer].swapfile = false
    vim.bo[buffer].modeline = false
    vim.bo[buffer].bufhidden = "hide"
    vim.bo[buffer].filetype = filetype
    vim.bo[buffer].modifiable = false
    vim.api.nvim_create_autocmd({ "BufDelete", "BufWipeout" }, {
      buffer = buffer,
      callback = function()
        shown[buffer] = nil
      end,
    })
    if made then
      made(buffer)
    end
  end
  return buffer
end

---@param buffer integer
---@param lines keepgate.Line[]
function M.set(buffer, lines)
  if not vim.api.nvim_buf_is_valid(buffer) then
    return
  end
  local texts = vim.tbl_map(function(line)
    -- A line break in a name that came from elsewhere must not tear the buffer's lines from their items.
    return (line.text:gsub("\n", " "))
  end, lines)
  vim.bo[buffer].modifiable = true
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, texts)
  vim.bo[buffer].modifiable = false
  vim.bo[buffer].modified = false
  vim.api.nvim_buf_clear_namespace(buffer, MARKS, 0, -1)
  for number, line in ipairs(lines) do
    if line.group then
      vim.api.nvim_buf_set_extmark(buffer, MARKS, number - 1, 0, {
        end_col = #texts[number],
        hl_group = line.group,
        hl_eol = true,
      })
    end
  end
  -- Beside the title and not in the text: what is copied or searched is what was said.
  if lines[1] and lines[1].group == "KeepgateTitle" then
    vim.api.nvim_buf_set_extmark(buffer, MARKS, 0, 0, { virt_text = { { "  g? tells the keys", "KeepgateDim" } } })
  end
  shown[buffer] = lines
end

---What the line under the cursor stands for.
---@param buffer integer
---@return any
function M.item(buffer)
  local line = (shown[buffer] or {})[vim.api.nvim_win_get_cursor(0)[1]]
  return line and line.item
end

---@param keys keepgate.Key[]
local function show_help(keys)
  local chunks = {}
  for _, each in ipairs(keys) do
    table.insert(chunks, { ("%-6s %s\n"):format(each.key, each.meaning) })
  end
  vim.api.nvim_echo(chunks, false, {})
end

---Set the keys of a buffer; `g?` tells them. A key that needs an item does nothing on other lines.
---@param buffer integer
---@param keys keepgate.Key[]
function M.set_keys(buffer, keys)
  local all = vim.list_extend(vim.list_slice(keys), {
    {
      key = "q",
      meaning = "close the window",
      act = function()
        M.close(buffer)
      end,
    },
  })
  for _, each in ipairs(all) do
    vim.keymap.set("n", each.key, function()
      each.act(M.item(buffer))
    end, { buffer = buffer, nowait = true, desc = "keepgate: " .. each.meaning })
  end
  vim.keymap.set("n", "g?", function()
    show_help(all)
  end, { buffer = buffer, desc = "keepgate: tell the keys" })
end

---Show a buffer in a window of this tab page: its own where it has one, else a new one.
---@param buffer integer
---@param height integer?
---@param enter boolean
---@return integer window
function M.show(buffer, height, enter)
  for _, window in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    if vim.api.nvim_win_get_buf(window) == buffer then
      if enter then
        vim.api.nvim_set_current_win(window)
      end
      return window
    end
  end
  local room = math.max(3, vim.o.lines - 8)
  local lines = math.min(height or math.floor(room / 2), room)
  local window = vim.api.nvim_open_win(buffer, enter, { split = "below", win = -1, height = lines })
  -- 'equalalways' shares the lines out alike, and would leave a change out of view.
  vim.api.nvim_win_set_height(window, lines)
  for option, value in pairs({ wrap = true, linebreak = true, number = false, relativenumber = false,
    spell = false, list = false, signcolumn = "no", foldenable = false, conceallevel = 0 }) do
    vim.wo[window][0][option] = value
  end
  return window
end

---Close every window that shows a buffer; the last window of the editor shows another one instead.
---@param buffer integer
function M.close(buffer)
  for _, window in ipairs(vim.fn.win_findbuf(buffer)) do
    local alone = #vim.api.nvim_list_tabpages() == 1 and #vim.api.nvim_tabpage_list_wins(0) == 1
    if alone then
      vim.api.nvim_win_call(window, function()
        vim.cmd.enew()
      end)
    else
      vim.api.nvim_win_close(window, true)
    end
  end
end

return M
