vim9script
# Questions to the person. Each stays until it is answered, here or elsewhere; closing its window answers
# nothing, and no key answers it but a choice from the menu that was asked for.

import autoload './question.vim'
import autoload './sidecar.vim'
import autoload './view.vim'

const NAME = 'keepgate://question'
const CHOICES = [
  ['Decide later', ''],
  ['Allow once', 'allowed-once'],
  ['Allow for this session', 'allowed-session'],
  ['Reject', 'rejected'],
]
# Lines of a menu's frame.
const BORDERS = 2

# A sidecar that takes a question back says so first, and then why, if at all.
const GONE = 'keepgate: a wish was decided elsewhere, withdrawn, or left to the inbox'

# In order of arrival; `id` is that of the sidecar's request, null for a wish from the inbox.
var questions: list<dict<any>> = []
var current: dict<any> = {}
# The note that a wish waits, where its window could not be opened.
var note = 0

export def Find(id: string): dict<any>
  for one in questions
    if one.ask.id == id
      return one
    endif
  endfor
  return {}
enddef

def IsOpen(one: dict<any>): bool
  return indexof(questions, (_, each) => each is one) >= 0
enddef

def TakeDown(one: dict<any>)
  filter(questions, (_, each) => each isnot one)
  if current is one
    current = {}
    view.Close(NAME)
  endif
enddef

def Decide(one: dict<any>, outcome: string)
  if !IsOpen(one)
    sidecar.Warn('that wish was decided already; your answer changed nothing')
    return
  endif
  TakeDown(one)
  if one.id != v:null
    sidecar.Answer(one.sidecar, one.id, {outcome: outcome, hash: one.ask.hash})
  elseif outcome == 'rejected'
    sidecar.Request(one.sidecar, 'proposals/dismiss', {id: one.ask.id}, (_) => Nothing())
  else
    sidecar.Request(one.sidecar, 'proposals/approve', {id: one.ask.id, hash: one.ask.hash}, (_) => Nothing())
  endif
  ShowNext()
enddef

def Nothing()
enddef

# Leave a question for later: its window goes, the wish stays.
def PutOff(one: dict<any>)
  one.later = true
  if current is one
    current = {}
    view.Close(NAME)
  endif
  ShowNext()
enddef

# Ask for the decision in a menu. Its first item, and leaving it, decide nothing.
export def Choose()
  if empty(current)
    return
  endif
  const one = current
  const leave = one.id != v:null && one.ask.forSession == v:true
  const choices = copy(CHOICES)->filter((_, choice) => choice[1] != 'allowed-session' || leave)
  popup_menu(mapnew(choices, (_, choice) => choice[0]), extend(Above(len(choices)), {
    title: printf(' %s? ', question.Heading(one.ask)),
    callback: (_, index) => {
      const outcome = index > 0 ? choices[index - 1][1] : ''
      if outcome != ''
        Decide(one, outcome)
      elseif IsOpen(one)
        PutOff(one)
      endif
    },
  }))
enddef

# Where a menu of so many lines leaves the question in view: above its window, where there is room.
def Above(lines: number): dict<any>
  const top = win_findbuf(bufnr(NAME))->mapnew((_, window) => win_screenpos(window)[0])->max()
  return top > lines + BORDERS ? {pos: 'botright', line: top - 1, col: &columns} : {}
enddef

# Put a question into a window.
export def Show(one: dict<any>, enter: bool)
  current = one
  one.later = false
  popup_close(note)
  const lines = question.Lines(one.ask)
  const buffer = view.Fill(NAME, 'keepgate-question', lines)
  view.Show(buffer, min([len(lines) + 1, 20]), enter)
  win_execute(win_findbuf(buffer)[0], 'call keepgate#QuestionKeys()')
  if one.id != v:null
    sidecar.Notify(one.sidecar, 'approval/shown', {id: one.ask.id})
  endif
enddef

# Bring up the oldest question that was not left for later, unless one is on the screen. Not while a command
# line or an operator waits for keys, nor in Visual mode: it comes up when that is over.
export def ShowNext()
  if !empty(current) || mode(1) !~ '^\%(n\|i\|niI\)$' || getcmdwintype() != ''
    return
  endif
  const next = indexof(questions, (_, each) => !each.later)
  if next >= 0
    Show(questions[next], false)
  endif
enddef

# Show the question on the screen, else the oldest one, and ask for the decision. False where there is none.
export def Next(): bool
  if empty(questions)
    return false
  endif
  Show(!empty(current) ? current : questions[max([0, indexof(questions, (_, each) => !each.later)])], true)
  Choose()
  return true
enddef

# Take a wish of the inbox among the questions.
export def Take(from: dict<any>, ask: dict<any>)
  if empty(Find(ask.id))
    add(questions, {ask: ask, sidecar: from, id: v:null, later: true})
  endif
  Show(Find(ask.id), true)
  Choose()
enddef

# The window of the question was left.
export def Left()
  if !empty(current) && empty(win_findbuf(bufnr('^' .. NAME .. '$')))
    PutOff(current)
  endif
enddef

def Ends(one: dict<any>, from: dict<any>, method: string, message: dict<any>): bool
  if one.sidecar isnot from
    return false
  elseif method == 'ended'
    return true
  elseif method == '$/cancelRequest'
    return one.id != v:null && one.id == message.params.id
  elseif method == 'approval/decided'
    # Nobody decided a wish that is unavailable: it can still be allowed.
    return one.ask.id == message.params.id && message.params.outcome != 'unavailable'
  endif
  return method == 'proposals/didChange' && one.ask.id == message.params.id && message.params.status != 'pending'
enddef

export def Heard(from: dict<any>, method: string, message: dict<any>)
  if method == 'approval/request'
    add(questions, {ask: message.params, sidecar: from, id: message.id, later: false})
    ShowNext()
    if current isnot questions[-1]
      note = popup_notification(printf('keepgate: %s? :KeepgateNext', question.Heading(message.params)), {time: 5000})
    endif
    return
  endif
  const gone = copy(questions)->filter((_, each) => Ends(each, from, method, message))
  for one in gone
    TakeDown(one)
    ShowNext()
  endfor
  if !empty(gone) && method != 'ended'
    popup_close(note)
    note = popup_notification(GONE, {time: 5000})
  endif
enddef

sidecar.Listen(Heard)
