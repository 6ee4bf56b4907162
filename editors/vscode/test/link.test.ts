/** Which sidecars are of use, by their answer to `initialize`. */

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { serverOf } from "../src/sidecar/link.js";

const program = { command: "/opt/keepgate", args: ["serve"], from: "path" } as const;
const METHODS = ["approval/shown", "proposals/approve", "proposals/dismiss", "proposals/get", "proposals/list"];

function answer(said: Readonly<Record<string, unknown>>): unknown {
  const keepgate = { protocolVersion: 1, methods: METHODS, workspaces: [], storePath: "/store", ...said };
  return { serverInfo: { name: "keepgate", version: "0.1.0" }, capabilities: { experimental: { keepgate } } };
}

describe("a sidecar", () => {
  it("of this protocol is taken", () => {
    const server = serverOf(answer({}), program);
    assert.ok("version" in server);
    assert.deepEqual([server.version, server.storePath], ["0.1.0", "/store"]);
  });

  it("of another protocol is named with its version and place, and the next step", () => {
    const problem = serverOf(answer({ protocolVersion: 2 }), program);
    assert.ok("kind" in problem);
    assert.equal(problem.kind, "too-old");
    assert.match(problem.message, /keepgate 0\.1\.0 at \/opt\/keepgate/u);
    assert.deepEqual(problem.steps, ["install", "open-settings"]);
  });

  it("that lets this client decide nothing is of no use", () => {
    const problem = serverOf(answer({ methods: ["proposals/list"] }), program);
    assert.ok("kind" in problem && problem.kind === "too-old");
  });

  it("is none where the answer is another program's", () => {
    for (const other of [null, {}, { serverInfo: { name: "pyright" }, capabilities: {} }]) {
      const problem = serverOf(other, program);
      assert.ok("kind" in problem && problem.kind === "not-keepgate");
    }
  });
});
