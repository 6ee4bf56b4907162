vim9script
# What waits and what is remembered, as buffers.

import autoload './approval.vim'
import autoload './sidecar.vim'
import autoload './text.vim'
import autoload './view.vim'

export const LAYERS = [
  ['user', 'user-global', 'About you, everywhere'],
  ['user', 'workspace', 'About you, in this workspace'],
  ['agent', 'user-global', 'Agent notes, everywhere'],
  ['agent', 'workspace', 'Agent notes, in this workspace'],
]

# What the lines of each buffer stand for, by buffer and line.
var items: dict<dict<dict<any>>> = {}
# How often something changed. What changes while a buffer's lines are read may be in them or not: they are read again.
var changes = 0

def Put(name: string, filetype: string, root: string, lines: list<list<string>>, held: dict<dict<any>>, enter: bool)
  const buffer = view.Fill(name, filetype, lines)
  items[buffer] = held
  setbufvar(buffer, 'keepgate_root', root)
  if enter
    view.Show(buffer, max([10, &lines / 2]), true)
    keepgate#SetKeys()
  endif
enddef

# What the line under the cursor stands for; an empty dictionary for others.
def Item(): dict<any>
  return get(get(items, bufnr(), {}), line('.'), {})
enddef

# The oldest wishes first; <CR> shows one and asks.
export def Inbox(from: dict<any>, enter: bool)
  const began = changes
  const params = {status: 'pending', session: v:null}
  sidecar.Request(from, 'proposals/list', params, (result) => {
    const count = len(result.proposals)
    const title = count == 0 ? 'Nothing waits for you' : count .. ' waiting'
    const keys = (count == 0 ? '' : '<CR> shows one and asks, ') .. 'R reads again, q closes'
    var lines = [[title .. ' in ' .. text.OneLine(from.root), 'KeepgateTitle'], [keys, 'KeepgateDim']]
    var held: dict<dict<any>> = {}
    for proposal in result.proposals
      const what = printf('%s %s/%s', proposal.kind, proposal.track, proposal.scope)
      add(lines, [printf('  %-28s %s', text.OneLine(what), text.OneLine(proposal.text)), ''])
      held[len(lines)] = {id: proposal.id}
    endfor
    Put('keepgate://inbox', 'keepgate-inbox', from.root, lines, held, enter)
    if changes != began
      Inbox(from, false)
    endif
  })
enddef

# Show a wish of the inbox whole, and ask.
export def Open(from: dict<any>, id: string)
  const known = approval.Find(id)
  if !empty(known)
    approval.Show(known, true)
    approval.Choose()
    return
  endif
  sidecar.Request(from, 'proposals/get', {id: id, session: v:null}, (found) => {
    if found.ask == v:null
      sidecar.Warn('this wish cannot be decided: ' .. found.proposal.status)
    else
      approval.Take(from, found.ask)
    endif
  })
enddef

export def OpenLine(from: dict<any>)
  const item = Item()
  if !empty(item)
    Open(from, item.id)
  endif
enddef

# The oldest wish of the inbox.
export def Oldest(from: dict<any>)
  sidecar.Request(from, 'proposals/list', {status: 'pending', session: v:null}, (result) => {
    if empty(result.proposals)
      echomsg 'keepgate: nothing waits for you'
    else
      Open(from, result.proposals[0].id)
    endif
  })
enddef

def EntryLine(entry: dict<any>): string
  const tags = empty(entry.tags) ? '' : printf('  [%s]', mapnew(entry.tags, (_, tag) => text.Named(tag))->join(', '))
  const agent = entry.agentKey == '' ? '' : printf('  (agent %s)', text.Named(entry.agentKey))
  return '  ' .. text.OneLine(entry.text .. tags .. agent)
enddef

def FactLine(fact: dict<any>): string
  const about = fact.entity_slug == v:null ? '' : fact.entity_slug .. ': '
  const private = fact.visibility == 'private' ? '  (private)' : ''
  return '  ' .. text.OneLine(about .. fact.fact .. private)
enddef

def Listed(root: string, entries: list<dict<any>>, budgets: list<dict<any>>, facts: list<dict<any>>, enter: bool)
  const keys = '<CR> shows one whole, d forgets it after a question, R reads again, q closes'
  var lines = [['keepgate remembers in ' .. text.OneLine(root), 'KeepgateTitle'], [keys, 'KeepgateDim']]
  var held: dict<dict<any>> = {}
  for index in range(len(LAYERS))
    const [track, scope, title] = LAYERS[index]
    const row = budgets[index]
    const fill = printf('%s  %s  %d/%d', title, text.Bar(row.used, row.limit), row.used, row.limit)
    lines += [['', ''], [fill, 'KeepgateLayer']]
    for entry in copy(entries)->filter((_, each) => each.track == track && each.scope == scope)
      add(lines, [EntryLine(entry), ''])
      held[len(lines)] = {entry: entry}
    endfor
  endfor
  lines += empty(facts) ? [] : [['', ''], ['Facts, the newest first', 'KeepgateLayer']]
  for fact in facts
    add(lines, [FactLine(fact), ''])
    held[len(lines)] = {fact: fact}
  endfor
  Put('keepgate://list', 'keepgate-list', root, lines, held, enter)
enddef

# Memories by layer, with how full each is, and facts.
export def List(from: dict<any>, enter: bool)
  const began = changes
  sidecar.Request(from, 'memory/list', {limit: 1000, session: v:null}, (listed) => {
    sidecar.Request(from, 'memory/budgets', {session: v:null}, (filled) => {
      sidecar.Request(from, 'verbs/recall', {limit: 100}, (recalled) => {
        Listed(from.root, listed.entries, filled.budgets, recalled.facts, enter)
        if changes != began
          List(from, false)
        endif
      })
    })
  })
enddef

# Propose that the memory or fact under the cursor goes.
export def ForgetLine(from: dict<any>)
  const item = Item()
  if has_key(item, 'fact')
    sidecar.Request(from, 'verbs/forget', {id: item.fact.fact_id, session: sidecar.Session()}, (_) => List(from, false))
  elseif has_key(item, 'entry')
    const entry = item.entry
    var session = copy(sidecar.Session())
    if entry.agentKey != ''
      session.agentPreset = entry.agentKey
    endif
    const params = {track: entry.track, scope: entry.scope, id: entry.id, version: entry.version, session: session}
    sidecar.Request(from, 'memory/remove', params, (_) => List(from, false))
  endif
enddef

# Show the memory or fact under the cursor whole, in every state that it had.
export def ShowLine(from: dict<any>)
  const item = Item()
  if empty(item)
    return
  endif
  const id = has_key(item, 'fact') ? item.fact.fact_id : item.entry.id
  sidecar.Request(from, 'memory/history', {id: id, session: v:null}, (result) => {
    var lines = [['History', 'KeepgateTitle'], ['q closes', 'KeepgateDim']]
    for each in result.versions
      const when = strftime('%Y-%m-%d %H:%M:%S', each.ts / 1000)
      const head = printf('%s  version %d, %s: %s', when, each.version, each.action, each.outcome)
      add(lines, [text.OneLine(head), 'KeepgateLayer'])
      const body = each.text == v:null ? '(purged)' : each.text
      lines += text.Lines(body)->mapnew((_, line) => ['  ' .. line, ''])
    endfor
    Put('keepgate://told', 'keepgate-told', from.root, lines, {}, true)
  })
enddef

# Propose a new memory.
export def Add(from: dict<any>, layer: string, body: string)
  const [track, scope] = split(layer, '/')
  const params = {track: track, scope: scope, text: body, source: 'vim', session: sidecar.Session()}
  sidecar.Request(from, 'memory/add', params, (_) => {
    echomsg 'keepgate: stored in ' .. layer
  })
enddef

# Read again what is on the screen.
def Heard(from: dict<any>, method: string, _: dict<any>)
  const wish = method == 'proposals/didChange'
  if !wish && method !~ '^\%(memory/\%(added\|updated\|removed\)\|facts/didChange\)$'
    return
  endif
  changes += 1
  if wish && OnScreen('keepgate://inbox', from)
    Inbox(from, false)
  elseif !wish && OnScreen('keepgate://list', from)
    List(from, false)
  endif
enddef

def OnScreen(name: string, from: dict<any>): bool
  const buffer = bufnr('^' .. name .. '$')
  return !empty(win_findbuf(buffer)) && getbufvar(buffer, 'keepgate_root') == from.root
enddef

sidecar.Listen(Heard)
