/** Sections 2, 4 and 6 of the contract: sight, queries, the ledger. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";

import type { Provider } from "keepgate-client/provider";
import { Stand, writeOf } from "./stand.js";

const HERE = { track: "user", scope: "workspace" } as const;
const EVERYWHERE = { track: "user", scope: "user-global" } as const;
const WRITE = writeOf();
const SESSION = WRITE.agent.session;

function texts(found: { readonly entries: readonly { readonly text: string }[] }): string[] {
  return found.entries.map(({ text }) => text);
}

async function fill(provider: Provider, ...all: readonly string[]): Promise<void> {
  await provider.seed(all.map((text) => ({ ...HERE, text })), WRITE);
}

test("a query filters, folds ASCII case, limits, and says how much there is", async (t) => {
  const provider = new Stand(t).open();
  await fill(provider, "Alpha", "alphabet", "日本語", "50% off");
  await provider.add({ track: "agent", scope: "user-global", text: "ALPHA", tags: ["t"] }, WRITE);

  assert.deepEqual(texts(provider.query({ text: "alpha" })).sort(), ["ALPHA", "Alpha", "alphabet"]);
  assert.deepEqual(texts(provider.query({ text: "本" })), ["日本語"]);
  assert.deepEqual(texts(provider.query({ text: "0% o" })), ["50% off"]);
  assert.deepEqual(texts(provider.query({ text: "alpha", track: "agent" })), ["ALPHA"]);
  assert.deepEqual(texts(provider.query({ tags: ["t"] })), ["ALPHA"]);
  const { entries, total, truncated } = provider.query({ limit: 2 });
  assert.deepEqual([entries.length, total, truncated], [2, 5, true]);
  assert.deepEqual([provider.query().total, provider.query({ limit: 5000 }).truncated], [5, false]);
  assert.deepEqual(provider.query({ text: "nothing" }), { entries: [], total: 0, truncated: false });
  assert.throws(() => provider.query({ limit: 0 }), { code: "INVALID_INPUT" });
  assert.throws(() => provider.query({ track: "me" as "user" }), { code: "INVALID_INPUT" });
});

test("a session's query counts what it returns, which then comes first; the management view counts nothing", async (t) => {
  const provider = new Stand(t).open();
  await fill(provider, "one x", "two x", "three");
  const first = provider.query({ text: "two" }, { sessionId: SESSION.id });
  assert.deepEqual([first.entries[0]?.recallCount, first.entries[0]?.lastRecalled], [0, null]);
  const second = provider.query({ text: "x" }, { session: SESSION });
  assert.deepEqual(texts(second), ["two x", "one x"]);
  assert.equal(second.entries[0]?.recallCount, 1);
  provider.query();
  provider.listEntries();

  const counts = Object.fromEntries(provider.query().entries.map((entry) => [entry.text, entry.recallCount]));
  assert.deepEqual(counts, { "two x": 2, "one x": 1, three: 0 });
  const rows = provider.auditList().filter(({ action }) => action === "recalled");
  assert.deepEqual(rows.map(({ text, outcome, sessionId }) => [text, outcome, sessionId]), [
    ["x", "ok", SESSION.id],
    ["two", "ok", SESSION.id],
  ]);
});

test("a session sees and changes what is shared or its preset's, in its own folder, and nothing else", async (t) => {
  const provider = new Stand(t).open();
  const here = writeOf("/projects/demo", "coder");
  const writer = writeOf("/projects/demo", "writer");
  const away = writeOf("/projects/other", "coder");
  await provider.add({ ...HERE, text: "the plan of coder here" }, here);
  await provider.add({ ...HERE, text: "the plan of writer here" }, writer);
  await provider.add({ ...HERE, text: "the plan of coder away" }, away);
  await provider.add({ ...HERE, text: "the plan shared here", agentKey: "" }, here);
  await provider.add({ ...EVERYWHERE, text: "the plan of writer everywhere" }, writer);
  await provider.add({ ...EVERYWHERE, text: "the plan shared everywhere", agentKey: "" }, away);
  const seen = (write: typeof here): string[] =>
    texts(provider.query({ text: "plan" }, { session: write.agent.session })).map((text) => text.slice(9)).sort();

  assert.deepEqual(seen(here), ["of coder here", "shared everywhere", "shared here"]);
  assert.deepEqual(seen(writer), ["of writer everywhere", "of writer here", "shared everywhere", "shared here"]);
  assert.deepEqual(seen(away), ["of coder away", "shared everywhere"]);
  assert.equal(provider.query({ text: "plan" }).total, 6);
  const coders = provider.query({ text: "plan", limit: 2, offset: 1 }, { agentKey: " coder " });
  assert.deepEqual([coders.entries.length, coders.total, coders.truncated], [2, 4, true]);

  await assert.rejects(provider.remove({ ...HERE, match: "writer" }, here), { code: "ENTRY_NOT_FOUND" });
  await assert.rejects(provider.replace({ ...HERE, match: "away", text: "x" }, here), { code: "ENTRY_NOT_FOUND" });
  const { entry } = await provider.remove({ ...HERE, match: "plan of" }, here);
  assert.equal(entry.text, "the plan of coder here");
  const both = await provider.consolidate({ ...HERE, matches: ["shared", "writer"], text: "ours" }, writer);
  assert.equal(both.entry.agentKey, "writer");
});

test("folders are the same however they are spelled, and need not be there", async (t) => {
  const provider = new Stand(t).open();
  const spelled = ["/projects/demo", "/projects/demo/", "/projects/./x/../demo"];
  for (const cwd of spelled) {
    await provider.add({ ...HERE, text: cwd }, writeOf(cwd));
  }
  await provider.add({ ...HERE, text: "relative" }, writeOf("some/folder"));
  await provider.add({ ...HERE, text: "of another system" }, writeOf("C:/conformance/ws"));

  const keys = Object.fromEntries(provider.listEntries().map(({ text, workspaceKey }) => [text, workspaceKey]));
  assert.deepEqual(spelled.map((cwd) => keys[cwd]), spelled.map(() => "/projects/demo"));
  assert.equal(keys["relative"], join(process.cwd(), "some/folder"));
  assert.match(keys["of another system"] ?? "", /^c:.conformance.ws$/i);
});

test("the ledger has a row for every change, newest first, in the ten fields of the contract", async (t) => {
  const stand = new Stand(t);
  const provider = stand.open();
  await provider.add({ ...HERE, text: "one", source: "claude" }, WRITE);
  await provider.replace({ ...HERE, match: "one", text: "two" }, WRITE);
  await provider.add({ ...HERE, text: "three" }, WRITE);
  await provider.consolidate({ ...HERE, matches: ["two", "three"], text: "four" }, WRITE);
  await provider.remove({ ...HERE, match: "four" }, WRITE);
  await provider.seed([{ ...HERE, text: "five" }], WRITE);
  stand.says = "rejected";
  await assert.rejects(provider.remove({ ...HERE, match: "five" }, WRITE));
  const rows = provider.auditList();

  assert.deepEqual(rows.map(({ action, text }) => `${action} ${text ?? ""}`).reverse(), [
    "add one",
    "replace two",
    "add three",
    "consolidate-remove two",
    "consolidate-remove three",
    "consolidate-add four",
    "remove four",
    "seed user/workspace: five",
    "add five",
    "remove-denied five",
  ]);
  const fields = ["seq", "ts", "action", "track", "scope", "entryId", "text", "outcome", "source", "sessionId"];
  assert.ok(rows.every((row) => JSON.stringify(Object.keys(row)) === JSON.stringify(fields)));
  assert.deepEqual(rows.at(-1)?.source, "claude");
  assert.match(rows[1]?.outcome ?? "", /^allowed-once \(via approval, writePolicy ask\)$/);
  assert.match(rows[0]?.outcome ?? "", /^rejected/);
  assert.deepEqual(provider.auditList(3), rows.slice(0, 3));
  assert.throws(() => provider.auditList(0), { code: "INVALID_INPUT" });
});

test("answers of any size pass, also while a question is open", async (t) => {
  const stand = new Stand(t);
  const large = { userGlobal: 1_000_000, workspace: 1_000_000 };
  const provider = stand.open({ budgets: { user: large, agent: large } });
  const text = "日本語 ".repeat(5000);
  let inside = 0;
  stand.says = () => {
    inside = provider.listEntries().length;
    return "allowed-once";
  };
  await provider.seed(Array.from({ length: 12 }, () => ({ ...HERE, text })), WRITE);
  await provider.add({ ...HERE, text: "short" }, WRITE);

  assert.equal(inside, 12);
  const found = provider.query({ text: "本語 日", limit: 12 });
  assert.equal(found.total, 12);
  assert.ok(found.entries.every((entry) => entry.text === text));
  await assert.rejects(provider.add({ ...HERE, text: "x".repeat(17 * 1024 * 1024) }, WRITE), { code: "INVALID_INPUT" });
});
