/** Several providers, several writes at once, and how a provider begins and ends. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { makeProvider } from "keepgate-client/provider";
import { Stand, writeOf } from "./stand.js";
import { until } from "./support.js";

const HERE = { track: "user", scope: "workspace" } as const;
const WRITE = writeOf();

test("writes at once are all stored, or refused where the budget ends", async (t) => {
  const budget = { userGlobal: 100, workspace: 100 };
  const stand = new Stand(t);
  const one = stand.open({ budgets: { user: budget, agent: budget } });
  const two = stand.open({ budgets: { user: budget, agent: budget } });
  const writes = Array.from({ length: 14 }, (_, at) =>
    (at % 2 === 0 ? one : two).add({ ...HERE, text: `ten units${at % 10}` }, WRITE),
  );
  const ends = await Promise.allSettled(writes);

  assert.equal(ends.filter(({ status }) => status === "fulfilled").length, 10);
  for (const end of ends) {
    assert.ok(end.status === "fulfilled" || (end.reason as { code: string }).code === "BUDGET_EXCEEDED");
  }
  assert.deepEqual([one.budgets()[1]?.used, two.listEntries().length], [100, 10]);
  assert.equal(one.auditList().filter(({ action }) => action === "add").length, 10);
});

test("two providers on one store see each other's writes at once, also from another cwd and preset", async (t) => {
  const stand = new Stand(t);
  const one = stand.open();
  const two = stand.open();
  const other = writeOf("/projects/other", "coder");
  await one.add({ ...HERE, text: "from one" }, WRITE);
  await two.add({ ...HERE, text: "from two" }, other);

  assert.deepEqual(two.query({ text: "from" }).entries.map(({ text }) => text).sort(), ["from one", "from two"]);
  await assert.rejects(one.remove({ ...HERE, match: "from" }, writeOf("/projects/third")), { code: "ENTRY_NOT_FOUND" });
  await two.remove({ ...HERE, match: "from one" }, WRITE);
  assert.deepEqual(one.listEntries().map(({ text }) => text), ["from two"]);
  assert.deepEqual([one.budgets()[1]?.used, two.budgets()[1]?.used], [0, 0]);
});

test("a store that is opened again has everything, and knows whose budget it is", async (t) => {
  const stand = new Stand(t);
  const first = stand.open();
  await first.add({ ...HERE, text: "kept" }, WRITE);
  first.close();
  first.close();
  const second = stand.open();

  assert.deepEqual(second.listEntries().map(({ text }) => text), ["kept"]);
  assert.equal(second.budgets()[1]?.used, 4);
  assert.equal(second.query({ text: "kept" }, { sessionId: "new" }).total, 1);
  assert.throws(() => first.query(), { code: "DISCONNECTED" });
  await assert.rejects(first.add({ ...HERE, text: "x" }, WRITE), { code: "DISCONNECTED" });
});

test("a store that cannot be read is said at once, and left as it was", (t) => {
  const stand = new Stand(t);
  mkdirSync(join(stand.dbPath, ".."));
  writeFileSync(stand.dbPath, "this is no store".repeat(1000));

  assert.throws(() => stand.open(), { code: "STORE_CORRUPT", details: { path: stand.dbPath } });
  assert.equal(readFileSync(stand.dbPath, "utf8").slice(0, 16), "this is no store");
  assert.throws(() => makeProvider({ dbPath: stand.dbPath, command: ["no-such-program"] }), /cannot be started/);
});

test("closing rejects what is under way, and leaves no process", async (t) => {
  const stand = new Stand(t);
  const provider = stand.open();
  stand.says = () => new Promise(() => undefined);
  const adding = provider.add({ ...HERE, text: "never" }, WRITE);
  const ended = assert.rejects(adding);
  await until(() => stand.asked.length === 1);
  provider.close();

  await ended;
  assert.equal(sidecarsOf(stand), "");
});

test("closing waits for a sidecar that is still starting", async (t) => {
  const stand = new Stand(t);
  const provider = stand.open();
  stand.says = () => new Promise(() => undefined);
  const writes = ["one", "two"].map((text) => assert.rejects(provider.add({ ...HERE, text }, WRITE)));
  await until(() => sidecarsOf(stand).includes("\n"));
  provider.close();

  assert.equal(sidecarsOf(stand), "");
  await Promise.all(writes);
});

test("an answer that comes too late for its read is no other read's", async (t) => {
  const stand = new Stand(t);
  const provider = stand.open({ readSeconds: 2 });
  await provider.add({ ...HERE, text: "one" }, WRITE);
  await provider.add({ ...HERE, text: "two" }, WRITE);
  const pid = Number(sidecarsOf(stand));
  process.kill(pid, "SIGSTOP");
  assert.throws(() => provider.query({ text: "one" }), { code: "DISCONNECTED" });
  process.kill(pid, "SIGCONT");
  // A loaded machine may let it be late more than once.
  const found = await until(() => {
    try {
      return provider.query({ text: "two" });
    } catch {
      return undefined;
    }
  });

  assert.deepEqual(found.entries.map(({ text }) => text), ["two"]);
});

test("a sidecar that dies takes its write with it, and the next one has another", async (t) => {
  const stand = new Stand(t);
  const provider = stand.open();
  stand.says = () => new Promise(() => undefined);
  const ended = assert.rejects(provider.add({ ...HERE, text: "lost" }, WRITE), { code: "DISCONNECTED" });
  await until(() => stand.asked.length === 1);
  sidecarsOf(stand).split("\n").forEach((pid) => process.kill(Number(pid), "SIGKILL"));
  await ended;
  stand.says = "allowed-once";
  await provider.add({ ...HERE, text: "stored" }, WRITE);

  assert.deepEqual(provider.listEntries().map(({ text }) => text), ["stored"]);
});

test("a host that forgets to close ends by itself, after what it has under way", (t) => {
  const stand = new Stand(t);
  const { command, env } = stand.house;
  const script = `
    import { makeProvider } from "keepgate-client/provider";
    const provider = makeProvider({ ...JSON.parse(process.argv[1]), gate: () => new Promise((say) => setTimeout(say, 300, "allowed-once").unref()) });
    provider.add({ track: "user", scope: "workspace", text: "kept" }, { agent: { session: { id: "s", header: { cwd: "/projects/demo" } } } });
    setTimeout(() => {}, 500);
  `;
  const options = JSON.stringify({ dbPath: stand.dbPath, command });
  const ended = spawnSync(process.execPath, ["--input-type=module", "-e", script, options], {
    env: { ...process.env, ...env },
    encoding: "utf8",
    timeout: 60_000,
  });

  assert.deepEqual([ended.status, ended.stdout, ended.stderr], [0, "", ""]);
  assert.deepEqual(stand.open().listEntries().map(({ text }) => text), ["kept"]);
});

/** The process ids of the sidecars of a stand's home, a line each. */
function sidecarsOf(stand: Stand): string {
  const home = `KEEPGATE_HOME=${stand.house.env["KEEPGATE_HOME"] ?? ""}`;
  const search = `for each in /proc/[0-9]*; do
    tr '\\0' '\\n' 2>/dev/null <"$each/environ" | grep -qxF "$1" && tr '\\0' '\\n' <"$each/cmdline" | grep -qx serve && basename "$each"
  done; true`;
  return spawnSync("sh", ["-c", search, "sh", home], { encoding: "utf8" }).stdout.trim();
}
