/** A window for the tests of the views: a real sidecar, and what the views see of it. */

import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import type { Entry } from "keepgate-client";
import type { Sidecar } from "../../src/sidecar/sidecar.js";
import type { Access } from "../../src/views/models/access.js";
import { type House, house, keepgate, start } from "../support/serve.js";

export interface Opened {
  readonly at: House;
  readonly sidecar: Sidecar;
  readonly access: Access;
}

/** Open a window; with the policy `auto` its own writes need nobody. `at` shares a workspace with another one. */
export async function opened(
  test: TestContext,
  options: Readonly<Record<string, unknown>> = { writePolicy: "auto" },
  at: House = newHouse(test),
): Promise<Opened> {
  const { sidecar, became } = start(at, keepgate(), options);
  await became("running");
  const { workspaces } = await sidecar.calls.status({});
  const folders = workspaces.map(({ uri = "", key = "" }) => ({ key, name: "project", path: fileURLToPath(uri) }));
  return { at, sidecar, access: { calls: sidecar.calls, folders, sessionId: sidecar.person.id } };
}

/** Store a memory of the agents in this workspace. */
export async function stored({ sidecar }: Opened, text: string, tags: readonly string[] = []): Promise<Entry> {
  const session = sidecar.person;
  const { entry } = await sidecar.calls.add({ track: "agent", scope: "workspace", text, tags, session });
  return entry;
}

function newHouse(test: TestContext): House {
  const at = house();
  test.after(at.leave);
  return at;
}
