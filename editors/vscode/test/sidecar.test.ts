/** The sidecar of a window, with real processes. */

import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import type { Program } from "../src/sidecar/finder.js";
import { CallError, NOT_RUNNING } from "../src/sidecar/problems.js";
import { restartDelayMs } from "../src/sidecar/restarts.js";
import { house, lives, start } from "./support/serve.js";
import { until } from "./support/until.js";

const code = (error: unknown): string => (error instanceof CallError ? error.code : String(error));

describe("the sidecar", () => {
  it("answers typed calls, and faults with their code", async (test) => {
    const at = house();
    test.after(at.leave);
    const { sidecar, became } = start(at);
    const { server } = await became("running");
    assert.equal(server.workspaces.length, 1);
    assert.equal((await sidecar.calls.budgets({})).budgets.length, 4);
    assert.equal(await sidecar.calls.get({ id: "nobody" }).then(String, code), "ENTRY_NOT_FOUND");
  });

  it("tells what changed, over a restart, and leaves no process behind", async (test) => {
    const at = house();
    test.after(at.leave);
    const { sidecar, became, pids, states } = start(at);
    const topics: string[] = [];
    sidecar.onDidChange((topic) => topics.push(topic));
    await became("running");
    await sidecar.restart();
    await until(() => states.filter((state) => state.kind === "running").length === 2, "the second sidecar");
    await sidecar.calls.proposalsCreate({
      change: { action: "add", track: "agent", scope: "workspace", text: "x" },
      session: sidecar.person,
    });
    await until(() => topics.filter((topic) => topic === "proposals").length >= 3, "the change of the inbox");
    await sidecar.stop();
    assert.deepEqual(pids.map(lives), [false, false]);
    assert.equal(await sidecar.calls.budgets({}).then(String, code), NOT_RUNNING);
  });

  it("is stopped while it starts, and started anew at once", async (test) => {
    const at = house();
    test.after(at.leave);
    const { sidecar, pids, states } = start(at);
    await sidecar.stop("no-folder");
    assert.deepEqual(pids.filter(lives), []);
    assert.equal(states.at(-1)?.kind, "idle");
    sidecar.start();
    await until(() => sidecar.state.kind === "running", "the sidecar");
    await sidecar.stop();
    assert.deepEqual(pids.filter(lives), []);
  });

  it("gives up calls of which nobody wants the answer", async (test) => {
    const at = house();
    test.after(at.leave);
    const { sidecar, became } = start(at);
    await became("running");
    sidecar.onRequest("approval/request", () => new Promise(() => undefined));
    const controller = new AbortController();
    const adding = sidecar.calls.add(
      { track: "agent", scope: "workspace", text: "x", session: sidecar.person },
      { signal: controller.signal },
    );
    await until(async () => (await sidecar.calls.proposalsList({})).proposals.length === 1, "the question");
    controller.abort();
    assert.equal(await adding.then(String, code), "CANCELLED");
  });

  it("says that a setting is refused, and does not try again", async (test) => {
    const at = house();
    test.after(at.leave);
    const { became, states } = start(at, undefined, { writePolicy: "perhaps" });
    const failed = await became("failed");
    assert.equal(failed.problem.kind, "refused");
    assert.match(failed.problem.message, /writePolicy/u);
    assert.deepEqual(states.map((state) => state.kind), ["starting", "failed"]);
  });

  it("says that a program is not there", async (test) => {
    const failed = await failing(test, { command: "/nowhere/keepgate", args: [], from: "setting" });
    assert.match(failed, /^not-started: \/nowhere\/keepgate could not be started/u);
  });

  it("says that a program is another one", async (test) => {
    const script = `
      let seen = "";
      process.stdin.on("data", (data) => {
        seen += data;
        const id = /"id":(\\d+)/.exec(seen)?.[1];
        if (id === undefined) return;
        const body = JSON.stringify({ jsonrpc: "2.0", id: Number(id), result: { capabilities: {} } });
        process.stdout.write("Content-Length: " + body.length + "\\r\\n\\r\\n" + body);
        seen = "";
      }).on("end", () => process.exit());`;
    const failed = await failing(test, { command: process.execPath, args: ["-e", script, "--"], from: "setting" });
    assert.match(failed, /^not-keepgate/u);
  });

  it("tries a program that ends again, later and later, and not for ever", async (test) => {
    const at = house();
    test.after(at.leave);
    const { sidecar, became } = start(at, { command: process.execPath, args: ["-e", "process.exit(3)", "--"], from: "path" });
    const waiting = await became("waiting");
    await sidecar.stop();
    assert.equal(waiting.problem.kind, "ended");
    const delays = Array.from({ length: 9 }, (_, failures) => restartDelayMs(failures));
    assert.deepEqual(delays, [500, 1000, 2000, 4000, 8000, 16000, 30000, 30000, undefined]);
  });
});

async function failing(test: TestContext, program: Program): Promise<string> {
  const at = house();
  test.after(at.leave);
  const { problem } = await start(at, program).became("failed");
  return `${problem.kind}: ${problem.message}`;
}
