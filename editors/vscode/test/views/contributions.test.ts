/** What package.json promises, and what the code keeps. */

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { describe, it } from "node:test";

interface Item {
  readonly command: string;
  readonly when?: string;
}
interface Contributes {
  readonly commands: readonly { readonly command: string; readonly title: string; readonly icon?: string }[];
  readonly menus: Readonly<Record<string, readonly Item[]>>;
  readonly keybindings: readonly Item[];
  readonly views: { readonly keepgate: readonly { readonly id: string; readonly icon: string }[] };
  readonly viewsWelcome: readonly { readonly view: string; readonly contents: string; readonly when: string }[];
  readonly configuration: { readonly properties: Readonly<Record<string, { readonly scope: string }>> };
}

const { contributes } = JSON.parse(readFileSync("package.json", "utf8")) as { readonly contributes: Contributes };

/** The commands that the code registers, read from its sources: they need an editor to run. */
function registered(): readonly string[] {
  const files = readdirSync("src/commands").map((name) => readFileSync(`src/commands/${name}`, "utf8"));
  const tables = files.flatMap((text) => [...text.matchAll(/_ACTS: [^=]+ = \{(?<keys>[^}]*)\}/gu)]);
  const acts = tables.flatMap((table) => (table.groups?.["keys"] ?? "").split(",").map((key) => key.split(":")[0]?.trim()));
  const own = [...readFileSync("src/extension.ts", "utf8").matchAll(/^ {4}"(?<name>keepgate\.\w+)":/gmu)];
  const names = [...acts.filter((name) => name !== "").map((name) => `keepgate.${name ?? ""}`)];
  return [...names, ...own.map((found) => found.groups?.["name"] ?? "")];
}

const COMMANDS = contributes.commands.map(({ command }) => command);
const MENUS = Object.values(contributes.menus).flat();

describe("the commands", () => {
  it("are all registered, once", () => {
    const names = registered();
    assert.ok(names.length > 30);
    assert.deepEqual(COMMANDS.filter((command) => !names.includes(command)), []);
    assert.equal(new Set(names).size, names.length);
    assert.equal(new Set(COMMANDS).size, COMMANDS.length);
  });

  it("of menus, keys and welcome texts are there", () => {
    const links = contributes.viewsWelcome.flatMap(({ contents }) =>
      [...contents.matchAll(/\(command:(?<name>[\w.]+)\)/gu)].map((found) => found.groups?.["name"] ?? ""),
    );
    const named = [...MENUS.map(({ command }) => command), ...contributes.keybindings.map(({ command }) => command), ...links];
    const known = new Set([...registered(), "vscode.openFolder"]);
    assert.deepEqual(named.filter((name) => !known.has(name)), []);
  });

  it("have icons of the theme alone, so that they follow light and dark", () => {
    const icons = contributes.commands.flatMap(({ icon }) => (icon === undefined ? [] : [icon]));
    assert.deepEqual(icons.filter((icon) => !/^\$\([a-z-]+\)$/u.test(icon)), []);
  });
});

describe("the views", () => {
  it("are those of the code, and their menus belong to one of them", () => {
    const ids = contributes.views.keepgate.map(({ id }) => id);
    const code = readFileSync("src/views/window.vscode.ts", "utf8");
    assert.deepEqual(ids, ["keepgate.memory", "keepgate.inbox", "keepgate.ledger"]);
    for (const id of ids) assert.ok(code.includes(`new Tree("${id}"`), id);
    const items = [...(contributes.menus["view/title"] ?? []), ...(contributes.menus["view/item/context"] ?? [])];
    for (const { when } of items) assert.ok(ids.includes(/^view == (\S+)/u.exec(when ?? "")?.[1] ?? ""), when);
  });

  it("say in every state what there is to do", () => {
    const states = ["no-folder", "not-found", "stopped", "failed"];
    for (const { id } of contributes.views.keepgate) {
      const told = contributes.viewsWelcome.filter(({ view }) => view === id);
      const conditions = told.map(({ when }) => when.replace("keepgate.condition == ", ""));
      for (const state of states) assert.ok(conditions.includes(state), `${id} in ${state}`);
    }
  });
});

describe("the settings", () => {
  it("are the person's alone", () => {
    for (const [name, { scope }] of Object.entries(contributes.configuration.properties)) {
      assert.equal(scope, "machine", name);
    }
  });
});
