/** Wishes of agents in other processes: real `keepgate mcp` servers in the same workspace. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { test } from "node:test";

import type { ApprovalRequestParams, Approver, Client, Proposal, Verdict } from "keepgate-client";
import { House, lives, until } from "./support.js";

const FACT = "The tests need port 5434.";

function pending(client: Client): Promise<Proposal> {
  return until(async () => (await client.proposalsList({ status: "pending" })).proposals[0]);
}

async function facts(client: Client): Promise<string[]> {
  return (await client.asOf({ at: 2 ** 52 })).facts.map(({ text }) => text);
}

for (const [verdict, status] of [["allowed-once", "inserted"], ["rejected", undefined]] as const) {
  test(`the wish of an agent is asked here: ${verdict}`, async (t) => {
    const asks: ApprovalRequestParams[] = [];
    const approver: Approver = (ask) => {
      asks.push(ask);
      return verdict;
    };
    const house = new House(t);
    const client = await house.client({ approver });
    const agent = await house.agent();
    const answer = await agent.remember(FACT);

    assert.equal(answer["status"], status);
    assert.equal(asks[0]?.facts[0]?.text, FACT);
    assert.equal(asks[0].client?.["client"], "agent");
    assert.deepEqual(await facts(client), status === undefined ? [] : [FACT]);
  });
}

test("a wish that an agent left behind is found on connecting, shown whole, and decided", async (t) => {
  const house = new House(t);
  house.settings("approvalTimeoutSeconds = 1\n");
  const agent = await house.agent();
  assert.equal((await agent.remember(FACT))["status"], undefined);
  await agent.kill();
  const client = await house.client({ approver: () => "cancelled" });
  const { id } = await pending(client);
  const { ask } = await client.proposalsGet({ id });
  assert.equal(ask?.facts[0]?.text, FACT);
  const changed = new Promise<string>((resolve) => client.on("proposals/didChange", ({ status }) => { resolve(status); }));
  await client.proposalsApprove({ id, hash: ask.hash });

  assert.equal(await changed, "approved");
  assert.deepEqual(await facts(client), [FACT]);
});

test("a wish that waits while a client comes is asked there, and its agent goes on", async (t) => {
  const house = new House(t);
  const first = await house.client({ approver: () => new Promise(() => undefined) });
  const asked = new Promise((resolve) => first.on("approval/asked", resolve));
  const remembering = (await house.agent()).remember(FACT);
  await asked;
  process.kill(first.pid ?? 0, "SIGKILL");
  await first.ended;
  await house.client({ approver: () => "allowed-once" });

  assert.equal((await remembering)["status"], "inserted");
});

test("a question that is answered elsewhere is withdrawn here", async (t) => {
  const house = new House(t);
  const asked: string[] = [];
  const withdrawn: string[] = [];
  const open = (name: string): Promise<Client> => {
    const approver: Approver = (_, { signal }) =>
      new Promise<Verdict>((resolve) => {
        asked.push(name);
        signal.addEventListener("abort", () => {
          withdrawn.push(name);
          resolve("allowed-once");
        });
      });
    return house.client({ approver });
  };
  const windows = new Map([["one", await open("one")], ["two", await open("two")]]);
  const decided = new Promise<string>((resolve) => {
    windows.get("one")?.on("approval/decided", ({ outcome }) => { resolve(outcome); });
  });
  const remembering = (await house.agent()).remember(FACT);
  const name = await until(() => asked[0]);
  const other = windows.get(name === "one" ? "two" : "one");
  assert.ok(other);
  await other.proposalsDismiss({ id: (await pending(other)).id });

  assert.equal(await decided, "rejected");
  assert.equal((await remembering)["status"], undefined);
  await until(() => withdrawn.includes(name));
  assert.deepEqual(await facts(other), []);
});

test("no sidecar outlives a host that is killed, and its wish is kept", async (t) => {
  const house = new House(t);
  const env = { ...process.env, ...house.env };
  const script = fileURLToPath(new URL("./host.js", import.meta.url));
  const host = spawn(process.execPath, [script, house.project, JSON.stringify(house.command)], { env });
  house.after(() => host.kill("SIGKILL"));
  const lines: string[] = [];
  createInterface({ input: host.stdout }).on("line", (line) => lines.push(line));
  await until(() => lines.includes("asked"));
  host.kill("SIGKILL");

  await until(() => !lives(Number(lines[0])));
  const client = await house.client({ approver: () => "cancelled" });
  assert.equal((await pending(client)).text, FACT);
});
