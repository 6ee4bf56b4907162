/** Every way a client can begin and end. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { finished } from "node:stream/promises";
import { test } from "node:test";

import { Client, Disconnected, type Approver } from "keepgate-client";
import { House, lives, until } from "./support.js";

const DRAFT = { track: "agent", scope: "workspace", text: "The tests need port 5434." } as const;
const YES: Approver = () => "allowed-once";

test("a sidecar that dies fails every call, and another takes its place", async (t) => {
  const house = new House(t);
  const approver: Approver = () => new Promise(() => undefined);
  const client = await house.client({ approver });
  const asked = new Promise((resolve) => client.on("approval/asked", resolve));
  const adding = client.add(DRAFT);
  await asked;
  process.kill(client.pid ?? 0, "SIGKILL");

  await assert.rejects(adding, (error) => error instanceof Disconnected && error.exit.signal === "SIGKILL");
  await assert.rejects(client.query(), { code: "DISCONNECTED" });
  assert.equal((await client.ended).exit.signal, "SIGKILL");
  await client.close();
  const next = await house.client({ approver: YES });
  const [waiting] = (await next.proposalsList({ status: "pending" })).proposals;
  assert.equal(waiting?.text, DRAFT.text);
  await next.proposalsApprove({ id: waiting.id, hash: waiting.hash });
  assert.equal((await next.query()).total, 1);
});

test("closing leaves no process, twice or with a question open", async (t) => {
  const client = await new House(t).client({ approver: () => new Promise(() => undefined) });
  const asked = new Promise((resolve) => client.on("approval/asked", resolve));
  const adding = assert.rejects(client.add(DRAFT));
  await asked;
  await Promise.all([client.close(), client[Symbol.asyncDispose]()]);

  await adding;
  assert.equal(lives(client.pid ?? 0), false);
  assert.deepEqual((await client.ended).exit, { code: 0, signal: null });
  await assert.rejects(client.query(), { code: "DISCONNECTED" });
});

test("streams that are there already serve as well", async (t) => {
  const { command, env, project } = new House(t);
  const [program, ...rest] = command;
  const child = spawn(program, rest, { env: { ...process.env, ...env } });
  t.after(() => child.kill("SIGKILL"));
  const streams = { readable: child.stdout, writable: child.stdin };
  const client = await Client.connect(streams, { workspace: project, session: { id: "s1" }, approver: YES });
  await client.add(DRAFT);
  assert.equal(client.pid, undefined);
  await client.close();

  await until(() => child.exitCode === 0);
});

test("streams of which one half is gone are no connection", async () => {
  const over = new PassThrough().resume();
  over.end();
  await finished(over);
  await assert.rejects(Client.connect({ readable: over, writable: new PassThrough() }), { code: "DISCONNECTED" });
  await assert.rejects(Client.connect({ readable: new PassThrough(), writable: over }), { code: "DISCONNECTED" });
});

for (const error of [undefined, new Error("EPIPE")]) {
  test(`an input that closes${error === undefined ? "" : " with an error"} fails what waits`, async () => {
    const writable = new PassThrough();
    const starting = Client.connect({ readable: new PassThrough(), writable });
    writable.destroy(error);

    await assert.rejects(starting, { code: "DISCONNECTED" });
  });
}

test("what cannot begin says why, and leaves nothing", async (t) => {
  const house = new House(t);
  const { command, env } = house;
  await assert.rejects(Client.spawn({ command: ["no-such-program"] }), /no-such-program cannot be started/);
  await assert.rejects(Client.spawn({ command: [process.execPath, "-e", "console.error('oh no')"] }), /oh no/);
  await assert.rejects(Client.spawn({ command: [process.execPath, "-e", "console.log('hello')"] }), /not a message|has ended/);
  const storePath = join(house.folder, "broken.db");
  writeFileSync(storePath, "this is no store".repeat(1000));
  const broken = Client.spawn({ command, env, initializationOptions: { storePath } });
  await assert.rejects(broken, { code: "STORE_CORRUPT", details: { path: storePath } });
});

test("stderr goes where it is wanted, and to nowhere else", async () => {
  let heard = "";
  const command = [process.execPath, "-e", "console.error('a word')"] as const;
  const starting = Client.spawn({ command, stderr: (text) => { heard += text; } });

  await assert.rejects(starting, (error) => error instanceof Disconnected && error.stderr.includes("a word"));
  assert.equal(heard, "a word\n");
});
