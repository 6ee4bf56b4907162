/** One question on the screen: a list of choices over the editor, whose change can be read and scrolled below. */

import * as vscode from "vscode";
import { headline } from "./change.js";
import { type Act, type Choice, choices } from "./choices.js";
import type { Open } from "./questions.js";

/** What the person chose; `aside` when the list was closed by Escape, or by another list. */
export type Chosen = Exclude<Act, "separator"> | "aside";

interface Item extends vscode.QuickPickItem {
  readonly act: Act;
}

/**
 * For so long after it appeared, and after text was typed into it, nothing is taken from it: the key or click was
 * meant for what was there before.
 */
const GUARD_MS = 600;

export class Prompt implements vscode.Disposable {
  readonly open: Open;
  readonly #pick = vscode.window.createQuickPick<Item>();
  #done = false;

  /** `place` is the question's place among those that are open, from 1. */
  constructor(open: Open, place: number, of: number, chosen: (chosen: Chosen) => void) {
    this.open = open;
    const pick = this.#pick;
    pick.title = `keepgate: ${headline(open.question)}`;
    pick.placeholder = "Nothing is decided until you choose. Escape puts it aside.";
    pick.ignoreFocusOut = true;
    if (of > 1) {
      pick.step = place;
      pick.totalSteps = of;
    }
    const items = choices(open).map(item);
    pick.items = items;
    let since = performance.now();
    pick.onDidChangeValue((value) => {
      if (value === "") return;
      // Text typed for the file below would else lead to a choice that decides, and its Enter would choose it.
      since = performance.now();
      pick.value = "";
      pick.activeItems = items.slice(0, 1);
    });
    pick.onDidHide(() => {
      if (!this.#done) chosen("aside");
    });
    pick.onDidAccept(() => {
      const act = pick.selectedItems[0]?.act;
      if (act === undefined || act === "separator" || performance.now() - since < GUARD_MS) return;
      chosen(act);
    });
    pick.show();
  }

  /** Take it from the screen; `chosen` is not called any more. */
  dispose(): void {
    this.#done = true;
    this.#pick.dispose();
  }
}

function item(choice: Choice): Item {
  const description = choice.description === undefined ? {} : { description: choice.description };
  if (choice.act === "separator") return { ...choice, kind: vscode.QuickPickItemKind.Separator };
  return { label: choice.label, act: choice.act, alwaysShow: true, ...description };
}
