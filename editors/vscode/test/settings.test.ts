/** The settings: which there are, who may set them, and that a real sidecar takes them. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { initializationOptions, type Inspected, PASSED_ON } from "../src/sidecar/settings.js";
import { house, start } from "./support/serve.js";

interface Property {
  readonly scope?: string;
  readonly default?: unknown;
}
interface Manifest {
  readonly contributes: { readonly configuration: { readonly properties: Readonly<Record<string, Property>> } };
}

const { properties } = (JSON.parse(readFileSync("package.json", "utf8")) as Manifest).contributes.configuration;

/** A value for each setting that is passed on. */
const VALUES: Readonly<Record<string, unknown>> = {
  approvalTimeoutSeconds: 30,
  writePolicy: "off",
  writePolicies: { "agent/workspace": "ask", "source:experiment": "off" },
  budgets: { agent: { userGlobal: 6000, workspace: 5000 } },
  proposals: { maxPerSession: 10 },
  facts: { home: "user" },
  queryLimit: 5,
  workspaceIdentity: "repository",
  "pages.roots": ["notes"],
  usageLog: false,
};

describe("the settings", () => {
  it("are machine-scoped wherever they are passed on or name a program", () => {
    for (const name of ["path", ...Object.keys(PASSED_ON)]) {
      assert.equal(properties[`keepgate.${name}`]?.scope, "machine", name);
    }
  });

  it("do not move the store", () => {
    assert.deepEqual(Object.keys(properties).filter((name) => /store/iu.test(name)), []);
  });

  it("pass on what the person set and nothing else", () => {
    const options = initializationOptions((name) =>
      name === "queryLimit" ? { globalValue: 5 } : { globalValue: undefined },
    );
    assert.deepEqual(options, { queryLimit: 5 });
  });

  it("do not take a value of a workspace, whatever scope it came with", () => {
    const inspected: Inspected & Readonly<Record<string, unknown>> = { workspaceValue: "auto", workspaceFolderValue: "auto", defaultValue: "auto" };
    assert.deepEqual(initializationOptions(() => inspected), {});
  });

  it("have a default that is not passed on", () => {
    const defaults = initializationOptions((name) => ({ globalValue: properties[`keepgate.${name}`]?.default }));
    assert.deepEqual(Object.values(defaults).filter((value) => JSON.stringify(value) !== "{}"), []);
  });

  it("are all taken by a sidecar", async (test) => {
    const at = house();
    test.after(at.leave);
    const options = initializationOptions((name) => ({ globalValue: VALUES[name] }));
    const { sidecar, became } = start(at, undefined, options);
    await became("running");
    assert.deepEqual(Object.keys(VALUES).sort(), Object.keys(PASSED_ON).sort());
    const refused = await sidecar.calls
      .add({ track: "agent", scope: "user-global", text: "x", session: sidecar.person })
      .then(String, (error: unknown) => (error as { code: string }).code);
    assert.equal(refused, "WRITE_DENIED");
  });
});
