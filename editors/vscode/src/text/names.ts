/** The words of the contract as a person reads them. */

import type { GrantInfo, Scope, Track } from "keepgate-client";

const ACTIONS: Readonly<Record<string, string>> = {
  add: "Add",
  replace: "Replace",
  remove: "Remove",
  consolidate: "Consolidate",
  seed: "Add several",
  undo: "Undo",
  remember: "Remember a fact",
  supersede: "Replace a fact",
  forget: "Forget a fact",
  "page-put": "Write a page",
  "page-remove": "Remove a page",
  trust: "Trust a folder of pages",
  quarantine: "Quarantine",
  release: "Release from quarantine",
  purge: "Purge",
};

/** `About you, everywhere` and its three siblings; `folder` names a workspace where several are open. */
export function layerName(track: Track, scope: Scope, folder?: string): string {
  const what = track === "user" ? "About you" : "Agent notes";
  if (scope === "user-global") {
    return `${what}, everywhere`;
  }
  // Short: beside it there must be room for the budget in a side bar of the usual width.
  return folder === undefined ? `${what}, here` : `${what}, in ${folder}`;
}

/** What a kind of change does; a kind of a later version is named as it is. */
export function actionName(kind: string): string {
  return ACTIONS[kind] ?? kind;
}

/** The last part of a workspace key; `everywhere` for an empty one. */
export function workspaceName(key: string): string {
  return key === "" ? "everywhere" : (key.split(/[\\/]/u).findLast((part) => part !== "") ?? key);
}

/** What a grant lets a session do, such as `Add to agent/workspace of demo`. */
export function grantWords({ kind, layer, workspaceKey }: Pick<GrantInfo, "kind" | "layer" | "workspaceKey">): string {
  return [actionName(kind), layer === null ? "" : `to ${layer}`, `of ${workspaceName(workspaceKey)}`]
    .filter((part) => part !== "")
    .join(" ");
}
