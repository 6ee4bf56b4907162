/** Adding a memory by hand. */

import * as vscode from "vscode";
import { budgetText } from "../text/budget.js";
import { withoutIcons } from "../text/visible.js";
import { sessionFor } from "../views/models/access.js";
import { type Layer, layersOf } from "../views/models/layers.js";
import { isRecord } from "../sidecar/problems.js";
import { type Act, type Desk, tellDone, waiting } from "./running.vscode.js";

interface LayerItem extends vscode.QuickPickItem {
  readonly layer: Layer;
}

const add: Act = async (desk, node) => {
  const layer = await layerOf(desk, node);
  if (layer === undefined) return;
  const text = await vscode.window.showInputBox({
    title: `Add to: ${layer.name}`,
    prompt: "One memory. For several lines, select them in an editor and use “keepgate: Remember the selection”.",
    validateInput: (value) => problemOf(value, layer),
    ignoreFocusOut: true,
  });
  if (text !== undefined) await store(desk, layer, text.trim());
};

const addSelection: Act = async (desk) => {
  const editor = vscode.window.activeTextEditor;
  const text = editor?.document.getText(editor.selection).trim() ?? "";
  if (text === "") {
    void vscode.window.showInformationMessage("keepgate: select the text that is to be remembered first.");
    return;
  }
  const layer = await layerOf(desk, undefined);
  if (layer === undefined) return;
  const problem = problemOf(text, layer);
  if (problem === undefined) await store(desk, layer, text);
  else void vscode.window.showWarningMessage(`keepgate: ${problem}`);
};

export const ADDING_ACTS: Readonly<Record<string, Act>> = { addMemory: add, addSelection };

async function store(desk: Desk, layer: Layer, text: string): Promise<void> {
  const typed = await vscode.window.showInputBox({
    title: `Add to: ${layer.name}`,
    prompt: "Tags, with commas between them. They may be left out.",
    placeHolder: "No tags",
    ignoreFocusOut: true,
  });
  if (typed === undefined) return;
  const tags = typed.split(",").map((tag) => tag.trim()).filter((tag) => tag !== "");
  const { access } = desk.views;
  const { track, scope } = layer;
  const session = sessionFor(access, layer.workspaceKey);
  await waiting("waiting for the decision", (signal) =>
    access.calls.add({ track, scope, text, tags, agentKey: "", session }, { signal }),
  );
  tellDone("the memory was added");
}

async function layerOf(desk: Desk, node: unknown): Promise<Layer | undefined> {
  if (isRecord(node) && node["kind"] === "layer") return node["layer"] as Layer;
  const layers = await layersOf(desk.views.access);
  const items = layers.map((layer): LayerItem => ({
    label: withoutIcons(layer.name),
    description: budgetText(layer.usage),
    layer,
  }));
  const title = "Where is it to be remembered?";
  return (await vscode.window.showQuickPick(items, { title, ignoreFocusOut: true }))?.layer;
}

function problemOf(text: string, { usage }: Layer): string | undefined {
  const wanted = text.trim();
  if (wanted === "") return "A memory needs a text.";
  // Lengths of the contract are UTF-16 units, as here.
  const left = usage.limit - usage.used;
  return wanted.length > left ? `${wanted.length} units do not fit: ${Math.max(0, left)} are left.` : undefined;
}
