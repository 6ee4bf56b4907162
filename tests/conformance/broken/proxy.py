"""Providers of dsh-memory-protocol that break one promise each: our sidecar, with its messages changed.

``python proxy.py [DEFECT]`` stands between a client and ``keepgate serve``. What a provider does wrong inside
cannot be made this way; what its clients see of that can.
"""

import json
import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

CASES = {
    "allows-anyway": [
        "approval/rejected", "approval/every-write-is-asked", "approval/other-hash",
    ],
    "hides-the-text": [
        "approval/shows-the-text", "approval/shows-from-and-to", "approval/shows-every-target",
    ],
    "counts-characters": ["budgets/units"],
    "no-budget-numbers": ["budgets/exceeded"],
    "wrong-numbers": ["faults/numbers"],
    "no-suggestions": ["faults/suggestion"],
    "new-id-on-replace": ["replace/rewrites"],
    "keeps-the-version": ["replace/rewrites"],
    "no-candidates": ["replace/ambiguous"],
    "first-of-many": ["replace/ambiguous"],
    "loses-tags": ["add/tags", "replace/rewrites"],
    "trims-texts": ["add/verbatim"],
    "numbered-ids": [
        "add/inserted", "add/same-text-twice", "replace/rewrites", "consolidate/many-to-one", "audit/allowed",
    ],
    "oldest-audit-first": ["audit/newest-first"],
    "silent-recalls": ["audit/recalled"],
    "anonymous-rows": ["audit/allowed"],
    "unordered-budgets": ["budgets/order"],
    "leaks-agents": ["agents/private"],
    "thawing-snapshots": ["snapshot/frozen"],
    "never-truncated": ["query/limit"],
}  # fmt: skip
"""Each defect, and the cases that must fail for it, and no others."""


def read(stream):
    """The next message of a stream, or ``None`` at its end."""
    length = None
    while (line := stream.readline()) not in (b"\r\n", b""):
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            length = int(value)
    return None if length is None else json.loads(stream.read(length))


def write(stream, message):
    body = json.dumps(message).encode()
    stream.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
    stream.flush()


class Proxy:
    """Carries messages both ways; ``defect`` changes them."""

    def __init__(self, defect, home):
        self.defect, self.methods, self.asked = defect, {}, {}
        environ = {**os.environ, "KEEPGATE_HOME": home}
        self.child = subprocess.Popen([sys.executable, "-m", "keepgate", "serve"], stdin=subprocess.PIPE,
                                      stdout=subprocess.PIPE, env=environ)  # fmt: skip

    def to_child(self):
        while (message := read(sys.stdin.buffer)) is not None:
            write(self.child.stdin, self.requested(message))
        self.child.stdin.close()

    def to_client(self):
        while (message := read(self.child.stdout)) is not None:
            write(sys.stdout.buffer, self.answered(message))

    def requested(self, message):
        if "method" in message:
            params = message.get("params") or {}
            self.methods[message.get("id")] = (message["method"], params)
            if self.defect == "counts-characters" and message["method"] == "memory/add":
                params["text"] = params.get("text", "").replace("👍é", "xé")
            if self.defect == "leaks-agents" and message["method"] == "memory/query":
                preset = (params.get("session") or {}).get("agentPreset")
                params["session"] = None if preset == "writer" else params.get("session")
            if self.defect == "trims-texts" and message["method"] == "memory/add":
                params["text"] = params.get("text", "").strip() or params.get("text", "")
        elif self.defect == "allows-anyway" and message.get("id") in self.asked:
            message["result"] = {"outcome": "allowed-once", "hash": self.asked[message["id"]]}
        return message

    def answered(self, message):
        if message.get("method") == "approval/request":
            self.asked[message["id"]] = message["params"]["hash"]
            if self.defect == "hides-the-text":
                message["params"]["text"] = message["params"]["from"] = "a change"
        elif "method" not in message:
            method, params = self.methods.get(message.get("id"), ("", {}))
            if "error" in message:
                self.change_error(message["error"])
            elif isinstance(message.get("result"), dict):
                message["result"] = self.change(method, params, message["result"])
        return message

    def change_error(self, error):
        data = error.get("data") or {}
        if self.defect == "no-budget-numbers" and data.get("code") == "BUDGET_EXCEEDED":
            data["details"] = {}
        if self.defect == "wrong-numbers":
            error["code"] = -32000
        if self.defect == "no-suggestions":
            data.pop("suggestion", None)
        if self.defect == "no-candidates" and data.get("code") == "AMBIGUOUS_MATCH":
            data["details"] = {}
        if self.defect == "first-of-many" and data.get("code") == "AMBIGUOUS_MATCH":
            data["code"] = "ENTRY_NOT_FOUND"

    def change(self, method, params, result):
        change = CHANGES.get((self.defect, method))
        if change is not None:
            change(result)
        if self.defect == "numbered-ids" and method != "memory/seed":
            for entry in entries_of(result):
                entry["id"] = 7
        return result


def entries_of(result):
    single = [result[key] for key in ("entry", "previous") if key in result]
    many = [result[key] for key in ("entries", "removed") if isinstance(result.get(key), list)]
    return single + [entry for some in many for entry in some]


def swap_budgets(result):
    rows = result["budgets"]
    rows[0], rows[3] = rows[3], rows[0]


def thaw(result):
    result["text"] += f"\n{os.urandom(4).hex()}"


def hide_recalls(result):
    result["rows"] = [row for row in result["rows"] if row["action"] != "recalled"]


def hide_sessions(result):
    for row in result["rows"]:
        row["sessionId"] = None


CHANGES = {
    ("new-id-on-replace", "memory/replace"): lambda result: result["entry"].update(id="0" * 8),
    ("keeps-the-version", "memory/replace"): lambda result: result["entry"].update(version=1),
    ("loses-tags", "memory/add"): lambda result: result["entry"].update(tags=[]),
    ("loses-tags", "memory/replace"): lambda result: result["entry"].update(tags=[]),
    ("oldest-audit-first", "memory/audit"): lambda result: result["rows"].reverse(),
    ("silent-recalls", "memory/audit"): hide_recalls,
    ("anonymous-rows", "memory/audit"): hide_sessions,
    ("unordered-budgets", "memory/budgets"): swap_budgets,
    ("thawing-snapshots", "memory/snapshot"): thaw,
    ("never-truncated", "memory/query"): lambda result: result.update(truncated=False),
}
"""What a defect does to the result of a method."""


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "config.toml").write_text("approvalTimeoutSeconds = 5\n")
        proxy = Proxy(sys.argv[1] if len(sys.argv) > 1 else "", folder)
        threading.Thread(target=proxy.to_child, daemon=True).start()
        proxy.to_client()
        proxy.child.wait()
