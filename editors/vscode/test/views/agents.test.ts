/** The inbox beside real agents and a second window. */

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isRecord } from "../../src/sidecar/problems.js";
import { choicesOf, Inbox } from "../../src/views/models/inbox.js";
import { until } from "../support/until.js";
import { agent } from "./agent.js";
import { type Opened, opened } from "./opened.js";

/** The window's person looks at questions and answers none of them. */
function silent({ sidecar }: Opened): void {
  sidecar.onRequest("approval/request", (params, signal) => {
    if (isRecord(params)) sidecar.notify("approval/shown", { id: params["id"] });
    return new Promise((_resolve, reject) => {
      signal.addEventListener("abort", () => {
        reject(new Error("given up"));
      });
    });
  });
}

async function waiting({ access }: Opened, count: number): Promise<Inbox> {
  const inbox = new Inbox(() => access);
  await until(async () => {
    await inbox.renew();
    return inbox.wishes.length === count;
  }, `${count} wishes`);
  return inbox;
}

describe("wishes of an agent", () => {
  it("stand in the inbox of every window and are decided from either", async (test) => {
    const here = await opened(test, {});
    const there = await opened(test, {}, here.at);
    silent(here);
    silent(there);
    const remember = await agent(test, here.at);
    const answers = [remember("The build needs make."), remember("Ada owns the release.")];
    const inbox = await waiting(here, 2);
    await waiting(there, 2);
    assert.deepEqual(inbox.wishes.map(({ ask }) => ask?.client?.["client"]), ["agent", "agent"]);
    const [first, second] = inbox.wishes;
    assert.ok(first !== undefined && second !== undefined);

    await there.access.calls.proposalsApprove({ ids: choicesOf([first]) });
    await here.access.calls.proposalsDismiss({ ids: choicesOf([second]), reason: "not true" });
    const told = (await Promise.all(answers)).map((answer) => isRecord(answer) && (answer["status"] ?? answer["error"]));
    assert.deepEqual(told.sort(), ["inserted", "scope_denied"]);
    await waiting(here, 0);
    await waiting(there, 0);
  });
});
