vim9script
# Commands of keepgate, and a sidecar for each root that is worked in.

if exists('g:loaded_keepgate')
  finish
endif
g:loaded_keepgate = true

if !has('channel') || !has('job') || !has('popupwin')
  command! -nargs=* KeepgateNext echoerr 'keepgate needs a Vim with +channel, +job and +popupwin'
  finish
endif

import autoload '../autoload/keepgate.vim'

command! KeepgateNext keepgate.Next()
command! KeepgateInbox keepgate.Inbox()
command! KeepgateList keepgate.List()
command! -nargs=+ -complete=custom,keepgate#Layers KeepgateAdd keepgate.Add(<q-args>)
command! KeepgateRestart keepgate.Restart()

augroup keepgate
  autocmd!
  autocmd VimEnter,BufEnter * keepgate.Entered()
  autocmd FocusGained * keepgate.Active(true)
  autocmd FocusLost * keepgate.Away()
  autocmd CursorHold,CursorHoldI,InsertEnter * keepgate.Active(false)
  autocmd ModeChanged * keepgate.Shown()
  autocmd VimLeavePre * keepgate.Leave()
augroup END
