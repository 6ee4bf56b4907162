/** The ledger view over a real sidecar. */

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { rowDocument, undoSummary, verifyDocument } from "../../src/views/documents/ledger.js";
import { undoRow } from "../../src/views/models/undoing.js";
import { LedgerSource } from "../../src/views/sources/ledger.js";
import { type Opened, opened, stored } from "./opened.js";

function ledgerOf({ access }: Opened): LedgerSource {
  return new LedgerSource(() => access, () => undefined, Date.now);
}

describe("the ledger", () => {
  it("of an empty store has no rows", async (test) => {
    assert.deepEqual(await ledgerOf(await opened(test)).children(), []);
  });

  it("is told newest first, with how each row ended and what can be undone", async (test) => {
    const window = await opened(test);
    const entry = await stored(window, "One\u202e.");
    const session = window.sidecar.person;
    const { track, scope, id } = entry;
    await window.access.calls.remove({ track, scope, id, session });
    await window.access.calls.proposalsCreate({ change: { action: "add", track, scope, text: "Wished." }, session });
    const { proposals } = await window.access.calls.proposalsList({ status: "pending", session: null });
    await window.access.calls.proposalsDismiss({ id: proposals[0]?.id ?? "" });
    const ledger = ledgerOf(window);
    const looks = (await ledger.children()).map((node) => ledger.look(node));
    assert.deepEqual(
      looks.map((look) => [look.label, look.icon, look.menu]),
      [
        ["Add, not allowed: Wished.", "circle-slash", "row-session"],
        ["Wished: Wished.", "watch", "row-session"],
        ["Remove: One⟨U+202E⟩.", "pass", "row-undo-session"],
        ["Add: One⟨U+202E⟩.", "pass", "row-undo-session"],
      ],
    );
    assert.match(looks[0]?.description ?? "", /^just now · vscode-test 1/u);
    assert.match(looks[3]?.spoken ?? "", /^Row 1, Add: .*allowed-once/u);
  });

  it("is read page by page, and of one session alone", async (test) => {
    const window = await opened(test, { writePolicy: "auto", budgets: { agent: { workspace: 100_000 } } });
    for (let index = 0; index < 120; index += 1) await stored(window, `Entry ${index}.`);
    const session = { ...window.sidecar.person, id: "other" };
    await window.access.calls.add({ track: "user", scope: "workspace", text: "Other.", session });
    const ledger = ledgerOf(window);
    const first = await ledger.children();
    const more = first.at(-1);
    assert.ok(more?.kind === "more");
    assert.equal(first.length, 101);
    await more.read();
    assert.equal((await ledger.children()).length, 121);
    await stored(window, "Newest.");
    await ledger.renew();
    assert.equal(ledger.rows[0]?.text, "Newest.");
    ledger.filter("other");
    await ledger.children();
    assert.deepEqual(ledger.rows.map((row) => row.text), ["Other."]);
    ledger.filter(undefined);
    assert.equal((await ledger.children()).length, 101);
  });

  it("takes back a row, also of an entry of one agent alone, and a whole session", async (test) => {
    const window = await opened(test);
    const { access } = window;
    const session = { ...window.sidecar.person, id: "agent-1", agentPreset: "tester" };
    await access.calls.add({ track: "agent", scope: "workspace", text: "Private.", session });
    const ledger = ledgerOf(window);
    await ledger.children();
    const [row] = ledger.rows;
    assert.ok(row);
    assert.equal(undoSummary(await undoRow(access, row)), "Undone: removed 1 memory.");
    await assert.rejects(undoRow(access, row), { code: "INVALID_INPUT" });

    await access.calls.remember({ fact: "It rained.", provenance: "p", session: { id: "agent-2" }, dry_run: false });
    await access.calls.add({ track: "agent", scope: "workspace", text: "Shared.", session: { id: "agent-2" } });
    const undone = await access.calls.undo({ sessionId: "agent-2", session: window.sidecar.person });
    assert.equal(undoSummary(undone), "Undone: removed 1 memory, took back 1 fact.");
  });

  it("proves the store, and says so", async (test) => {
    const window = await opened(test);
    await stored(window, "One.");
    const said = verifyDocument(await window.access.calls.verify({}));
    assert.match(said, /^Verified\n/u);
    assert.match(said, /^rows {2}1$/mu);
    const { rows } = await window.access.calls.audit({ limit: 1, session: null });
    assert.ok(rows[0]);
    const whole = rowDocument({ ...rows[0], text: "one\nhead  forged" }, "UTC");
    assert.match(whole, /^│ head {2}forged$/mu);
    assert.match(whole, /^outcome {2,}allowed-once \(via policy, writePolicy auto\)$/mu);
  });

  it("says plainly when it does not", () => {
    const problem = { kind: "edit", seq: 4, message: "row 4 was changed" };
    const said = verifyDocument({ ok: false, rows: 9, head: "ab", problems: [problem] });
    assert.match(said, /^NOT verified\n/u);
    assert.match(said, /^edit, row 4: row 4 was changed$/mu);
  });
});
