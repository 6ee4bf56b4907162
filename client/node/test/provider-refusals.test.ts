/** Sections 3 and 7 of the contract: what is refused, and what a gate that says no, or nothing, leaves. */

import assert from "node:assert/strict";
import { test } from "node:test";

import type { Gate, Write } from "keepgate-client/provider";
import { Stand, writeOf } from "./stand.js";

const DRAFT = { track: "user", scope: "workspace", text: "one" } as const;
const WRITE = writeOf();

test("bad input is INVALID_INPUT before anybody is asked", async (t) => {
  const stand = new Stand(t);
  const provider = stand.open();
  const bad: readonly object[] = [
    { ...DRAFT, track: "me" },
    { ...DRAFT, scope: "here" },
    { ...DRAFT, text: "" },
    { ...DRAFT, text: 5 },
    { ...DRAFT, text: "a\u0000b" },
    { ...DRAFT, text: "a\ud83d" },
    { ...DRAFT, tags: ["x".repeat(33)] },
    { ...DRAFT, tags: Array.from({ length: 17 }, (_, at) => `t${at}`) },
    { ...DRAFT, tags: [" "] },
    { ...DRAFT, tags: ["a\nb"] },
    { ...DRAFT, tags: "a" },
    { ...DRAFT, source: "no label" },
    { ...DRAFT, agentKey: "another's" },
    { ...DRAFT, scop: "workspace" },
    { ...DRAFT, text: 1n },
    {},
  ];
  for (const input of bad) {
    await assert.rejects(provider.add(input as never, WRITE), { code: "INVALID_INPUT" });
  }
  await assert.rejects(provider.add(null as never, WRITE), { code: "INVALID_INPUT" });
  await assert.rejects(provider.remove({ ...DRAFT, match: "" }, WRITE), { code: "INVALID_INPUT" });
  const nowhere = { agent: { session: { id: "s" } } };
  await assert.rejects(provider.add(DRAFT, nowhere), { code: "INVALID_INPUT" });
  assert.deepEqual([stand.asked, provider.auditList()], [[], []]);
});

test("a write without an agent's session is WRITE_REQUIRES_AGENT before any other complaint", async (t) => {
  const provider = new Stand(t).open();
  const calls = (write: Write): Promise<unknown>[] => [
    provider.add({} as never, write),
    provider.replace({} as never, write),
    provider.remove({} as never, write),
    provider.consolidate({} as never, write),
    provider.seed([], write),
  ];
  for (const write of [undefined, null, {}, { agent: null }, { agent: {} }, { agent: { session: null } }, 7]) {
    for (const call of calls(write as never)) {
      await assert.rejects(call, { code: "WRITE_REQUIRES_AGENT" });
    }
  }
});

const ANSWERS: readonly (readonly [string, unknown, string])[] = [
  ["rejected", "rejected", "rejected"],
  ["cancelled", Promise.resolve("cancelled"), "cancelled"],
  ["unavailable", "unavailable", "unavailable"],
  ["a throw", () => { throw new Error("broken"); }, "unavailable"],
  ["a rejection", () => Promise.reject(new Error("broken")), "unavailable"],
  ["an unknown word", "yes", "cancelled"],
  ["leave for the session, which is no outcome", "allowed-session", "cancelled"],
  ["a truth", true, "cancelled"],
  ["nothing", undefined, "cancelled"],
  ["an object", () => ({ outcome: "allowed-once" }), "cancelled"],
];

test("only one word lets a write through; every other end leaves a denied row and no entry", async (t) => {
  const stand = new Stand(t);
  const provider = stand.open();
  for (const [name, says, outcome] of ANSWERS) {
    stand.says = says;
    await assert.rejects(
      provider.add({ ...DRAFT, text: name }, WRITE),
      (error: { code: string; details: { outcome: string } }) => {
        assert.deepEqual([name, error.code, error.details.outcome], [name, "WRITE_DENIED", outcome]);
        return true;
      },
    );
    const [row] = provider.auditList(1);
    assert.deepEqual([row?.action, row?.text, row?.entryId], ["add-denied", name, null]);
    assert.ok(row?.outcome?.startsWith(outcome));
  }
  assert.deepEqual(provider.listEntries(), []);
});

test("without a gate nobody can say yes", async (t) => {
  const provider = new Stand(t).open({ gate: undefined });

  await assert.rejects(provider.add(DRAFT, WRITE), { code: "WRITE_DENIED" });
  assert.deepEqual(provider.listEntries(), []);
});

test("a gate gets the whole change and the caller's own write, and cannot change either", async (t) => {
  const stand = new Stand(t);
  const writes: unknown[] = [];
  const provider = stand.open();
  stand.says = (payload: Record<string, unknown>, write: unknown) => {
    writes.push(write);
    assert.throws(() => { payload["text"] = "another"; }, TypeError);
    return "allowed-once";
  };
  const { entry } = await provider.add({ ...DRAFT, source: "claude" }, WRITE);
  await provider.replace({ track: "user", scope: "workspace", match: "one", text: "two" }, WRITE);
  await provider.remove({ track: "user", scope: "workspace", match: "two" }, WRITE);

  assert.equal(entry.text, "one");
  const layer = { track: "user", scope: "workspace" };
  assert.deepEqual(stand.asked, [
    { action: "add", ...layer, text: "one", source: "claude" },
    { action: "replace", ...layer, text: "from:\none\n\nto:\ntwo", source: "keepgate" },
    { action: "remove", ...layer, text: "two", source: "claude" },
  ]);
  assert.ok(writes.every((write) => write === WRITE));
});

test("a gate that never answers holds up nobody else, and is left by the signal or the deadline", async (t) => {
  const stand = new Stand(t);
  const provider = stand.open({ settings: { approvalTimeoutSeconds: 4 } });
  const controller = new AbortController();
  const never: Gate = (payload) => payload.text === "never" ? new Promise(() => undefined) : "allowed-once";
  stand.says = never;
  const late = provider.add({ ...DRAFT, text: "never" }, WRITE);
  const given = provider.add({ ...DRAFT, text: "never", tags: ["x"] }, { ...WRITE, signal: controller.signal });
  const denied = assert.rejects(late, { code: "WRITE_DENIED" });
  const aborted = assert.rejects(given, { name: "AbortError" });
  await provider.add({ ...DRAFT, text: "others" }, WRITE);
  controller.abort();

  await Promise.all([denied, aborted]);
  assert.deepEqual(provider.listEntries().map(({ text }) => text), ["others"]);
  await assert.rejects(provider.add(DRAFT, { ...WRITE, signal: AbortSignal.abort() }), { name: "AbortError" });
});

test("what changed while the person thought is looked at again", async (t) => {
  const stand = new Stand(t);
  const provider = stand.open();
  const layer = { track: "user", scope: "workspace" } as const;
  await provider.add(DRAFT, WRITE);
  let nested = false;
  stand.says = async () => {
    if (!nested) {
      nested = true;
      await provider.remove({ ...layer, match: "one" }, WRITE);
    }
    return "allowed-once";
  };

  await assert.rejects(provider.replace({ ...layer, match: "one", text: "two" }, WRITE), { code: "ENTRY_NOT_FOUND" });
  assert.deepEqual(provider.listEntries(), []);
  assert.deepEqual(provider.auditList(2).map(({ action }) => action), ["replace-refused", "remove"]);
});

test("the text that is overwritten is the text that was shown", async (t) => {
  const stand = new Stand(t);
  const provider = stand.open();
  const other = stand.open();
  const layer = { track: "user", scope: "workspace" } as const;
  await provider.add({ ...DRAFT, text: "one, first" }, WRITE);
  let nested = false;
  stand.says = async () => {
    if (!nested) {
      nested = true;
      await other.replace({ ...layer, match: "first", text: "one, second" }, WRITE);
    }
    return "allowed-once";
  };
  const { previous } = await provider.replace({ ...layer, match: "one", text: "two" }, WRITE);

  assert.equal(previous.text, "one, second");
  const shown = stand.asked.filter(({ action, text }) => action === "replace" && text.endsWith("to:\ntwo"));
  assert.deepEqual(shown.map(({ text }) => text.split("\n")[1]), ["one, first", "one, second"]);
});
