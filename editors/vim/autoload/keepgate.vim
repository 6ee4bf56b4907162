vim9script
# keepgate in Vim: an approver of what agents want to remember, and a view of what is remembered.

import autoload './keepgate/approval.vim'
import autoload './keepgate/lists.vim'
import autoload './keepgate/sidecar.vim'

const ACTIVE_EVERY_S = 10

var focused = true
var active_at = 0
var active_root = ''

def Here(): dict<any>
  return sidecar.Ensure(getbufvar('%', 'keepgate_root', '') != '' ? b:keepgate_root : sidecar.Root())
enddef

# For a statusline: how many wishes wait, or that a sidecar is not well; empty where there is nothing to say.
export def Status(): string
  var waiting = 0
  for each in sidecar.All()
    waiting += each.pending
    if each.health == 'error'
      return 'keepgate: error'
    endif
  endfor
  return waiting > 0 ? printf('keepgate: %d waiting', waiting) : ''
enddef

# A buffer was turned to: its root has a sidecar from now on, and the person is there.
export def Entered()
  if &buftype == '' && get(g:, 'keepgate_autostart', true)
    approval.ShowNext()
    sidecar.Ensure(sidecar.Root())
  endif
  Active(false)
enddef

# Say where the person is: at once on focus and for another root, else at most every ten seconds.
export def Active(gained: bool)
  focused = focused || gained
  const root = sidecar.Root()
  const due = gained || root != active_root || localtime() - active_at >= ACTIVE_EVERY_S
  for each in sidecar.All()
    if focused && due && each.root == root && each.ready
      active_root = root
      active_at = localtime()
      sidecar.Notify(each, 'session/active', {})
    endif
  endfor
enddef

export def Away()
  focused = false
enddef

# A mode was left in which no window is opened.
export def Shown()
  timer_start(0, (_) => approval.ShowNext())
enddef

export def Leave()
  sidecar.Stop()
enddef

# Set the keys of the question's buffer, the current one.
export def QuestionKeys()
  nnoremap <buffer> <nowait> <CR> <ScriptCmd>approval.Choose()<CR>
  nnoremap <buffer> <nowait> q <Cmd>close<CR>
  augroup keepgate_question
    autocmd! BufWinLeave <buffer>
    autocmd BufWinLeave <buffer> timer_start(0, (_) => approval.Left())
  augroup END
enddef

# Set the keys of the inbox or the list, the current buffer.
export def SetKeys()
  nnoremap <buffer> <nowait> q <Cmd>close<CR>
  if &filetype == 'keepgate-inbox'
    nnoremap <buffer> <nowait> <CR> <ScriptCmd>lists.OpenLine(Here())<CR>
    nnoremap <buffer> <nowait> R <ScriptCmd>lists.Inbox(Here(), false)<CR>
  elseif &filetype == 'keepgate-list'
    nnoremap <buffer> <nowait> <CR> <ScriptCmd>lists.ShowLine(Here())<CR>
    nnoremap <buffer> <nowait> d <ScriptCmd>lists.ForgetLine(Here())<CR>
    nnoremap <buffer> <nowait> R <ScriptCmd>lists.List(Here(), false)<CR>
  endif
enddef

def With(Act: func)
  const from = Here()
  if !empty(from)
    Act(from)
  endif
enddef

export def Next()
  if !approval.Next()
    With(lists.Oldest)
  endif
enddef

export def Inbox()
  With((from) => lists.Inbox(from, true))
enddef

export def List()
  With((from) => lists.List(from, true))
enddef

export def Restart()
  sidecar.Restart()
enddef

export def Layers(_: string, _: string, _: number): string
  return mapnew(lists.LAYERS, (_, layer) => layer[0] .. '/' .. layer[1])->join("\n")
enddef

# :KeepgateAdd {layer} {words}
export def Add(given: string)
  const layer = matchstr(given, '^\S\+')
  const body = substitute(given, '^\S\+\s*', '', '')
  if index(split(Layers('', '', 0), "\n"), layer) < 0 || body == ''
    sidecar.Warn('say a layer and the text: KeepgateAdd agent/workspace Run make check first.')
    return
  endif
  With((from) => lists.Add(from, layer, body))
enddef
