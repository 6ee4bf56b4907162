/** What is drawn of stored text, budgets and moments. */

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { bar, budgetLabel, budgetText, fullness, grouped } from "../../src/text/budget.js";
import { ago, expiry, stamp } from "../../src/text/moments.js";
import { layerName, workspaceName } from "../../src/text/names.js";
import { excerpt, makeVisible, named, oneLine, withoutIcons, withoutLinks } from "../../src/text/visible.js";
import { quoted, table, who } from "../../src/views/documents/layout.js";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

describe("stored text", () => {
  it("has its hidden characters written out, and keeps those of a script or an emoji", () => {
    assert.equal(makeVisible("a\u202eb\u200bc\u00ad"), "a⟨U+202E⟩b⟨U+200B⟩c⟨U+00AD⟩");
    assert.equal(makeVisible("\u{e0041}\ud800"), "⟨U+E0041⟩⟨U+D800⟩");
    assert.equal(makeVisible("می‌خواهم 👩‍👩‍👧 ❤️ 1️⃣\n\tx"), "می‌خواهم 👩‍👩‍👧 ❤️ 1️⃣\n\tx");
    assert.equal(makeVisible("a\u200db"), "a⟨U+200D⟩b");
  });

  it("stays on its line, and is cut between characters", () => {
    assert.equal(oneLine("one\r\ntwo\u2028three\tfour"), "one ⏎ two ⏎ three four");
    assert.equal(excerpt("🙂🙂🙂", 2), "🙂🙂…");
    assert.equal(excerpt("short", 5), "short");
  });

  it("is drawn neither as an icon nor as a link", () => {
    assert.equal(withoutIcons("$(check) $(sync~spin) $(a b) $5"), "\\$(check) \\$(sync~spin) $(a b) $5");
    assert.equal(withoutLinks("[Allow](command:keepgate.allowOnce)"), "[Allow] (command:keepgate.allowOnce)");
  });

  it("passes for no line of ours", () => {
    assert.equal(quoted("one\nversion  7\r\n"), "│ one\n│ version  7\n│");
    assert.equal(table([["reason", "none\nid  7"], ["left out", null]]), "reason  none\n    id  7");
    assert.equal(named("s1"), "s1");
    assert.equal(who({ client: "agent 1 (command)", version: "2", channel: "lsp" }), '"agent 1 (command)" 2 (lsp)');
    assert.equal(who({ client: "claude-code", version: "2.1", channel: "mcp" }), "claude-code 2.1 (mcp)");
    assert.equal(named('x", seen by "all'), String.raw`"x\", seen by \"all"`);
  });
});

describe("a budget", () => {
  it("is empty or full only when the layer is", () => {
    assert.deepEqual(
      [[0, 2000], [1, 2000], [812, 2000], [1999, 2000], [2000, 2000], [2500, 2000], [0, 0]].map(([used = 0, limit = 0]) =>
        bar(used, limit),
      ),
      ["░░░░░", "▓░░░░", "▓▓░░░", "▓▓▓▓░", "▓▓▓▓▓", "▓▓▓▓▓", "░░░░░"],
    );
  });

  it("is told to eyes and to screen readers", () => {
    assert.equal(budgetText({ used: 1212, limit: 2000 }), "▓▓▓░░ 1\u202f212 / 2\u202f000");
    assert.equal(budgetLabel({ used: 1212, limit: 2000 }), "1212 of 2000 units in use, 60 per cent");
    assert.equal(grouped(1234567), "1\u202f234\u202f567");
    assert.deepEqual([10, 1800, 2000].map((used) => fullness({ used, limit: 2000 })), ["room", "nearly", "full"]);
  });
});

describe("moments", () => {
  it("are told as ages", () => {
    const now = 100 * DAY;
    assert.deepEqual([0, 5 * MINUTE, 3 * 60 * MINUTE, 12 * DAY].map((age) => ago(now - age, now)), [
      "just now",
      "5 min ago",
      "3 h ago",
      "12 days ago",
    ]);
    assert.equal(expiry(now + 29 * DAY, now), "expires in 29 days");
    assert.equal(expiry(now, now), "expired");
    assert.equal(stamp(0, "UTC"), "1970-01-01 00:00:00");
  });
});

describe("names", () => {
  it("say what a layer is about", () => {
    assert.equal(layerName("user", "user-global"), "About you, everywhere");
    assert.equal(layerName("agent", "workspace", "api"), "Agent notes, in api");
    assert.equal(workspaceName(String.raw`C:\work\api`), "api");
  });
});
