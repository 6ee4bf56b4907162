/** Where the program is looked for, on real files. */

import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { findProgram, isProblem, type Surroundings } from "../src/sidecar/finder.js";

let root = "";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "keepgate-finder-"));
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

function program(...place: readonly string[]): string {
  const path = join(root, ...place);
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, "#!/bin/sh\n");
  chmodSync(path, 0o755);
  return path;
}

function around(given: Partial<Surroundings>): Surroundings {
  return {
    platform: "linux",
    setting: "",
    searchPath: "",
    home: join(root, "home"),
    trusted: true,
    selectedPython: () => Promise.resolve(undefined),
    ...given,
  };
}

async function found(given: Partial<Surroundings>): Promise<string> {
  const result = await findProgram(around(given));
  return isProblem(result) ? `${result.kind}: ${result.message}` : `${result.from}: ${result.command}`;
}

describe("finding the program", () => {
  it("takes the setting before everything else", async () => {
    const own = program("own", "keepgate");
    program("bin", "keepgate");
    assert.equal(await found({ setting: own, searchPath: join(root, "bin") }), `setting: ${own}`);
  });

  it("understands ~ in the setting", async () => {
    const own = program("home", "tools", "keepgate");
    assert.equal(await found({ setting: "~/tools/keepgate" }), `setting: ${own}`);
  });

  it("uses nothing else when the setting names no program", async () => {
    program("bin", "keepgate");
    assert.match(await found({ setting: join(root, "gone"), searchPath: join(root, "bin") }), /^not-found: .*no program/u);
  });

  it("refuses a relative path, which would mean another program in every folder", async () => {
    assert.match(await found({ setting: "bin/keepgate" }), /no absolute path/u);
  });

  it("takes the selected Python environment before PATH", async () => {
    const inside = program("venv", "bin", "keepgate");
    program("bin", "keepgate");
    const python = join(root, "venv", "bin", "python");
    assert.equal(
      await found({ selectedPython: () => Promise.resolve(python), searchPath: join(root, "bin") }),
      `python: ${inside}`,
    );
  });

  it("leaves the selected Python alone in a workspace that is not trusted", async () => {
    program("venv", "bin", "keepgate");
    const python = join(root, "venv", "bin", "python");
    assert.match(await found({ trusted: false, selectedPython: () => Promise.resolve(python) }), /^not-found/u);
  });

  it("goes through PATH in its order and skips what is relative or no program", async () => {
    const path = program("b", "keepgate");
    mkdirSync(join(root, "a", "keepgate"), { recursive: true });
    const searchPath = ["", ".", "bin", join(root, "a"), join(root, "b")].join(delimiter);
    assert.equal(await found({ searchPath }), `path: ${path}`);
  });

  it("looks where installers put programs when PATH has none", async () => {
    const path = program("home", ".local", "bin", "keepgate");
    assert.equal(await found({}), `home: ${path}`);
  });

  it("offers to install it when it is nowhere", async () => {
    const result = await findProgram(around({}));
    assert.ok(isProblem(result));
    assert.deepEqual(result.steps, ["install", "open-settings"]);
  });
});
