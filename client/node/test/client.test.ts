/** The client with a real sidecar: calls, questions, and what the client answers. */

import assert from "node:assert/strict";
import { test } from "node:test";

import type { ApprovalRequestParams, Approver, Entry, Verdict } from "keepgate-client";
import { House, until } from "./support.js";

const DRAFT = { track: "agent", scope: "workspace", text: "The tests need port 5434." } as const;
const YES: Approver = () => "allowed-once";

for (const framing of ["lsp", "lines"] as const) {
  test(`${framing}: a memory is added after the person's yes, found, and taken back`, async (t) => {
    const asks: ApprovalRequestParams[] = [];
    const approver: Approver = (ask) => {
      asks.push(ask);
      return "allowed-once";
    };
    const client = await new House(t).client({ framing, approver });
    const added: string[] = [];
    client.on("memory/added", ({ id }) => added.push(id ?? ""));
    const { entry, usage } = await client.add({ ...DRAFT, text: "日本語 é 👍", tags: ["a"] });

    assert.deepEqual([entry.text, entry.tags, entry.version, usage.used], ["日本語 é 👍", ["a"], 1, 8]);
    assert.deepEqual((await client.query({ text: "語 é" })).entries.map(({ id }) => id), [entry.id]);
    await until(() => added.includes(entry.id));
    const { previous } = await client.replace({ ...DRAFT, match: "日本" });
    assert.equal(previous.text, "日本語 é 👍");
    await client.remove({ track: "agent", scope: "workspace", id: entry.id, version: 2 });
    assert.deepEqual((await client.list()).entries, []);
    assert.deepEqual(asks.map(({ action, from, to }) => [action, from, to]), [
      ["add", null, "日本語 é 👍"],
      ["replace", "日本語 é 👍", DRAFT.text],
      ["remove", DRAFT.text, null],
    ]);
  });
}

const VERDICTS: readonly (readonly [string, Approver, string])[] = [
  ["rejected", () => "rejected", "rejected"],
  ["dismissed", () => Promise.resolve<Verdict>("cancelled"), "cancelled"],
  ["unavailable", () => "unavailable", "unavailable"],
  ["an exception", () => { throw new Error("the window broke"); }, "cancelled"],
  ["a rejection", () => Promise.reject(new Error("the window broke")), "cancelled"],
  ["an unknown word", () => "yes" as Verdict, "cancelled"],
  ["nothing", () => undefined as unknown as Verdict, "cancelled"],
  ["a truth", () => true as unknown as Verdict, "cancelled"],
];

for (const [name, approver, outcome] of VERDICTS) {
  test(`${name} stores nothing`, async (t) => {
    const client = await new House(t).client({ approver });

    await assert.rejects(client.add(DRAFT), (error: { code: string; details: { outcome: string } }) => {
      assert.deepEqual([error.code, error.details.outcome], ["WRITE_DENIED", outcome]);
      return true;
    });
    assert.equal((await client.query()).total, 0);
    const pending = await client.proposalsList({ status: "pending" });
    assert.equal(pending.proposals.length, outcome === "unavailable" ? 1 : 0);
  });
}

test("leave for the session is asked once", async (t) => {
  let asked = 0;
  const client = await new House(t).client({ approver: () => { asked += 1; return "allowed-session"; } });
  await client.add(DRAFT);
  await client.add({ ...DRAFT, text: "Another." });

  assert.equal(asked, 1);
  assert.equal((await client.grantsList()).grants.length, 1);
});

test("without an approver the wish waits in the inbox, and can be decided there", async (t) => {
  const house = new House(t);
  house.settings("approvalTimeoutSeconds = 1\n");
  const client = await house.client();
  await assert.rejects(client.add(DRAFT), { code: "WRITE_DENIED" });
  const person = await house.client({ approver: YES });
  const [proposal] = (await person.proposalsList({ status: "pending" })).proposals;
  assert.ok(proposal);
  await person.proposalsApprove({ id: proposal.id, hash: proposal.hash });

  assert.equal((await client.query()).entries[0]?.text, DRAFT.text);
});

test("a call that is given up withdraws its question", async (t) => {
  const controller = new AbortController();
  const withdrawn: boolean[] = [];
  const approver: Approver = (_, { signal }) =>
    new Promise<Verdict>((resolve) => {
      signal.addEventListener("abort", () => {
        withdrawn.push(true);
        resolve("allowed-once");
      });
      controller.abort();
    });
  const client = await new House(t).client({ approver });

  await assert.rejects(client.add(DRAFT, { signal: controller.signal }), { name: "AbortError" });
  await until(() => withdrawn.length === 1);
  assert.equal((await client.query()).total, 0);
  const [row] = (await client.audit({ limit: 1, action: "add-denied" })).rows;
  assert.match(row?.outcome ?? "", /^cancelled/);
});

test("the faults of the contract, of verbs, and of the wire", async (t) => {
  const client = await new House(t).client({ approver: YES });

  await assert.rejects(client.add({ ...DRAFT, text: "" }), { code: "INVALID_INPUT", number: -32050 });
  await assert.rejects(client.request("memory/add", { ...DRAFT, text: 5 }), { code: "INVALID_INPUT", number: -32602 });
  await assert.rejects(client.remove({ ...DRAFT, text: undefined, match: "x" } as never), { code: "ENTRY_NOT_FOUND" });
  await assert.rejects(client.remember({ fact: "x", provenance: "" }), { code: "provenance_required", number: -32064 });
  await assert.rejects(client.request("no/such"), { code: "METHOD_NOT_FOUND" });
  await assert.rejects(client.add({ ...DRAFT, session: null }), { code: "WRITE_REQUIRES_AGENT" });
});

test("a dry run says what would be done", async (t) => {
  const client = await new House(t).client({ approver: YES });
  const would = await client.remember({ fact: "Ann likes tea.", provenance: "test", dry_run: true });
  const done = await client.remember({ fact: "Ann likes tea.", provenance: "test" });

  assert.deepEqual([would.dry_run, done.status], [true, "inserted"]);
});

test("a language model of the client's answers", async (t) => {
  const prompts: string[] = [];
  const client = await new House(t).client({
    approver: YES,
    languageModel: ({ messages }) => {
      prompts.push(messages.map(({ content }) => content).join());
      return { text: "no JSON", model: "toy" };
    },
  });
  await client.pagesPut({ slug: "projects/apollo", content: "# Apollo\n\nApollo is released on Thursdays.\n" });
  const { synthesis_status, answer } = await client.synthesize({ question: "When is Apollo released?" });

  assert.match(prompts[0] ?? "", /Thursdays/);
  // What the model said is no answer in the form that was asked for, so the pages are quoted.
  assert.notEqual(synthesis_status, "ok");
  assert.match(answer, /Thursdays/);
});

test("an adapter of the client's converts there and back", async (t) => {
  const client = await new House(t).client({ approver: YES });
  const info = {
    id: "lines",
    name: "Lines",
    description: "One note a line.",
    version: "1",
    importFormats: ["text/plain"],
    exportFormat: "text/plain",
  };
  await client.adapters.register({
    info,
    adapt(payload) {
      if (typeof payload !== "string") {
        throw new Error("wants text");
      }
      return payload.split("\n").map((text) => ({ track: "agent", scope: "workspace", text }));
    },
    export: (entries: readonly Entry[]) => entries.map(({ text }) => text).join("\n"),
  });

  assert.equal((await client.import({ adapter: "lines", payload: "one\ntwo" })).added, 2);
  assert.equal(await client.export({ adapter: "lines" }), "one\ntwo");
  await assert.rejects(client.import({ adapter: "lines", payload: 5 }), { code: "ADAPTER_PAYLOAD", message: /wants text/ });
  await client.adapters.unregister("lines");
  await assert.rejects(client.export({ adapter: "lines" }), { code: "ADAPTER_NOT_FOUND" });
});

test("progress of a call is told by its token", async (t) => {
  const client = await new House(t).client();
  const seen: unknown[] = [];
  client.onProgress("mine", (value) => seen.push((value as { kind: string }).kind));
  await client.verify({ workDoneToken: "mine" });

  await until(() => seen.at(-1) === "end");
  assert.equal(seen[0], "begin");
});
