/** The questions of a window, put by a real sidecar to its own client. */

import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { type Ended, type Open, Questions } from "../src/approval/questions.js";
import type { Sidecar } from "../src/sidecar/sidecar.js";
import { house, start } from "./support/serve.js";
import { until } from "./support/until.js";

interface Window {
  readonly sidecar: Sidecar;
  readonly questions: Questions;
  readonly ends: Ended[];
}

async function window(test: TestContext, options: Readonly<Record<string, unknown>> = {}): Promise<Window> {
  const at = house();
  const { sidecar, became } = start(at, undefined, options);
  const questions = new Questions(sidecar);
  const ends: Ended[] = [];
  questions.onDidEnd((ended) => ends.push(ended));
  test.after(async () => {
    questions.dispose();
    await at.leave();
  });
  await became("running");
  return { sidecar, questions, ends };
}

function add({ sidecar }: Window, text: string): Promise<string> {
  return sidecar.calls
    .add({ track: "agent", scope: "workspace", text, session: sidecar.person })
    .then(() => "stored", (error: unknown) => (error as { code: string }).code);
}

async function asked({ questions }: Window): Promise<Open> {
  return until(() => questions.open.find((open) => open.awaited), "a question");
}

describe("the questions", () => {
  it("are decided for the session, and the next is not asked", async (test) => {
    const at = await window(test);
    const first = add(at, "one");
    const open = await asked(at);
    assert.equal(open.question.forSession, true);
    await at.questions.decide(open, "allowed-session");
    assert.equal(await first, "stored");
    assert.equal(await add(at, "another thing entirely"), "stored");
    assert.deepEqual(at.questions.open, []);
  });

  it("wait in their order, and each is decided on its own", async (test) => {
    const at = await window(test);
    const adding = [add(at, "one"), add(at, "two"), add(at, "three")];
    const open = await asked(at);
    await until(() => at.questions.waiting === 3, "three wishes");
    assert.equal((await at.questions.next())?.question.id, open.question.id);
    await at.questions.decide(open, "rejected");
    await at.questions.decide(await asked(at), "allowed-once");
    await at.questions.decide(await asked(at), "allowed-once");
    assert.deepEqual((await Promise.all(adding)).sort(), ["WRITE_DENIED", "stored", "stored"]);
    await until(() => at.questions.waiting === 0, "nothing to wait");
  });

  it("are not decided by what was shown before they changed", async (test) => {
    const at = await window(test);
    const adding = add(at, "x");
    const open = await asked(at);
    const other: Open = { ...open, question: { ...open.question, hash: "another" } };
    assert.equal(await at.questions.decide(other, "allowed-once"), open);
    assert.deepEqual(at.ends, []);
    at.questions.later(open);
    assert.equal(await adding, "WRITE_DENIED");
  });

  it("of the inbox are shown anew when the change is no longer what was shown", async (test) => {
    const at = await window(test);
    const { sidecar, questions } = at;
    const first = add(at, "port 5433");
    await questions.decide(await asked(at), "allowed-once");
    await first;
    const session = sidecar.person;
    const place = { track: "agent", scope: "workspace" } as const;
    const change = { action: "replace", ...place, match: "port", text: "port 5434" };
    await sidecar.calls.proposalsCreate({ change, session });
    const open = await questions.next();
    assert.ok(open !== undefined && !open.awaited);
    const replacing = sidecar.calls.replace({ ...place, match: "port", text: "port 1", session });
    await questions.decide(await asked(at), "allowed-once");
    await replacing;
    const anew = await questions.decide(open, "allowed-once");
    assert.equal(anew?.question.from, "port 1");
    assert.equal(await questions.decide(anew, "allowed-once"), undefined);
    const { entries } = await sidecar.calls.list({ session: null });
    assert.deepEqual(entries.map((entry) => entry.text), ["port 5434"]);
  });

  it("that were dismissed elsewhere are closed, with a word", async (test) => {
    const at = await window(test);
    const change = { action: "add", track: "agent", scope: "workspace", text: "x" };
    const { proposal } = await at.sidecar.calls.proposalsCreate({ change, session: at.sidecar.person });
    await at.questions.bring(proposal.id);
    await at.sidecar.calls.proposalsDismiss({ id: proposal.id });
    const ended = await until(() => at.ends[0], "the end");
    assert.deepEqual([ended.id, ended.end], [proposal.id, "elsewhere"]);
    assert.equal(await at.questions.next(), undefined);
  });

  it("stay when nobody waits for them any more, and are stored by a late yes", async (test) => {
    const at = await window(test, { approvalTimeoutSeconds: 1 });
    const adding = add(at, "x");
    await asked(at);
    assert.equal(await adding, "WRITE_DENIED");
    const open = await until(() => at.questions.open.find((one) => !one.awaited), "the question without a caller");
    assert.equal(await at.questions.decide(open, "allowed-once"), undefined);
    assert.equal((await at.sidecar.calls.list({ session: null })).entries.length, 1);
  });

  it("stay when the sidecar is gone, and cannot be decided meanwhile", async (test) => {
    const at = await window(test);
    void add(at, "x");
    const open = await asked(at);
    await at.sidecar.stop();
    const held = at.questions.find(open.question.id);
    assert.ok(held !== undefined && !held.awaited && !held.question.forSession);
    await assert.rejects(at.questions.decide(held, "allowed-once"), { code: "NOT_RUNNING" });
    at.sidecar.start();
    await until(() => at.sidecar.state.kind === "running", "the next sidecar");
    assert.equal(await at.questions.decide(held, "allowed-once"), undefined);
    assert.deepEqual(at.ends.map((ended) => ended.end), ["decided"]);
  });
});
