/** Several wishes in one document: what a decision over all of them is about. */

import type { AskEntry, AskTarget } from "keepgate-client/generated/types.js";
import { placeOf } from "../../approval/change.js";
import { expiry, stamp } from "../../text/moments.js";
import { actionName, layerName, workspaceName } from "../../text/names.js";
import { named, oneLine } from "../../text/visible.js";
import type { Wish } from "../models/inbox.js";
import { document, nameOrNothing, quoted, type Row, section, table, who } from "./layout.js";

/** Every wish whole, in the order in which they will be decided. */
export function wishesDocument(wishes: readonly Wish[], now: number, zone?: string): string {
  const parts = wishes.map((wish, index) => wishSection(wish, `${index + 1} of ${wishes.length}`, now, zone));
  return document(`${wishes.length} wishes`, ...parts);
}

function wishSection(wish: Wish, place: string, now: number, zone?: string): string {
  const { proposal, ask, problem } = wish;
  const rows: Row[] = [
    ["where", whereOf(wish)],
    ["wanted by", ask === null ? null : who(ask.client)],
    ["source", nameOrNothing(proposal.source)],
    ["session", nameOrNothing(proposal.sessionId)],
    ["as agent", proposal.agentKey === "" ? null : named(proposal.agentKey)],
    ["asked", stamp(proposal.createdAt, zone)],
    ["expires", expiry(proposal.expiresAt, now).replace(/^expires /u, "")],
    ["problem", problem],
    ...(ask?.warnings ?? []).map((warning): Row => ["WARNING", oneLine(warning.message)]),
  ];
  return section(`${place}: ${actionName(proposal.kind)}`, table(rows), ...textsOf(wish));
}

/** The layer, or what else it would change, and the workspace. */
export function whereOf({ proposal }: Wish): string {
  const { track, scope, workspaceKey } = proposal;
  const folder = named(workspaceName(workspaceKey));
  if ((track === "user" || track === "agent") && (scope === "user-global" || scope === "workspace")) {
    return layerName(track, scope, folder);
  }
  return workspaceKey === "" ? "everywhere" : `in ${folder}`;
}

function textsOf({ proposal, ask }: Wish): readonly string[] {
  if (ask === null) return [quoted(proposal.text)];
  // The text of a question has no tags, and of what is consolidated the beginnings.
  const memories = (items: readonly (AskTarget | AskEntry)[]): readonly string[] =>
    items.flatMap((item) => [placeOf(ask, item), quoted(item.text)]);
  const [goes, comes] = [memories(ask.targets), memories(ask.entries)];
  if (ask.facts.length + ask.pages.length > 0 || goes.length + comes.length === 0) return [quoted(ask.text)];
  return [...(goes.length > 0 ? ["goes:", ...goes] : []), ...(comes.length > 0 ? ["comes:", ...comes] : [])];
}
