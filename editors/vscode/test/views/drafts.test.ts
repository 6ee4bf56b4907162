/** Memories that are edited, in one window and in two. */

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { asStored, Drafts, type Kept } from "../../src/views/editing/drafts.js";
import { type Opened, opened, stored } from "./opened.js";

function kept(): Kept {
  const versions = new Map<string, number | undefined>();
  return { get: (id) => versions.get(id), set: (id, version) => versions.set(id, version) };
}

function draftsOf({ access }: Opened, versions = kept()): Drafts {
  return new Drafts(() => access, versions);
}

describe("an edited memory", () => {
  it("is replaced at its version, and saved again from there", async (test) => {
    const window = await opened(test);
    const { id } = await stored(window, "Port 5433.", ["db"]);
    const drafts = draftsOf(window);
    await drafts.read(id);
    const first = await drafts.save(id, "Port 5434.\n");
    const second = await drafts.save(id, "Port 5435.");
    assert.deepEqual([first.kind, second.kind], ["saved", "saved"]);
    assert.deepEqual([drafts.base(id)?.text, drafts.base(id)?.version], ["Port 5435.", 3]);
    assert.deepEqual(drafts.base(id)?.tags, ["db"]);
    assert.deepEqual(await drafts.save(id, "Port 5435.\r\n"), { kind: "unchanged" });
  });

  it("that two windows change is changed by the first, and the second is told", async (test) => {
    const here = await opened(test);
    const there = await opened(test, { writePolicy: "auto" }, here.at);
    const { id } = await stored(here, "Port 5433.");
    const [mine, theirs] = [draftsOf(here), draftsOf(there)];
    await Promise.all([mine.read(id), theirs.read(id)]);
    assert.equal((await theirs.save(id, "Port 5434.")).kind, "saved");
    const late = await mine.save(id, "Port 5439.");
    assert.ok(late.kind === "drifted");
    assert.equal(late.current.text, "Port 5434.");
    assert.equal((await mine.current(id)).text, "Port 5434.");
    mine.rebase(late.current);
    assert.equal((await mine.save(id, "Port 5439.")).kind, "saved");
    assert.equal((await theirs.current(id)).version, 3);
  });

  it("that was removed elsewhere is gone", async (test) => {
    const window = await opened(test);
    const { id, track, scope } = await stored(window, "Soon removed.");
    const drafts = draftsOf(window);
    await drafts.read(id);
    await window.access.calls.remove({ track, scope, id, session: window.sidecar.person });
    assert.deepEqual(await drafts.save(id, "Too late."), { kind: "gone" });
  });

  it("of one agent alone is found by its session", async (test) => {
    const window = await opened(test);
    const session = { ...window.sidecar.person, id: "agent-1", agentPreset: "tester" };
    const { entry } = await window.access.calls.add({ track: "agent", scope: "workspace", text: "Mine.", session });
    const drafts = draftsOf(window);
    await drafts.read(entry.id);
    const saved = await drafts.save(entry.id, "Still mine.");
    assert.ok(saved.kind === "saved");
    assert.equal(saved.entry.agentKey, "tester");
  });

  it("keeps the person's text when it is refused", async (test) => {
    const here = await opened(test);
    const { id } = await stored(here, "Short.");
    const strict = await opened(test, { writePolicy: "off" }, here.at);
    const drafts = draftsOf(strict);
    await drafts.read(id);
    const saved = await drafts.save(id, "Longer.");
    assert.deepEqual(saved, { kind: "refused", message: "The settings refuse such changes (writePolicy off)." });
    assert.equal((await drafts.current(id)).text, "Short.");
    const full = await draftsOf(here).save(id, "x".repeat(5000));
    assert.ok(full.kind === "refused");
    assert.match(full.message, /4000/u);
  });

  it("is asked about, and waits in the inbox when nobody decides", async (test) => {
    const here = await opened(test);
    const { id } = await stored(here, "Short.");
    const asking = await opened(test, { approvalTimeoutSeconds: 1 }, here.at);
    asking.sidecar.onRequest("approval/request", (_, signal) => new Promise((_resolve, reject) => {
      signal.addEventListener("abort", () => { reject(new Error("given up")); });
    }));
    assert.deepEqual(await draftsOf(asking).save(id, "Longer."), { kind: "waiting" });
    const { proposals } = await asking.access.calls.proposalsList({ status: "pending" });
    assert.deepEqual(proposals.map((one) => one.kind), ["replace"]);
  });

  it("is given up by the person", async (test) => {
    const here = await opened(test);
    const { id } = await stored(here, "Short.");
    const asking = await opened(test, {}, here.at);
    const given = new AbortController();
    asking.sidecar.onRequest("approval/request", () => {
      given.abort();
      return new Promise(() => undefined);
    });
    const saved = await draftsOf(asking).save(id, "Longer.", given.signal);
    assert.deepEqual(saved, { kind: "refused", message: "It was given up. Nothing was changed." });
  });

  it("that the editor brings back after a restart is older than what is stored, and that is noticed", async (test) => {
    const window = await opened(test);
    const { id } = await stored(window, "One.");
    const versions = kept();
    await draftsOf(window, versions).read(id);
    await draftsOf(window).save(id, "Two.");
    const later = draftsOf(window, versions);
    await later.read(id);
    assert.equal((await later.save(id, "Unsaved text.")).kind, "drifted");
    later.close(id);
    await later.read(id);
    assert.equal((await later.save(id, "Three.")).kind, "saved");
  });
});

describe("what an editor adds by itself", () => {
  it("is not stored", () => {
    assert.equal(asStored("a\r\nb\r\n", "a"), "a\nb");
    assert.equal(asStored("a\n\n", "a"), "a\n");
    assert.equal(asStored("a\n", "a\n"), "a\n");
    assert.equal(asStored("a\r\nb", "x\r\ny"), "a\r\nb");
  });
});
