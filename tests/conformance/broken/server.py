"""The small memory as an MCP server on lines: ``python server.py [DEFECT]``."""

import json
import sys

from model import KINDS, Memory, Refusal

OPTIONAL_TEXT = {"type": "string"}
NUMBER = {"type": "number"}
SCHEMAS = {
    "recall": ({}, {"query": str, "entity": str, "since": str, "session_id": str, "budget_tokens": float,
                    "limit": float}),
    "remember": ({"fact": str, "provenance": str},
                 {"ttl": str, "entity": str, "kind": KINDS, "visibility": ("world", "private"),
                  "supersedes": str, "dry_run": bool}),
    "entity": ({"name": str}, {}),
    "synthesize": ({"question": str}, {"since": str, "until": str}),
    "forget": ({"id": str}, {"reason": str, "dry_run": bool}),
    "context_pack": ({"entities": str}, {"budget_tokens": float, "since": str, "session_id": str,
                                         "include_private": bool}),
    "delta": ({}, {"since": str, "since_slug": str, "since_fact": str, "entities": str,
                   "budget_tokens": float, "session_id": str, "include_private": bool}),
    "put_page": ({"slug": str, "content": str}, {}),
}  # fmt: skip
NAMES = {str: "string", float: "number", bool: "boolean"}
WRITES = ("remember", "forget", "put_page")


class Server:
    """Reads requests, answers them; a method is one promise of the wire."""

    def __init__(self, memory=None):
        self.memory = memory or Memory()

    def serve(self):
        for raw in sys.stdin.buffer:
            try:
                message = json.loads(raw)
            except ValueError:
                continue
            if isinstance(message, dict) and "method" in message:
                self.handle(message)

    def handle(self, message):
        if "id" not in message:
            return
        method, params = message["method"], message.get("params") or {}
        if method == "initialize":
            self.answer(message, {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}},
                                  "serverInfo": {"name": "small", "version": "1"}})  # fmt: skip
        elif method == "ping":
            self.answer(message, {})
        elif method == "tools/list":
            self.answer(message, {"tools": [self.tool(name) for name in self.tools()]})
        elif method == "tools/call":
            self.answer(message, self.call(params["name"], params.get("arguments") or {}))
        else:
            self.write({"jsonrpc": "2.0", "id": message["id"],
                        "error": {"code": -32601, "message": "unknown method"}})  # fmt: skip

    def tools(self):
        return list(SCHEMAS)

    def tool(self, name):
        required, optional = SCHEMAS[name]
        properties = {
            one: {"type": NAMES[kind]} if kind in NAMES else {"type": "string", "enum": list(kind)}
            for one, kind in {**required, **optional}.items()
        }
        return {
            "name": name,
            "description": self.description(name),
            "inputSchema": {"type": "object", "properties": properties, "required": list(required)},
            "annotations": {"title": name, "readOnlyHint": name not in WRITES,
                            "idempotentHint": name in ("remember", "forget"),
                            "destructiveHint": name == "forget"},
        }  # fmt: skip

    def description(self, name):
        return "[EXPENSIVE / SLOW] Answer from pages." if name == "synthesize" else f"The verb {name}."

    def call(self, name, arguments):
        if name not in self.tools():
            return self.result({"error": "unknown_tool", "message": f"Unknown tool: {name}"}, failed=True)
        try:
            given, unknown = self.read(name, arguments)
            return self.result(getattr(self.memory, name)(**given), warnings=unknown)
        except Refusal as refusal:
            return self.result(self.envelope(refusal), failed=True)

    def envelope(self, refusal):
        return {
            "error": refusal.code,
            "message": refusal.message,
            "suggestion": refusal.suggestion,
            "protocol_version": 1,
        }

    def read(self, name, arguments):
        required, optional = SCHEMAS[name]
        given = {}
        for one, kind in {**required, **optional}.items():
            value = arguments.get(one)
            if one in optional and value in (None, ""):
                continue
            if not self.fits(value, kind):
                raise Refusal("invalid_params", f"{one} is missing or of the wrong type")
            given[one] = value
        known = {*required, *optional}
        return given, [one for one in arguments if one not in known]

    def fits(self, value, kind):
        if kind is float:
            return isinstance(value, int | float) and not isinstance(value, bool)
        return value in kind if isinstance(kind, tuple) else isinstance(value, kind)

    def result(self, body, *, failed=False, warnings=()):
        blocks = self.blocks(json.dumps(body))
        told = [{"code": "unknown_param", "param": one} for one in warnings]
        return {
            "content": [{"type": "text", "text": text} for text in blocks],
            **({"isError": True} if failed else {}),
            **({"_meta": {"warnings": told}} if told else {}),
        }

    def blocks(self, text):
        return [text]

    def answer(self, message, result):
        self.write({"jsonrpc": "2.0", "id": message["id"], "result": result})

    def write(self, message):
        sys.stdout.write(json.dumps(message) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    if len(sys.argv) > 1:
        from defects import DEFECTS

        DEFECTS[sys.argv[1]].start()
    else:
        Server().serve()
