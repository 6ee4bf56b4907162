/** One memory or fact, whole, and how it came to be. */

import type { Entry, RecallFact, Version, WhyResult } from "keepgate-client";

import { counted } from "../../text/budget.js";
import { stamp } from "../../text/moments.js";
import { actionName, layerName, workspaceName } from "../../text/names.js";
import { named, oneLine } from "../../text/visible.js";
import type { KnownFact } from "../models/facts.js";
import { document, nameOrNothing, quoted, type Row, section, table, who } from "./layout.js";

/** A memory with everything that is known of it. */
export function entryDocument(entry: Entry, zone?: string): string {
  const recalls =
    entry.recallCount === 0
      ? "never"
      : `${counted(entry.recallCount, "time", "times")}, last ${moment(entry.lastRecalled, zone) ?? "unknown"}`;
  const rows: Row[] = [
    ["layer", layerName(entry.track, entry.scope, named(workspaceName(entry.workspaceKey)))],
    ["workspace", entry.workspaceKey],
    ["seen by", seenBy(entry.agentKey)],
    ["tags", entry.tags.map(named).join(", ")],
    ["source", named(entry.source)],
    ["written", moment(entry.createdAt, zone)],
    ["changed", entry.version > 1 ? moment(entry.updatedAt, zone) : null],
    ["version", String(entry.version)],
    ["recalled", recalls],
    ["session", nameOrNothing(entry.sessionId)],
    ["id", entry.id],
  ];
  return document("Memory", quoted(entry.text), table(rows));
}

/** A fact with its provenance and dates, as far as they are known. */
export function factDocument({ id, text, active, whole }: KnownFact, zone?: string): string {
  const rows: Row[] = [
    ["state", active ? null : "It counts no more: forgotten, replaced or out of its time."],
    ...(whole === null ? [] : factRows(whole, zone)),
    ["id", id],
  ];
  return document("Fact", quoted(text), table(rows));
}

function factRows(fact: RecallFact, zone?: string): readonly Row[] {
  return [
    ["about", fact.entity_slug === null ? "nothing in particular" : named(fact.entity_slug)],
    ["kind", fact.kind],
    ["visibility", fact.visibility === "private" ? "private: agents over MCP never read it" : fact.visibility],
    ["provenance", oneLine(fact.provenance)],
    ["home", fact.source_id || "everywhere"],
    ["valid from", moment(Date.parse(fact.valid_from), zone)],
    ["valid until", validity(fact, zone)],
    ["session", nameOrNothing(fact.source_session)],
  ];
}

/** Every state that an entry or a fact had, newest first. */
export function historyDocument(id: string, versions: readonly Version[], zone?: string): string {
  const parts = versions.toReversed().map((version) =>
    section(
      `Version ${version.version}: ${actionName(version.action)}`,
      table([
        ["when", moment(version.ts, zone)],
        ["outcome", version.outcome],
        ["session", nameOrNothing(version.sessionId)],
        ["reason", version.reason],
        ["tags", version.tags?.map(named).join(", ")],
        ["ledger row", String(version.seq)],
      ]),
      version.text === null ? "The text was purged." : quoted(version.text),
    ),
  );
  return document("History", table([["id", id]]), ...parts);
}

/** Who wanted it and who allowed it, one link a change, oldest first. */
export function whyDocument(id: string, why: WhyResult, zone?: string): string {
  const now =
    why.entry === null
      ? why.fact === null
        ? "It is not stored any more."
        : quoted(why.fact.text)
      : quoted(why.entry.text);
  const links = why.chain.map((link) =>
    section(
      `${actionName(link.action)}, version ${link.version}`,
      table([
        ["when", moment(link.ts, zone)],
        ["wanted by", who(link.askedBy) ?? "unknown"],
        ["in session", nameOrNothing(link.sessionId)],
        ["as agent", link.agentKey === "" ? null : named(link.agentKey)],
        ["asked", moment(link.askedAt, zone)],
        ["decided", moment(link.decidedAt, zone)],
        ["decided by", who(link.decidedBy) ?? "nobody"],
        ["outcome", link.outcome],
        ["reason", link.reason],
        ["hash seen", link.hash],
        ["ledger row", String(link.seq)],
      ]),
    ),
  );
  return document("Why it is remembered", now, table([["id", id]]), ...links);
}

/** Who reads what is stored under an agent's key. */
export function seenBy(agentKey: string): string {
  return agentKey === "" ? "every agent" : `the agent ${named(agentKey)} alone`;
}

function validity(fact: RecallFact, zone?: string): string {
  if (fact.expired_at !== null) {
    return `forgotten or replaced ${moment(Date.parse(fact.expired_at), zone) ?? ""}`;
  }
  return fact.valid_until === null ? "always" : (moment(Date.parse(fact.valid_until), zone) ?? "always");
}

function moment(ms: number | null, zone?: string): string | null {
  return ms === null || Number.isNaN(ms) ? null : stamp(ms, zone);
}
