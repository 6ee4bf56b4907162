"""A small JSON-RPC server with bad manners on demand, run as a process of its own.

It shares no code with the project, so that a mistake there cannot cancel itself out here. Its first
argument is the framing; ``--stubborn`` makes it outlive ``exit``, the end of input and SIGTERM;
``--mute`` lets it answer nothing. The name of each function below is the method it answers.
"""

import json
import os
import signal
import subprocess
import sys
import time

LINES = sys.argv[1] == "lines"
STUBBORN = "--stubborn" in sys.argv
MUTE = "--mute" in sys.argv
OUT = os.fdopen(os.dup(1), "wb")
IN = sys.stdin.buffer
FOR_EVER_S = 600

received = []
held = {}
asked = {}
canned = {}
answers = {}


def read():
    """The next message, or None at the end of input."""
    if LINES:
        line = IN.readline()
        return json.loads(line) if line else None
    length = None
    while line := IN.readline():
        if not line.strip():
            return json.loads(IN.read(length))
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            length = int(value)
    return None


def framed(message):
    """The bytes of a message in the framing of this process."""
    body = json.dumps(message, ensure_ascii=False).encode()
    return body + b"\n" if LINES else b"Content-Length: %d\r\n\r\n" % len(body) + body


def write(data):
    """Write at once."""
    OUT.write(data)
    OUT.flush()


def send(**members):
    """Send one JSON-RPC message."""
    write(framed({"jsonrpc": "2.0", **members}))


def answers_to(method):
    """Let the decorated function answer ``method``; it receives the id and the params."""

    def register(function):
        answers[method] = function
        return function

    return register


@answers_to("echo")
def echo(number, params):
    """Answer with the params."""
    send(id=number, result=params)


@answers_to("seen")
def seen(number, params):
    """Answer with every message received so far."""
    send(id=number, result=received)


@answers_to("hold")
def hold(number, params):
    """Answer at ``release``, or -32800 when cancelled (unless ``ignoreCancel``)."""
    held[number] = params.get("ignoreCancel", False)


@answers_to("release")
def release(number, params):
    """Answer everything that is held."""
    for each in tuple(held):
        held.pop(each)
        send(id=each, result="released")
    send(id=number, result=None)


@answers_to("ask")
def ask(number, params):
    """Send a request of the server's own; its answer, without ``jsonrpc``, is the result."""
    key = params.get("id", f"ask-{number}")
    asked[key] = number
    send(id=key, method=params["method"], params=params.get("params"))
    if params.get("withdraw"):
        send(method="$/cancelRequest", params={"id": key})


@answers_to("tell")
def tell(number, params):
    """Send notifications, then answer."""
    for name, content in params["notifications"]:
        send(method=name, params=content)
    send(id=number, result="told")


@answers_to("fail")
def fail(number, params):
    """Answer with this error."""
    send(id=number, error=params["error"])


@answers_to("can")
def can(number, params):
    """Answer ``method`` with ``answer`` from now on."""
    canned[params["method"]] = params["answer"]
    send(id=number, result=None)


@answers_to("environment")
def environment(number, params):
    """Answer with the environment."""
    send(id=number, result=dict(os.environ))


@answers_to("noise")
def noise(number, params):
    """Print on stderr, then answer."""
    words(params["line"] * params["times"])
    send(id=number, result=None)


@answers_to("split")
def split(number, params):
    """Answer with the params, byte by byte."""
    for byte in framed({"jsonrpc": "2.0", "id": number, "result": params}):
        write(bytes([byte]))


@answers_to("twice")
def twice(number, params):
    """Answer twice."""
    send(id=number, result="first")
    send(id=number, result="second")


@answers_to("as-text")
def as_text(number, params):
    """Answer the id as a string first."""
    send(id=str(number), result="for somebody else")
    send(id=number, result="for you")


@answers_to("no-id")
def no_id(number, params):
    """Complain about a message whose id could not be read."""
    send(id=None, error={"code": -32700, "message": "not JSON"})


@answers_to("write")
def write_raw(number, params):
    """Write these bytes and answer nothing."""
    write(bytes.fromhex(params["hex"]))


@answers_to("die")
def die(number, params):
    """Print last words and exit without an answer."""
    words(params.get("words", ""))
    os._exit(params["code"])


@answers_to("die-by-signal")
def die_by_signal(number, params):
    """Be killed."""
    os.kill(os.getpid(), signal.SIGKILL)


@answers_to("leave-a-child-behind")
def leave_a_child_behind(number, params):
    """Exit while a child, which inherited stderr and a copy of stdout, lives on."""
    child = subprocess.Popen([sys.executable, "-c", f"import time; time.sleep({FOR_EVER_S})"])
    send(id=number, result=child.pid)
    os._exit(0)


@answers_to("close-stdout")
def close_stdout(number, params):
    """Close the only way to answer."""
    OUT.close()
    os.close(1)


@answers_to("close-stdin")
def close_stdin(number, params):
    """Close the only way to be asked, and live on."""
    os.close(0)
    time.sleep(FOR_EVER_S)


@answers_to("stop-reading")
def stop_reading(number, params):
    """Read nothing any more."""
    time.sleep(FOR_EVER_S)


@answers_to("shutdown")
def shutdown(number, params):
    """Answer null."""
    send(id=number, result=None)


@answers_to("session/open")
def session_open(number, params):
    """Answer as the sidecar would."""
    send(id=number, result={"workspaceKey": "/k", "rule": "cwd", "agentKey": params["agentPreset"]})


@answers_to("initialize")
def initialize(number, params):
    """Answer as the sidecar would, with a field that the client does not know yet."""
    keepgate = {
        "protocolVersion": 1,
        "contracts": {"dsh-memory-protocol": 1},
        "methods": ["memory/add"],
        "framing": sys.argv[1],
        "approval": "message",
        "storePath": "/store.db",
        "workspaces": [{"uri": "file:///k", "key": "/k", "rule": "folder"}],
        "someLaterField": True,
    }
    capabilities = {"experimental": {"keepgate": keepgate}}
    send(id=number, result={"serverInfo": {"name": "scripted", "version": "1"}, "capabilities": capabilities})


def words(text):
    """Print on stderr."""
    sys.stderr.write(text)
    sys.stderr.flush()


def answer(number, method, params):
    """Answer one request."""
    if method in canned:
        send(id=number, **canned[method])
    elif method in answers:
        answers[method](number, params)
    else:
        send(id=number, error={"code": -32601, "message": f"unknown method {method}"})


def take(message):
    """Act on one message."""
    received.append(message)
    method, number, params = message.get("method"), message.get("id"), message.get("params") or {}
    if method is None:
        if number in asked:
            content = {name: value for name, value in message.items() if name != "jsonrpc"}
            send(id=asked.pop(number), result=content)
    elif method == "exit" and not STUBBORN:
        sys.exit(0 if any(each.get("method") == "shutdown" for each in received) else 1)
    elif method == "$/cancelRequest" and held.get(params["id"]) is False:
        held.pop(params["id"])
        send(id=params["id"], error={"code": -32800, "message": "cancelled"})
    elif number is not None and not MUTE:
        answer(number, method, params)


def main():
    """Serve until ``exit`` or the end of input."""
    if STUBBORN:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    while (message := read()) is not None:
        take(message)
    while STUBBORN:
        time.sleep(FOR_EVER_S)
    sys.exit(1)


main()
