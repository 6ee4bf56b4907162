vim9script
# Buffers that show lines and cannot be edited.

const GROUPS = {
  KeepgateTitle: 'Title',
  KeepgateWarning: 'WarningMsg',
  KeepgateGone: 'DiffDelete',
  KeepgateNew: 'DiffAdd',
  KeepgateLayer: 'Label',
  KeepgateDim: 'Comment',
}

def Define()
  for [group, link] in items(GROUPS)
    execute printf('highlight default link %s %s', group, link)
    if empty(prop_type_get(group))
      prop_type_add(group, {highlight: group})
    endif
  endfor
enddef

# Put lines, pairs of text and highlight group, into the buffer of that name, which is made where there is none.
export def Fill(name: string, filetype: string, lines: list<list<string>>): number
  Define()
  const buffer = bufadd(name)
  if !bufloaded(buffer)
    silent bufload(buffer)
    for [option, value] in items({buftype: 'nofile', bufhidden: 'hide', swapfile: false, modeline: false,
        undolevels: -1, buflisted: false, filetype: filetype})
      setbufvar(buffer, '&' .. option, value)
    endfor
  endif
  setbufvar(buffer, '&modifiable', true)
  silent deletebufline(buffer, 1, '$')
  setbufline(buffer, 1, mapnew(lines, (_, line) => substitute(line[0], "\n", ' ', 'g')))
  var number = 0
  for line in lines
    number += 1
    if line[1] != '' && line[0] != ''
      prop_add(number, 1, {bufnr: buffer, type: line[1], length: len(line[0])})
    endif
  endfor
  setbufvar(buffer, '&modifiable', false)
  setbufvar(buffer, '&modified', false)
  return buffer
enddef

# Show a buffer in a window at the bottom, its own where it has one; the cursor goes there only on `enter`.
export def Show(buffer: number, height: number, enter: bool)
  const back = win_getid()
  const shown = win_findbuf(buffer)->filter((_, window) => win_id2win(window) > 0)
  if empty(shown)
    execute printf('noautocmd silent botright :%dsplit', min([height, max([3, &lines - 8])]))
    execute 'noautocmd silent buffer ' .. buffer
    setlocal wrap linebreak nolist nonumber norelativenumber nospell nofoldenable conceallevel=0 signcolumn=no
    setlocal winfixheight
  else
    noautocmd win_gotoid(shown[0])
  endif
  if enter
    cursor(1, 1)
  else
    noautocmd win_gotoid(back)
  endif
  redraw
enddef

# Close every window that shows a buffer.
export def Close(name: string)
  for window in win_findbuf(bufnr('^' .. name .. '$'))
    win_execute(window, winnr('$') == 1 && tabpagenr('$') == 1 ? 'enew' : 'close')
  endfor
enddef
