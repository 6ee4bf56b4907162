/** The search: a list that follows what is typed, of two searches with a name each. */

import * as vscode from "vscode";
import { failureText } from "../text/faults.js";
import { layerName, workspaceName } from "../text/names.js";
import { excerpt, named, withoutIcons } from "../text/visible.js";
import { type Found, type FoundAll, search } from "../views/models/search.js";
import type { Views } from "../views/window.vscode.js";

const TYPING_MS = 150;
const LABEL_LENGTH = 150;

interface Item extends vscode.QuickPickItem {
  readonly found?: Found;
}

/** Let the person find something; undefined when the list was closed. `kinds` are those that can be chosen. */
export async function found(
  views: Views,
  title: string,
  kinds: readonly Found["kind"][] = ["entry", "fact", "page"],
): Promise<Found | undefined> {
  const pick = vscode.window.createQuickPick<Item>();
  pick.title = title;
  pick.placeholder = "Words of a memory, a fact or a page";
  const looking = follow(views, pick, kinds);
  try {
    return await new Promise((resolve) => {
      pick.onDidAccept(() => {
        resolve(pick.selectedItems[0]?.found);
      });
      pick.onDidHide(() => {
        resolve(undefined);
      });
      pick.show();
    });
  } finally {
    looking.dispose();
    pick.dispose();
  }
}

function follow(views: Views, pick: vscode.QuickPick<Item>, kinds: readonly Found["kind"][]): vscode.Disposable {
  let given = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const look = async (signal: AbortSignal): Promise<void> => {
    pick.busy = true;
    try {
      const all = await search(views.access, pick.value, signal);
      if (!signal.aborted) pick.items = items(all, kinds);
    } catch (thrown) {
      if (!signal.aborted) pick.items = [{ label: failureText(thrown), alwaysShow: true }];
    } finally {
      if (!signal.aborted) pick.busy = false;
    }
  };
  const soon = (ms: number): void => {
    given.abort();
    given = new AbortController();
    clearTimeout(timer);
    const { signal } = given;
    timer = setTimeout(() => void look(signal), ms);
  };
  pick.onDidChangeValue(() => {
    soon(TYPING_MS);
  });
  soon(0);
  return new vscode.Disposable(() => {
    given.abort();
    clearTimeout(timer);
  });
}

function items(all: FoundAll, kinds: readonly Found["kind"][]): readonly Item[] {
  const left = all.entriesLeft > 0 ? `, ${all.entriesLeft} more` : "";
  // The editor leaves headings out while something is typed; each row says which search found it, too.
  const groups: readonly (readonly [string, readonly Found[]])[] = [
    [`Memories that contain this${left}`, all.entries],
    ["Facts that recall finds", all.facts],
    ["Pages that recall finds", all.pages],
  ];
  const rows = groups.flatMap(([label, found]) => {
    const chosen = found.filter((one) => kinds.includes(one.kind)).map(item);
    return chosen.length === 0 ? [] : [{ label, kind: vscode.QuickPickItemKind.Separator }, ...chosen];
  });
  return rows.length > 0 ? rows : [{ label: "Nothing was found", alwaysShow: true }];
}

/** Always shown: the sidecar filtered already, by rules that the list does not know. */
function item(found: Found): Item {
  switch (found.kind) {
    case "entry": {
      const { text, track, scope, workspaceKey } = found.entry;
      const where = withoutIcons(layerName(track, scope, named(workspaceName(workspaceKey))));
      return { label: label("note", text), description: `contains it · ${where}`, alwaysShow: true, found };
    }
    case "fact":
      return {
        label: label("symbol-constant", found.fact.fact),
        description: `fact, by recall · ${withoutIcons(found.fact.entity_slug ?? found.fact.kind)}`,
        alwaysShow: true,
        found,
      };
    case "page":
      return {
        label: label("file", found.page.title ?? found.page.slug),
        description: `page, by recall · ${withoutIcons(found.page.slug)}`,
        alwaysShow: true,
        found,
      };
  }
}

function label(icon: string, text: string): string {
  return `$(${icon}) ${withoutIcons(excerpt(text, LABEL_LENGTH))}`;
}
