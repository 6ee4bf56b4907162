vim9script
# The sidecars of this Vim: one `keepgate serve` for each root, spoken to by one JSON message a line. Messages
# are framed by hand, because ch_sendexpr() cannot answer what a server asks.

const FAILURES_MAX = 3
const SESSION = {id: printf('vim-%d-%d', getpid(), localtime())}

var sidecars: dict<dict<any>> = {}
var failures: dict<number> = {}
var listeners: list<func> = []

# What this Vim is called as one that asks for changes.
export def Session(): dict<any>
  return SESSION
enddef

# Have a function called with (sidecar, method, message) for each notification and request of every sidecar, and
# with the methods "started" and "ended".
export def Listen(Listener: func)
  add(listeners, Listener)
enddef

export def Warn(message: string)
  echohl WarningMsg
  echomsg 'keepgate: ' .. message
  echohl None
enddef

# The nearest folder above the current file, else above the working directory, that has a marker; else this.
export def Root(): string
  const file = &buftype == '' ? expand('%:p:h') : ''
  for from in filter([file, getcwd()], (_, each) => each != '' && isdirectory(each))
    var here = fnamemodify(from, ':p')->substitute('/$', '', '')
    while here != ''
      if getftype(here .. '/.keepgate') != '' || getftype(here .. '/.git') != ''
        return here
      endif
      here = here->substitute('/[^/]*$', '', '')
    endwhile
  endfor
  return getcwd()
enddef

export def All(): list<dict<any>>
  return values(sidecars)
enddef

# The sidecar of a root, started where there is none; an empty dictionary where it cannot be.
export def Ensure(root: string): dict<any>
  if has_key(sidecars, root) || get(failures, root, 0) >= FAILURES_MAX
    return get(sidecars, root, {})
  endif
  const command: list<string> = get(g:, 'keepgate_cmd', ['keepgate', 'serve', '--stdio'])
  if !executable(command[0])
    failures[root] = FAILURES_MAX
    Warn(printf('there is no program "%s"', command[0]))
    return {}
  endif
  var sidecar: dict<any> = {root: root, next: 1, callbacks: {}, ready: false, waiting: [], pending: 0, health: 'ok'}
  sidecar.job = job_start(command + ['--framing=lines'], {
    in_mode: 'nl',
    out_mode: 'nl',
    err_io: 'null',
    cwd: root,
    out_cb: (_, line) => Received(sidecar, line),
    exit_cb: (_, code) => Ended(sidecar, code),
    stoponexit: 'term',
  })
  sidecars[root] = sidecar
  Introduce(sidecar)
  return sidecar
enddef

def Introduce(sidecar: dict<any>)
  const uri = 'file://' .. sidecar.root->substitute('[^A-Za-z0-9/._~-]', '\=PercentEncoded(submatch(0))', 'g')
  Send(sidecar, 'initialize', {
    processId: getpid(),
    clientInfo: {name: 'Vim', version: printf('%d.%d', v:version / 100, v:version % 100)},
    workspaceFolders: [{uri: uri, name: fnamemodify(sidecar.root, ':t')}],
    capabilities: {experimental: {keepgate: {approvalRequest: true}}},
  }, (_) => {
    Write(sidecar, {method: 'initialized', params: {}})
    sidecar.ready = true
    for Act in remove(sidecar, 'waiting')
      Act()
    endfor
    Tell(sidecar, 'started', {})
  })
enddef

def PercentEncoded(char: string): string
  return range(strlen(char))->mapnew((_, index) => printf('%%%02X', char2nr(char[index : index], false)))->join('')
enddef

def Write(sidecar: dict<any>, message: dict<any>)
  if job_status(sidecar.job) == 'run'
    ch_sendraw(sidecar.job, json_encode(extend({jsonrpc: '2.0'}, message)) .. "\n")
  endif
enddef

def Send(sidecar: dict<any>, method: string, params: dict<any>, Done: func)
  const id = sidecar.next
  sidecar.next += 1
  sidecar.callbacks[id] = {method: method, Done: Done}
  Write(sidecar, {id: id, method: method, params: params})
enddef

# Send a request once the sidecar is ready; Done gets the result. What goes wrong is told.
export def Request(sidecar: dict<any>, method: string, params: dict<any>, Done: func)
  if sidecar.ready
    Send(sidecar, method, params, Done)
  elseif has_key(sidecar, 'waiting')
    add(sidecar.waiting, () => Send(sidecar, method, params, Done))
  endif
enddef

export def Notify(sidecar: dict<any>, method: string, params: dict<any>)
  if sidecar.ready
    Write(sidecar, {method: method, params: params})
  endif
enddef

# Answer a request of the sidecar.
export def Answer(sidecar: dict<any>, id: any, result: any)
  Write(sidecar, {id: id, result: result})
enddef

def Received(sidecar: dict<any>, line: string)
  var message: dict<any>
  try
    message = json_decode(line)
  catch /^Vim\%((\a\+)\)\=:E/
    Warn('the sidecar sent a line that is no message')
    return
  endtry
  if !has_key(message, 'method')
    Answered(sidecar, message)
    return
  endif
  if message.method == 'keepgate/status'
    sidecar.pending = message.params.pendingApprovals
    sidecar.health = message.params.health
    redrawstatus!
  endif
  if has_key(message, 'id') && message.method != 'approval/request'
    Write(sidecar, {id: message.id, error: {code: -32601, message: 'Vim does not answer ' .. message.method}})
    return
  endif
  Tell(sidecar, message.method, message)
enddef

def Answered(sidecar: dict<any>, message: dict<any>)
  if !has_key(sidecar.callbacks, message.id)
    return
  endif
  const asked = remove(sidecar.callbacks, message.id)
  if !has_key(message, 'error')
    asked.Done(message.result)
    return
  endif
  const data = get(message.error, 'data', {})
  const details = type(data) == v:t_dict ? get(data, 'details', {}) : {}
  const outcome = type(details) == v:t_dict ? get(details, 'outcome', '') : ''
  Warn(printf('%s: %s', asked.method, outcome != '' ? outcome : message.error.message))
enddef

def Tell(sidecar: dict<any>, method: string, message: dict<any>)
  for Listener in listeners
    Listener(sidecar, method, message)
  endfor
enddef

def Ended(sidecar: dict<any>, code: number)
  Tell(sidecar, 'ended', {})
  if v:exiting != v:null || get(sidecars, sidecar.root, {}) isnot sidecar
    return
  endif
  remove(sidecars, sidecar.root)
  failures[sidecar.root] = get(failures, sidecar.root, 0) + 1
  if failures[sidecar.root] < FAILURES_MAX
    Ensure(sidecar.root)
  else
    Warn(printf('the sidecar of %s ended (code %d); :KeepgateRestart starts it anew', sidecar.root, code))
  endif
enddef

# End all sidecars; they leave in order.
export def Stop()
  const running = values(sidecars)
  sidecars = {}
  for sidecar in running
    Send(sidecar, 'shutdown', {}, (_) => Write(sidecar, {method: 'exit'}))
  endfor
enddef

export def Restart()
  const roots = keys(sidecars)
  Stop()
  failures = {}
  for root in roots
    Ensure(root)
  endfor
  Ensure(Root())
enddef
