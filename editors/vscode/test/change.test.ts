/** How a change is shown, and in which order the choices stand. */

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { headline, shown } from "../src/approval/change.js";
import { type Choice, choices } from "../src/approval/choices.js";
import { look } from "../src/statusBar/look.js";
import { entry, fact, question, target } from "./support/question.js";

const warnings = [{ kind: "tainted", message: "This session has read a web page.\nAllowed: yes" }];

describe("a change", () => {
  it("that adds is shown as one text, whole", () => {
    const text = "first line\n  second line";
    const change = shown(question({ entries: [entry(text, { tags: ["go"] })] }));
    assert.ok(change.kind === "whole" && change.text.includes(`seen by every agent, tags go\n\n${text}\n`));
  });

  it("that replaces is a difference of the texts and nothing else", () => {
    const change = shown(question({ action: "replace", targets: [target("port 5433")], entries: [entry("port 5434")] }));
    assert.ok(change.kind === "diff");
    const [before, after] = [change.before.split("\n"), change.after.split("\n")];
    const different = before.flatMap((line, index) => (line === after[index] ? [] : [[line, after[index]]]));
    assert.deepEqual(different, [["port 5433", "port 5434"]]);
  });

  it("that consolidates has every text that goes on one side", () => {
    const targets = [target("one"), target("two", { id: "e2" })];
    const change = shown(question({ action: "consolidate", targets, entries: [entry("both")] }));
    assert.ok(change.kind === "diff");
    assert.match(change.before, /\none\n[^]*\ntwo\n/u);
    assert.match(change.after, /\nboth\n/u);
    assert.match(change.after, /^Consolidate 2 memories in the agent memory of "demo"\?/u);
  });

  it("that removes says so", () => {
    const change = shown(question({ action: "remove", targets: [target("gone soon")] }));
    assert.ok(change.kind === "whole");
    assert.match(change.text, /This would be removed:[^]*gone soon/u);
  });

  it("of a page is a difference of the file", () => {
    const page = { action: "page-put", workspaceKey: "/projects/demo", root: "/projects/demo/notes", slug: "a", path: "a.md" };
    const change = shown(question({ action: "page-put", track: "pages", pages: [{ ...page, before: "old", content: "new" }] }));
    assert.ok(change.kind === "diff");
    assert.match(change.before, /\/projects\/demo\/notes\/a\.md\n\nold\n/u);
    assert.match(headline(question({ action: "page-put", pages: [{ ...page, before: "old", content: "new" }] })), /^Change page a in/u);
  });

  it("of facts is the text of the contract", () => {
    const text = "fact: Prefers dark mode\nvisibility: world";
    const change = shown(question({ action: "remember", track: "facts", text }));
    assert.ok(change.kind === "whole" && change.text.includes(text));
  });

  it("of memories and facts leaves out neither", () => {
    const text = "remove from memory\n\nfact: Likes tea";
    const facts = [fact("Likes tea")];
    for (const sides of [{ targets: [target("a")] }, { entries: [entry("b")] }, { targets: [target("a")], entries: [entry("b")] }]) {
      const change = shown(question({ action: "undo", track: "batch", text, facts, ...sides }));
      assert.ok((change.kind === "diff" ? change.after : change.text).includes(text));
    }
  });

  it("has its warnings on top of both sides, each on one line", () => {
    const change = shown(question({ action: "replace", warnings, targets: [target("a")], entries: [entry("b")] }));
    assert.ok(change.kind === "diff");
    for (const side of [change.before, change.after]) {
      assert.equal(side.split("\n")[1], "Warning: This session has read a web page. ⏎ Allowed: yes");
    }
  });

  it("shows what hides", () => {
    const change = shown(question({ sessionId: "s\u202e1", entries: [entry("pay\u202eload\u200b")] }));
    assert.ok(change.kind === "whole");
    assert.match(change.text, /pay⟨U\+202E⟩load⟨U\+200B⟩/u);
    assert.doesNotMatch(change.text, /[\u202e\u200b]/u);
  });

  it("lets no name pass for words of ours", () => {
    const spoofed = question({ agentKey: "coder alone, seen by nobody", entries: [entry("x", { tags: ["none"] })] });
    const change = shown(spoofed);
    assert.ok(change.kind === "whole");
    assert.match(change.text, /agent "coder alone, seen by nobody"/u);
    assert.match(change.text, /tags "none"/u);
  });

  it("of several workspaces names each with its text", () => {
    const entries = [entry("a"), entry("b", { workspaceKey: "/projects/other" })];
    const change = shown(question({ action: "seed", count: 2, entries }));
    assert.ok(change.kind === "whole");
    assert.match(change.text, /of \/projects\/demo, seen[^]*\na\n[^]*of \/projects\/other, seen[^]*\nb\n/u);
  });
});

describe("the choices", () => {
  const acts = (list: readonly Choice[]): readonly string[] => list.map((choice) => choice.act);

  it("begin with two that decide nothing", () => {
    const list = acts(choices({ awaited: true, question: question({ forSession: true }) }));
    assert.deepEqual(list, ["look", "later", "separator", "allowed-once", "allowed-session", "rejected"]);
  });

  it("leave out leave for the session where none can follow", () => {
    assert.ok(!acts(choices({ awaited: true, question: question({}) })).includes("allowed-session"));
  });

  it("have the warnings on top, and no icon drawn by a text", () => {
    const list = choices({ awaited: true, question: question({ warnings: [{ kind: "x", message: "$(check) Allow once" }] }) });
    assert.equal(list.at(0)?.act, "look");
    assert.equal(list.at(0)?.label, "$(warning) \\$(check) Allow once");
  });
});

describe("the status bar", () => {
  const server = { version: "0.1.0", methods: [], workspaces: [], storePath: "" };
  const health = { health: "warning", message: "2 pages cannot be read", pendingApprovals: 0 } as const;

  it("counts what waits before anything else", () => {
    const now = look({ kind: "running", server }, health, 2);
    assert.equal(now?.text, "$(bell-dot) keepgate: 2 waiting");
    assert.equal(now.command, "keepgate.nextQuestion");
  });

  it("tells the sidecar's health when nothing waits", () => {
    assert.equal(look({ kind: "running", server }, health, 0)?.tooltip, "keepgate: 2 pages cannot be read");
  });

  it("tells what is wrong, and is not there without a folder", () => {
    const problem = { kind: "not-found", message: "keepgate is not installed.", steps: [] } as const;
    assert.equal(look({ kind: "failed", problem }, undefined, 0)?.background, "error");
    assert.equal(look({ kind: "idle", reason: "no-folder" }, undefined, 0), undefined);
  });
});
