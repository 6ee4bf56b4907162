/** What installs keepgate, as a line for a shell. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { installers, isKeepgate } from "../src/sidecar/install.js";

describe("the commands that install keepgate", () => {
  it("name the checkout and never a package of an index", () => {
    const commands = installers("linux", "/home/ada/my keepgate").map((one) => one.command);
    assert.deepEqual(commands, [
      "pipx install --force '/home/ada/my keepgate[mcp]'",
      "uv tool install --reinstall '/home/ada/my keepgate[mcp]'",
      "python3 -m pip install --upgrade '/home/ada/my keepgate[mcp]'",
    ]);
  });

  it("are quoted as shells of Windows read it", () => {
    const [pipx] = installers("win32", "C:\\Users\\ada\\keepgate");
    assert.equal(pipx?.command, 'pipx install --force "C:\\Users\\ada\\keepgate[mcp]"');
  });

  for (const path of ["/a'; touch b; '", '/a"b', "/a$(b)", "/a`b`", "/%PATH%", "/a\nb", "/a\u202Eb", "/a[b]"]) {
    it(`are not made for the folder ${JSON.stringify(path)}`, () => {
      assert.deepEqual(installers("linux", path), []);
      assert.deepEqual(installers("win32", path), []);
    });
  }

  it("are for this repository, and for no folder of something else", () => {
    assert.ok(isKeepgate(readFileSync("../../pyproject.toml", "utf8")));
    assert.ok(!isKeepgate('[project]\nname = "keepgate-other"\n'));
  });
});
