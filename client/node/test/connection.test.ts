/** A connection against a peer that says what it is told to. */

import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { test } from "node:test";

import { Connection } from "../dist/connection.js";
import { Disconnected, KeepgateError } from "../dist/errors.js";
import { Peer } from "./peer.js";
import { until } from "./support.js";

for (const framing of ["lsp", "lines"] as const) {
  test(`${framing}: answers find their requests in any order`, async () => {
    const peer = new Peer(framing);
    const both = Promise.all([peer.connection.request("a", { x: 1 }), peer.connection.request("b", null)]);
    await peer.hears(({ method }) => method === "b");
    peer.say({ id: 2, result: "second" });
    peer.say({ id: 1, result: "first" });

    assert.deepEqual(await both, ["first", "second"]);
    assert.deepEqual(peer.heard[0], { jsonrpc: "2.0", id: 1, method: "a", params: { x: 1 } });
  });
}

test("an answer may come while its request is still being written", async () => {
  const peer = new Peer();
  peer.input.once("data", () => { peer.say({ id: 1, result: "at once" }); });

  assert.equal(await peer.connection.request("a", {}), "at once");
});

test("an error has code, details, suggestion, number and data", async () => {
  const peer = new Peer();
  const details = { track: "user", scope: "workspace", used: 1, limit: 2, needed: 3 };
  const data = { code: "BUDGET_EXCEEDED", details, suggestion: "Consolidate." };
  const asked = peer.connection.request("a", {});
  peer.say({ id: 1, error: { code: -32052, message: "full", data } });

  await assert.rejects(asked, (error) => {
    assert.ok(error instanceof KeepgateError);
    const { code, message, number, suggestion } = error;
    assert.deepEqual([code, message, number, suggestion], ["BUDGET_EXCEEDED", "full", -32052, "Consolidate."]);
    assert.deepEqual([error.details, error.data], [details, data]);
    return true;
  });
});

const ERRORS: readonly (readonly [unknown, string, object])[] = [
  [{ code: -32601, message: "m" }, "METHOD_NOT_FOUND", {}],
  [
    { code: -32602, message: "m", data: { code: "INVALID_INPUT", problems: [{ path: "$", problem: "p" }] } },
    "INVALID_INPUT",
    { problems: [{ path: "$", problem: "p" }] },
  ],
  [{ code: -32064, message: "m", data: { code: "not_found", error: "not_found", detail: "d" } }, "not_found", { detail: "d" }],
  [{ code: -1, message: "m", data: { code: "constructor" } }, "UNKNOWN", {}],
  ["what", "INTERNAL_ERROR", {}],
];

for (const [error, code, details] of ERRORS) {
  test(`${JSON.stringify(error)} is ${code}`, async () => {
    const peer = new Peer();
    const asked = peer.connection.request("a", {});
    peer.say({ id: 1, error });

    await assert.rejects(asked, { name: "KeepgateError", code, details });
  });
}

test("an abort is told and rejects with the signal's reason once the other side agrees", async () => {
  const peer = new Peer();
  const controller = new AbortController();
  const asked = peer.connection.request("a", {}, { signal: controller.signal });
  controller.abort(new Error("enough"));
  const cancel = await peer.hears(({ method }) => method === "$/cancelRequest");
  assert.deepEqual(cancel.params, { id: 1 });
  peer.say({ id: 1, error: { code: -32800, message: "cancelled" } });

  await assert.rejects(asked, { message: "enough" });
});

test("an abort that comes too late lets the result through", async () => {
  const peer = new Peer();
  const controller = new AbortController();
  const asked = peer.connection.request("a", {}, { signal: controller.signal });
  controller.abort();
  peer.say({ id: 1, result: "stored" });

  assert.equal(await asked, "stored");
});

test("an abort that nobody answers rejects all the same", async () => {
  const peer = new Peer();
  const controller = new AbortController();
  const asked = peer.connection.request("a", {}, { signal: controller.signal });
  controller.abort();

  await assert.rejects(asked, { name: "AbortError" });
});

test("a signal that is aborted already sends nothing", async () => {
  const peer = new Peer();

  await assert.rejects(peer.connection.request("a", {}, { signal: AbortSignal.abort() }), { name: "AbortError" });
  await peer.connection.notify("b", {});
  await peer.hears(({ method }) => method === "b");
  assert.equal(peer.heard.length, 1);
});

test("a request above 16 MiB is refused here, and the next one goes through", async () => {
  const peer = new Peer();
  const large = peer.connection.request("a", { text: "x".repeat(16 * 1024 * 1024) });

  await assert.rejects(large, { code: "INVALID_INPUT", number: -32050 });
  const next = peer.connection.request("b", {});
  peer.say({ id: 2, result: 1 });
  assert.equal(await next, 1);
});

const UNREADABLE: readonly (readonly [string, string])[] = [
  ["no JSON-RPC", "1\n"],
  ["a batch", "[]\n"],
  ["another version", '{"jsonrpc":"1.0","id":1,"result":1}\n'],
  ["an id that is none", '{"jsonrpc":"2.0","id":{},"result":1}\n'],
  ["neither result nor error", '{"jsonrpc":"2.0","id":1}\n'],
  ["a method that is no word", '{"jsonrpc":"2.0","id":1,"method":7}\n'],
  ["a stray print", "Loading model...\n"],
];

for (const [name, line] of UNREADABLE) {
  test(`${name} ends the connection, with an error for all that wait`, async () => {
    const peer = new Peer("lines");
    const asked = peer.connection.request("a", {});
    peer.output.write(line);

    await assert.rejects(asked, (error) => error instanceof Disconnected && error.message.includes("not a message"));
    await assert.rejects(peer.connection.request("b", {}), { code: "DISCONNECTED" });
    await assert.rejects(peer.connection.notify("b", {}), { code: "DISCONNECTED" });
    assert.ok((await peer.connection.ended).reason.includes("not a message"));
  });
}

test("data may have members that look like a message's", async () => {
  const peer = new Peer();
  const result = { jsonrpc: "1.0", id: {}, method: 7, entries: [{ jsonrpc: "2.0", error: 1 }] };
  const asked = peer.connection.request("a", {});
  peer.say({ id: 1, result });

  assert.deepEqual(await asked, result);
});

test("an error without an id is everybody's", async () => {
  const peer = new Peer();
  const all = Promise.allSettled([peer.connection.request("a", {}), peer.connection.request("b", {})]);
  peer.say({ id: null, error: { code: -32700, message: "parse error" } });

  assert.deepEqual((await all).map(({ status }) => status), ["rejected", "rejected"]);
});

test("answers that nobody waits for are let pass", async () => {
  const peer = new Peer();
  peer.say({ id: 7, result: 1 });
  peer.say({ method: "told", params: 1 });

  await until(() => peer.told.length === 1);
  assert.deepEqual(peer.told, [["told", 1]]);
});

test("a notification waits while the other side does not read", async () => {
  const output = new PassThrough();
  const input = new PassThrough({ highWaterMark: 1024 });
  const connection = new Connection({ readable: output, writable: input }, "lsp", () => undefined);
  let told = false;
  const telling = connection.notify("a", { text: "x".repeat(10_000) }).then(() => { told = true; });
  await new Promise(setImmediate);
  assert.equal(told, false);
  input.resume();

  await telling;
});
