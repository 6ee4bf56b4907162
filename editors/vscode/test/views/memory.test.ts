/** The memory tree over a real sidecar. */

import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { MemorySource } from "../../src/views/sources/memory.js";
import type { LayerNode, MemoryNode } from "../../src/views/sources/memoryNodes.js";
import { until } from "../support/until.js";
import { type Opened, opened, stored } from "./opened.js";

const ROOMY = { writePolicy: "auto", budgets: { agent: { workspace: 10_000_000 } } };

function treeOf({ access }: Opened): { readonly source: MemorySource; readonly told: () => number } {
  let times = 0;
  return { source: new MemorySource(() => access, () => (times += 1)), told: () => times };
}

async function layer(source: MemorySource, name: string): Promise<LayerNode> {
  const found = (await source.children()).find((node) => node.kind === "layer" && node.layer.name === name);
  assert.ok(found?.kind === "layer", name);
  return found;
}

async function labels(source: MemorySource, node?: MemoryNode): Promise<readonly string[]> {
  return (await source.children(node)).map((child) => source.look(child).label);
}

describe("the memory tree", () => {
  it("of an empty workspace shows its layers and says that there is nothing", async (test) => {
    const { source } = treeOf(await opened(test));
    assert.deepEqual(await labels(source), [
      "About you, here",
      "Agent notes, here",
      "About you, everywhere",
      "Agent notes, everywhere",
      "Facts",
      "Pages",
    ]);
    for (const section of await source.children()) {
      assert.deepEqual(await labels(source, section), ["Nothing here yet"]);
    }
    const look = source.look(await layer(source, "About you, everywhere"));
    assert.equal(look.description, "░░░░░ 0 / 2\u202f000");
    assert.equal(look.spoken, "About you, everywhere, 0 of 2000 units in use, 0 per cent, 0 memories");
  });

  it("shows entries, facts by entity, and pages", async (test) => {
    const window = await opened(test);
    const entry = await stored(window, "Run make check first.", ["build"]);
    const { calls } = window.access;
    await calls.remember({ fact: "Ada likes tea.", provenance: "chat", entity: "people/ada", dry_run: false });
    await calls.remember({ fact: "It rained.", provenance: "chat", dry_run: false });
    const folder = join(window.at.folder, ".keepgate", "pages", "people");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "ada.md"), "# Ada\n\nKeeps the engine.\n");
    await until(async () => (await calls.pagesList({})).pages.length === 1, "the page");

    const { source } = treeOf(window);
    const notes = await layer(source, "Agent notes, here");
    const [node] = await source.children(notes);
    assert.ok(node?.kind === "entry");
    assert.deepEqual([node.entry.id, source.look(node).description], [entry.id, "build"]);
    assert.equal(source.look(notes).tooltip?.split("\n").at(-1), "1 memory");
    const groups = await source.children({ kind: "facts" });
    assert.deepEqual(groups.map((group) => source.look(group).label), ["people/ada", "About nothing in particular"]);
    assert.deepEqual(await labels(source, groups[0]), ["Ada likes tea."]);
    assert.deepEqual(await labels(source, { kind: "pages" }), ["Ada"]);
  });

  it("reads five thousand entries page by page, and all that was shown again", async (test) => {
    const window = await opened(test, ROOMY);
    const { calls } = window.access;
    for (let begin = 0; begin < 5000; begin += 1000) {
      const entries = Array.from({ length: 1000 }, (_, index) => ({
        track: "agent" as const,
        scope: "workspace" as const,
        text: `Entry number ${begin + index} of many.`,
      }));
      await calls.seed({ entries, session: window.sidecar.person });
    }
    const { source, told } = treeOf(window);
    const notes = await layer(source, "Agent notes, here");
    const first = await source.children(notes);
    const more = first.at(-1);
    assert.ok(more?.kind === "more");
    assert.equal(first.length, 201);
    assert.equal(source.look(more).description, "200 of 5000 shown");
    await more.read();
    assert.equal(told(), 1);
    const second = await source.children(notes);
    assert.deepEqual([second.length, second.at(-1)?.kind], [401, "more"]);
    await calls.add({ track: "user", scope: "workspace", text: "One more.", session: window.sidecar.person });
    await source.renew("memory");
    assert.equal((await source.children(notes)).length, 401);

    let node = second.at(-1);
    while (node?.kind === "more") {
      await node.read();
      node = (await source.children(notes)).at(-1);
    }
    const all = await source.children(notes);
    assert.equal(all.length, 5000);
    assert.equal(new Set(all.map((one) => source.look(one).id)).size, 5000);
  });

  it("draws hostile text as text", async (test) => {
    const window = await opened(test);
    await stored(window, "ok\u202e\n$(check) [x](command:keepgate.allowOnce) <img src=x>");
    await window.access.calls.remember({ fact: "one\u200b\ntwo", provenance: "p", entity: "a\u202e b", dry_run: false });
    const { source } = treeOf(window);
    const [entry] = await source.children(await layer(source, "Agent notes, here"));
    assert.ok(entry);
    assert.equal(source.look(entry).label, "ok⟨U+202E⟩ ⏎ $(check) [x](command:keepgate.allowOnce) <img src=x>");
    assert.equal(source.look(entry).tooltip?.split("\n")[0], "ok⟨U+202E⟩");
    const [group] = await source.children({ kind: "facts" });
    assert.ok(group);
    assert.doesNotMatch(source.look(group).label, /\u202e/u);
    assert.deepEqual(await labels(source, group), ["one⟨U+200B⟩ ⏎ two"]);
  });

  it("keeps what it shows until what changed elsewhere was read", async (test) => {
    const here = await opened(test);
    const there = await opened(test, { writePolicy: "auto" }, here.at);
    const topics: string[] = [];
    here.sidecar.onDidChange((topic) => topics.push(topic));
    const { source } = treeOf(here);
    const notes = await layer(source, "Agent notes, here");
    assert.deepEqual(await labels(source, notes), ["Nothing here yet"]);
    await stored(there, "Written in another window.");
    await until(() => topics.includes("memory"), "the news of the other window");
    assert.deepEqual(await labels(source, notes), ["Nothing here yet"]);
    await source.renew("memory");
    assert.deepEqual(await labels(source, notes), ["Written in another window."]);
    assert.match(source.look(await layer(source, "Agent notes, here")).description ?? "", / 26 \/ /u);
  });

  it("stands as it was when the sidecar is gone", async (test) => {
    const window = await opened(test);
    await stored(window, "Still shown.");
    const { source } = treeOf(window);
    const notes = await layer(source, "Agent notes, here");
    await source.children(notes);
    await window.sidecar.stop();
    await assert.rejects(source.renew("memory"), { code: "NOT_RUNNING" });
    assert.deepEqual(await labels(source, notes), ["Still shown."]);
  });
});
