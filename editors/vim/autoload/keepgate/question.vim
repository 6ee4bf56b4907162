vim9script
# A question as lines, each a pair of text and the kind of its highlighting: what is asked, warnings, who asks,
# the whole change, what it does to the budgets.

import autoload './text.vim'

const HEADINGS = {
  add: 'add a memory to {layer}',
  replace: 'change a memory of {layer}',
  remove: 'remove a memory from {layer}',
  consolidate: 'put one memory in the place of {targets} in {layer}',
  seed: 'add {count}',
  undo: 'take a change back',
  remember: 'remember a fact',
  supersede: 'remember a fact in the place of another',
  forget: 'forget a fact',
  'page-put': 'write a page',
  'page-remove': 'remove a page',
  trust: 'trust a folder of pages',
  quarantine: 'put a session''s memories into quarantine',
  release: 'bring a session''s memories back from quarantine',
  purge: 'purge a text for good',
}
const SIGNS = {'-': 'KeepgateGone', '+': 'KeepgateNew', ' ': ''}

def Memories(count: number): string
  return count == 1 ? '1 memory' : count .. ' memories'
enddef

# What is asked, on one line without a question mark.
export def Heading(ask: dict<any>): string
  const count: any = ask.count == v:null ? len(ask.entries) : ask.count
  const values = {
    layer: ask.track .. '/' .. ask.scope,
    targets: Memories(len(ask.targets)),
    count: Memories(count),
  }
  const form = text.OneLine(get(HEADINGS, ask.action, ask.action))
  return substitute(form, '{\(\l\+\)}', '\=values[submatch(1)]', 'g')
enddef

def Labelled(name: string, value: string): list<string>
  return [printf('  %-11s %s', name, text.OneLine(value)), '']
enddef

def Listed(tags: list<string>): string
  return empty(tags) ? 'none' : mapnew(tags, (_, tag) => tag ==# 'none' ? '"none"' : text.Named(tag))->join(', ')
enddef

def Readers(agent: string): string
  return agent == '' ? 'every agent' : printf('agent %s alone', text.Named(agent))
enddef

# Values that are not empty, each once, in order.
def Distinct(given: list<string>): list<string>
  var found: list<string> = []
  for value in given
    if value != '' && index(found, value) < 0
      add(found, value)
    endif
  endfor
  return found
enddef

def TagsOf(things: list<dict<any>>): list<string>
  return mapnew(things, (_, each) => each.tags)->flattennew()->Distinct()
enddef

def Tags(ask: dict<any>): list<list<string>>
  const before = TagsOf(ask.targets)
  const after = TagsOf(ask.entries)
  if ask.track == 'batch' || empty(before + after)
    return []
  endif
  if empty(ask.entries)
    return [Labelled('tags', Listed(before))]
  endif
  const changed = !empty(ask.targets) && before != after
  return [Labelled('tags', Listed(after) .. (changed ? printf(' (before: %s)', Listed(before)) : ''))]
enddef

# A client and its version, where it told one; both are its own words.
def Client(client: dict<any>): string
  const version = get(client, 'version', v:null) ?? ''
  return text.Named(client.client) .. (version == '' ? '' : ' ' .. text.Named(version))
enddef

def Who(ask: dict<any>): list<list<string>>
  const things: list<dict<any>> = ask.targets + ask.entries
  const homes = mapnew(things + ask.facts + ask.pages, (_, each) => each.workspaceKey)
  var lines = Distinct([ask.workspaceKey] + homes)->mapnew((_, key) => Labelled('workspace', key))
  const agents = mapnew(things, (_, each) => each.agentKey)
  if !empty(things) && !empty(Distinct(agents + [ask.agentKey]))
    const readers = mapnew(agents, (_, agent) => Readers(agent))->Distinct()
    add(lines, Labelled('seen by', join(readers, '; ')))
  endif
  lines += Tags(ask)
  const client: dict<any> = type(ask.client) == v:t_dict ? ask.client : {}
  const asking = empty(client) ? 'this editor' : Client(client)
  const session = ask.sessionId == v:null ? '' : ', session ' .. text.Named(ask.sessionId)
  add(lines, Labelled('asked by', asking .. session))
  if ask.agentKey != ''
    add(lines, Labelled('agent', ask.agentKey))
  endif
  if ask.source != v:null
    add(lines, Labelled('source', ask.source))
  endif
  return lines
enddef

def Block(sign: string, body: string): list<list<string>>
  return text.Lines(body)->mapnew((_, line) => [sign .. ' ' .. line, SIGNS[sign]])
enddef

# Compared as shown, so that texts that differ in a hidden character alone differ on the screen, too.
def Difference(before: string, after: string): list<list<string>>
  return text.Difference(text.Lines(before), text.Lines(after))
    ->mapnew((_, pair) => [pair[0] .. ' ' .. pair[1], SIGNS[pair[0]]])
enddef

def Page(page: dict<any>): list<list<string>>
  if page.path == ''
    return [Labelled('folder', page.root)]
  endif
  const lines = [Labelled('page', page.slug), Labelled('file', page.root .. '/' .. page.path)]
  if page.before == v:null
    return lines + Block('+', page.content)
  elseif page.content == v:null
    return lines + Block('-', page.before)
  endif
  return lines + Difference(page.before, page.content)
enddef

def Thing(thing: dict<any>, sign: string, batch: bool): list<list<string>>
  const home = thing.workspaceKey == '' ? '' : ' of ' .. text.Named(thing.workspaceKey)
  const tags = empty(thing.tags) ? '' : ', tags ' .. Listed(thing.tags)
  const place = printf('%s/%s%s, %s%s:', thing.track, thing.scope, home, Readers(thing.agentKey), tags)
  return (batch ? [[text.OneLine(place), '']] : []) + Block(sign, thing.text)
enddef

# The change: - before what goes, + before what comes, two blanks before what stays.
def Change(ask: dict<any>): list<list<string>>
  if ask.from != v:null && ask.to != v:null
    return Difference(ask.from, ask.to)
  endif
  const batch = ask.track == 'batch'
  var lines: list<list<string>> = []
  for target in ask.targets
    lines += Thing(target, '-', batch)
  endfor
  for entry in ask.entries
    lines += Thing(entry, '+', batch)
  endfor
  for page in ask.pages
    lines += Page(page)
  endfor
  # The text has every field of every fact on a line of its own, what becomes of it first.
  return empty(lines) || !empty(ask.facts) ? lines + Block(' ', ask.text) : lines
enddef

export def Lines(ask: dict<any>): list<list<string>>
  var lines = [[printf('keepgate asks: %s?', Heading(ask)), 'KeepgateTitle']]
  lines += [['<CR> decides, q leaves it for later', 'KeepgateDim']]
  lines += mapnew(ask.warnings, (_, each) => ['! ' .. text.OneLine(each.message), 'KeepgateWarning'])
  lines += [['', '']] + Who(ask) + [['', '']] + Change(ask) + [['', '']]
  for row in ask.usage
    const fill = printf('%s/%s will hold %d of %d units', row.track, row.scope, row.used, row.limit)
    add(lines, [fill, row.used > row.limit ? 'KeepgateWarning' : ''])
  endfor
  if !empty(ask.queue)
    add(lines, [printf('Behind it, of the same session: %d', len(ask.queue)), ''])
    lines += mapnew(ask.queue, (_, each) => [printf('  %s: %s', text.OneLine(each.action), text.OneLine(each.text)), ''])
  endif
  return lines
enddef
