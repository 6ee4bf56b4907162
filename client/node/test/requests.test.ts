/** Requests of the other side: answered, failed, withdrawn. */

import assert from "node:assert/strict";
import { test } from "node:test";

import type { RequestHandler } from "../dist/connection.js";
import { KeepgateError } from "../dist/errors.js";
import { Peer } from "./peer.js";
import { until } from "./support.js";

const HANDLERS: readonly (readonly [string, RequestHandler, object])[] = [
  ["a result", () => Promise.resolve({ a: 1 }), { result: { a: 1 } }],
  ["nothing", () => undefined, { result: null }],
  [
    "an error of its own",
    () => { throw new KeepgateError("ADAPTER_PAYLOAD", "bad", { number: -32060, details: { adapterId: "x" } }); },
    { error: { code: -32060, message: "bad", data: { code: "ADAPTER_PAYLOAD", details: { adapterId: "x" } } } },
  ],
  [
    "an exception, of which the other side learns the name alone",
    () => { throw new TypeError("the secret"); },
    { error: { code: -32603, message: "the client failed with TypeError" } },
  ],
  ["what is no JSON", () => 1n, { error: { code: -32603, message: "the client failed with TypeError" } }],
];

for (const [name, handler, expected] of HANDLERS) {
  test(`a request is answered: ${name}`, async () => {
    const peer = new Peer();
    peer.connection.handle("ask", handler);
    peer.say({ id: "q", method: "ask" });

    assert.deepEqual(await peer.hears(({ id }) => id === "q"), { jsonrpc: "2.0", id: "q", ...expected });
  });
}

for (const [name, fails] of [["a result", false], ["an error", true]] as const) {
  test(`${name} that is too long to be sent is answered with what is wrong with it`, async () => {
    const peer = new Peer();
    const long = "x".repeat(16 * 1024 * 1024);
    peer.connection.handle("ask", () => {
      if (fails) throw new KeepgateError("ADAPTER_PAYLOAD", long, { number: -32060 });
      return long;
    });
    peer.say({ id: 1, method: "ask" });

    const { error } = await peer.hears(({ id }) => id === 1);
    assert.match(error?.message ?? "", /at most 16777216 can be sent/);
  });
}

test("a request without a handler is unknown", async () => {
  const peer = new Peer();
  peer.say({ id: 1, method: "what" });

  assert.equal((await peer.hears(({ id }) => id === 1)).error?.code, -32601);
});

test("a request that is withdrawn is answered at once, and its handler is told", async () => {
  const peer = new Peer();
  let signal: AbortSignal | undefined;
  peer.connection.handle("ask", (_, given) => {
    signal = given;
    return new Promise(() => undefined);
  });
  peer.say({ id: 1, method: "ask" });
  peer.say({ method: "$/cancelRequest", params: { id: 1 } });

  assert.equal((await peer.hears(({ id }) => id === 1)).error?.code, -32800);
  assert.equal(signal?.aborted, true);
});

test("what is being answered is aborted when the connection ends", async () => {
  const peer = new Peer();
  const aborted = new Promise<void>((resolve) => {
    peer.connection.handle("ask", (_, signal) => {
      signal.addEventListener("abort", () => { resolve(); });
      return new Promise(() => undefined);
    });
  });
  peer.say({ id: 1, method: "ask" });
  await until(() => peer.output.readableLength === 0);
  setImmediate(() => { peer.connection.end("over"); });

  await aborted;
});
