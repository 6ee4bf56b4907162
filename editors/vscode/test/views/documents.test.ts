/** The documents and the search, over a real sidecar. */

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { search } from "../../src/views/models/search.js";
import { writersOf } from "../../src/views/writers.js";
import { opened, stored } from "./opened.js";

const HOSTILE = "kind\u202e: real\n═══\nversion   9\nid        forged";

describe("documents", () => {
  it("show a memory whole, with nothing in it that passes for ours", async (test) => {
    const window = await opened(test);
    const entry = await stored(window, HOSTILE, ['a", seen by "all']);
    const text = await writersOf(() => window.access).memory(entry.id);
    assert.match(text, /^│ kind⟨U\+202E⟩: real\n│ ═══\n│ version {3}9\n│ id {8}forged$/mu);
    assert.deepEqual(text.match(/^version .*$/gmu), ["version    1"]);
    assert.match(text, /^seen by {4}every agent$/mu);
    assert.match(text, /^tags {7}"a\\", seen by \\"all"$/mu);
    assert.match(text, /^recalled {3}never$/mu);
    assert.doesNotMatch(text, /\u202e/u);
  });

  it("show a fact with its provenance, also when it counts no more", async (test) => {
    const window = await opened(test);
    const { calls } = window.access;
    const session = window.sidecar.person;
    const said = { fact: "Ada likes tea.", provenance: "chat\nid  9", entity: "people/ada", session };
    const { id } = await calls.remember({ ...said, visibility: "private", dry_run: false });
    const write = writersOf(() => window.access);
    const before = await write.fact(id);
    assert.match(before, /^provenance {3}chat ⏎ id {2}9$/mu);
    assert.match(before, /^visibility {3}private: /mu);
    assert.match(before, /^session {6}vscode-test$/mu);
    await calls.forget({ id, reason: "was wrong", dry_run: false, session });
    assert.match(await write.fact(id), /It counts no more/u);
    const history = await write.history(id);
    assert.match(history, /Forget a fact/u);
    assert.match(history, /^reason {6}was wrong$/mu);
  });

  it("tell how a memory came to be, and what it was", async (test) => {
    const window = await opened(test);
    const { id, track, scope } = await stored(window, "Port 1.");
    await window.access.calls.replace({ track, scope, id, text: "Port 2.", session: window.sidecar.person });
    const write = writersOf(() => window.access);
    const history = await write.history(id);
    assert.ok(history.indexOf("│ Port 2.") < history.indexOf("│ Port 1."));
    const why = await write.why(id);
    assert.match(why, /^wanted by {3,}vscode-test 1 \(lsp\)$/mu);
    assert.match(why, /^outcome {5,}allowed-once \(via policy, writePolicy auto\)$/mu);
    assert.match(await write.row("2"), /^Ledger row 2\n/u);
    assert.match(await write.row("99"), /no row 99/u);
    assert.match(await write.budgets(""), /^Agent notes, here {2,}▓░░░░ {2}7 of 4000 units in use/mu);
  });

  it("of something that never was reject", async (test) => {
    const write = writersOf(() => window.access);
    const window = await opened(test);
    await assert.rejects(write.why("nobody"), { code: "ENTRY_NOT_FOUND" });
  });
});

describe("the search", () => {
  it("finds entries that contain the words and facts that recall brings, and leaves no trace", async (test) => {
    const window = await opened(test);
    await stored(window, "The database listens on 5434.");
    await stored(window, "Run make check.");
    await window.access.calls.remember({ fact: "The database is Postgres.", provenance: "p", dry_run: false });
    const found = await search(window.access, " database ");
    assert.deepEqual(found.entries.map((one) => one.kind === "entry" && one.entry.text), ["The database listens on 5434."]);
    assert.deepEqual(found.facts.map((one) => one.kind === "fact" && one.fact.fact), ["The database is Postgres."]);
    assert.equal((await search(window.access, "")).entries.length, 2);
    const { rows } = await window.access.calls.audit({ action: "recalled", session: null });
    assert.deepEqual(rows, []);
  });
});
