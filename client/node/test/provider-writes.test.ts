/** Sections 2, 3 and 5 of the contract: entries, writes, budgets. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { Stand, writeOf } from "./stand.js";

const HERE = { track: "user", scope: "workspace" } as const;
const WRITE = writeOf();
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const BUDGETS = { user: { userGlobal: 20, workspace: 20 }, agent: { userGlobal: 20, workspace: 20 } };

test("an entry has the fourteen fields of the contract", async (t) => {
  const provider = new Stand(t).open();
  const before = Date.now();
  const added = await provider.add({ ...HERE, text: " as is ", source: "claude", tags: [" a ", "b", "a"] }, WRITE);
  const { id, createdAt, updatedAt, ...rest } = added.entry;

  assert.match(id, UUID);
  assert.ok(before - 1 <= createdAt && createdAt <= updatedAt);
  assert.deepEqual(rest, {
    ...HERE,
    workspaceKey: "/projects/demo",
    agentKey: "",
    text: " as is ",
    source: "claude",
    tags: ["a", "b"],
    version: 1,
    lastRecalled: null,
    recallCount: 0,
    sessionId: WRITE.agent.session.id,
  });
  assert.deepEqual(added.usage, { ...HERE, used: 7, limit: 2000 });
  const everywhere = await provider.add({ track: "agent", scope: "user-global", text: "x" }, WRITE);
  assert.equal(everywhere.entry.workspaceKey, "");
});

test("equal texts are two entries", async (t) => {
  const provider = new Stand(t).open();
  const one = await provider.add({ ...HERE, text: "again" }, WRITE);
  const two = await provider.add({ ...HERE, text: "again" }, WRITE);

  assert.notEqual(one.entry.id, two.entry.id);
  assert.equal(provider.listEntries().length, 2);
});

test("replace rewrites the one that matches; its id stays, its version goes up, tags are kept or set", async (t) => {
  const provider = new Stand(t).open();
  const { entry } = await provider.add({ ...HERE, text: "Likes TEA", tags: ["drink"] }, WRITE);
  const first = await provider.replace({ ...HERE, match: "likes tea", text: "Likes coffee" }, WRITE);
  assert.deepEqual([first.previous.text, first.entry.text], ["Likes TEA", "Likes coffee"]);
  assert.deepEqual([first.entry.id, first.entry.version, first.entry.tags], [entry.id, 2, ["drink"]]);
  assert.equal(first.entry.createdAt, entry.createdAt);
  const second = await provider.replace({ ...HERE, match: "coffee", text: "Likes both", tags: ["x"] }, WRITE);
  assert.deepEqual([second.entry.version, second.entry.tags], [3, ["x"]]);
  const third = await provider.replace({ ...HERE, match: "both", text: "None", tags: [] }, WRITE);
  assert.deepEqual([third.entry.tags, third.usage.used], [[], 4]);

  await assert.rejects(provider.replace({ ...HERE, match: "coffee", text: "x" }, WRITE), {
    code: "ENTRY_NOT_FOUND",
    details: { ...HERE, match: "coffee" },
  });
});

test("matching folds ASCII case and nothing else: composed and decomposed letters differ", async (t) => {
  const provider = new Stand(t).open();
  const composed = "caf\u00e9";
  const decomposed = "cafe\u0301";
  const texts = [composed, decomposed, "日本語 👍", "Straße ÄÖ", "100%_"];
  for (const text of texts) {
    await provider.add({ ...HERE, text }, WRITE);
  }

  assert.deepEqual(provider.listEntries().map(({ text }) => text), texts);
  assert.deepEqual(provider.query({ text: composed }).entries.map(({ text }) => text), [composed]);
  assert.equal((await provider.remove({ ...HERE, match: decomposed }, WRITE)).entry.text, decomposed);
  assert.equal((await provider.replace({ ...HERE, match: "本語", text: "中文" }, WRITE)).entry.text, "中文");
  for (const match of ["äö", "STRASSE", "100_"]) {
    await assert.rejects(provider.remove({ ...HERE, match }, WRITE), { code: "ENTRY_NOT_FOUND" });
  }
  await provider.remove({ ...HERE, match: "straßE Ä" }, WRITE);
});

test("an ambiguous match names the candidates and changes nothing", async (t) => {
  const stand = new Stand(t);
  const provider = stand.open();
  await provider.add({ ...HERE, text: "port 1" }, WRITE);
  await provider.add({ ...HERE, text: "PORT 2 " + "x".repeat(300) }, WRITE);
  await provider.add({ track: "agent", scope: "workspace", text: "port 3" }, WRITE);
  const asked = stand.asked.length;

  for (const write of [
    provider.remove({ ...HERE, match: "port" }, WRITE),
    provider.replace({ ...HERE, match: "port", text: "x" }, WRITE),
    provider.consolidate({ ...HERE, matches: ["port 1", "port"], text: "x" }, WRITE),
  ]) {
    await assert.rejects(write, (error: { code: string; details: { candidates: number; sample: unknown[] } }) => {
      assert.deepEqual([error.code, error.details.candidates], ["AMBIGUOUS_MATCH", 2]);
      assert.equal(error.details.sample.length, 2);
      assert.match(JSON.stringify(error.details.sample), /port 1/);
      return true;
    });
  }
  assert.deepEqual([stand.asked.length, provider.listEntries().length], [asked, 3]);
});

test("remove is conditional, so that a retry cannot remove twice", async (t) => {
  const provider = new Stand(t).open();
  await provider.add({ ...HERE, text: "one" }, WRITE);
  const { entry, usage } = await provider.remove({ ...HERE, match: "one" }, WRITE);

  assert.deepEqual([entry.text, usage.used], ["one", 0]);
  await assert.rejects(provider.remove({ ...HERE, match: "one" }, WRITE), { code: "ENTRY_NOT_FOUND" });
});

test("consolidate puts one entry in the place of several, or changes nothing", async (t) => {
  const stand = new Stand(t);
  const provider = stand.open();
  const long = "a".repeat(400);
  await provider.add({ ...HERE, text: long, tags: ["old"] }, WRITE);
  await provider.add({ ...HERE, text: "beta" }, WRITE);
  await assert.rejects(provider.consolidate({ ...HERE, matches: ["beta", "gamma"], text: "x" }, WRITE), {
    code: "ENTRY_NOT_FOUND",
  });
  assert.equal(provider.listEntries().length, 2);
  const { removed, entry, usage } = await provider.consolidate(
    { ...HERE, matches: ["aaa", "beta"], text: "both", tags: ["new"] },
    WRITE,
  );

  assert.deepEqual(removed.map(({ text }) => text), [long, "beta"]);
  assert.deepEqual([entry.text, entry.version, entry.tags, usage.used], ["both", 1, ["new"], 4]);
  assert.deepEqual(provider.listEntries().map(({ id }) => id), [entry.id]);
  const asked = stand.asked.at(-1);
  assert.match(asked?.text ?? "", new RegExp(`remove: aaa\\n${"a".repeat(300)}…\\nremove: beta\\nbeta\\nnew text: both`));
  for (const matches of [[], Array.from({ length: 21 }, () => "both"), ["both", ""]]) {
    await assert.rejects(provider.consolidate({ ...HERE, matches, text: "x" }, WRITE), { code: "INVALID_INPUT" });
  }
});

test("seed stores all or nothing, with one question", async (t) => {
  const stand = new Stand(t);
  const provider = stand.open({ budgets: BUDGETS });
  const fits = [{ ...HERE, text: "one" }, { track: "agent", scope: "user-global", text: "two", tags: ["t"] } as const];
  const { added, entries } = await provider.seed(fits, WRITE);
  assert.deepEqual([added, entries.map(({ text }) => text)], [2, ["one", "two"]]);
  assert.deepEqual(stand.asked, [
    { action: "seed", track: "batch", scope: "batch", text: "user/workspace: one\nagent/user-global: two", count: 2 },
  ]);

  const tooMuch = [...fits, { ...HERE, text: "x".repeat(20) }];
  await assert.rejects(provider.seed(tooMuch, WRITE), { code: "BUDGET_EXCEEDED" });
  await assert.rejects(provider.seed([...fits, { ...HERE, text: "" }], WRITE), { code: "INVALID_INPUT" });
  await assert.rejects(provider.seed([], WRITE), { code: "INVALID_INPUT" });
  assert.deepEqual([stand.asked.length, provider.listEntries().length], [1, 2]);
});

test("budgets are hard, count UTF-16 units, and name what is needed", async (t) => {
  const stand = new Stand(t);
  const provider = stand.open({ budgets: BUDGETS });
  const { usage } = await provider.add({ ...HERE, text: "👍👍 日本語", tags: ["not counted"] }, WRITE);
  assert.equal(usage.used, 8);
  await provider.add({ ...HERE, text: "x".repeat(12) }, WRITE);

  await assert.rejects(provider.add({ ...HERE, text: "y" }, WRITE), {
    code: "BUDGET_EXCEEDED",
    details: { ...HERE, used: 20, limit: 20, needed: 21 },
  });
  await assert.rejects(provider.replace({ ...HERE, match: "👍", text: "z".repeat(9) }, WRITE), { code: "BUDGET_EXCEEDED" });
  assert.equal(stand.asked.length, 2);
  assert.deepEqual(provider.budgets(), [
    { track: "user", scope: "user-global", used: 0, limit: 20 },
    { ...HERE, used: 20, limit: 20 },
    { track: "agent", scope: "user-global", used: 0, limit: 20 },
    { track: "agent", scope: "workspace", used: 0, limit: 20 },
  ]);
  const lowered = stand.open({ budgets: { ...BUDGETS, user: { userGlobal: 20, workspace: 10 } } });
  assert.equal((await lowered.replace({ ...HERE, match: "x", text: "x" }, WRITE)).usage.used, 9);
});
