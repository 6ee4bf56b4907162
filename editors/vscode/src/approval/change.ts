/** A question in words: what the person reads before saying yes, whole and with nothing hidden. Pure. */

import type { ApprovalRequestParams, AskEntry, AskTarget } from "keepgate-client/generated/types.js";
import { makeVisible, named, oneLine } from "../text/visible.js";

/** The change as documents: one of them, or two beside each other where something is put in another's place. */
export type Shown =
  | { readonly kind: "whole"; readonly text: string }
  | { readonly kind: "diff"; readonly before: string; readonly after: string };

/** One readable line, such as `Replace in the agent memory of "demo"?`. */
export function headline(question: ApprovalRequestParams): string {
  return oneLine(`${act(question)}?`);
}

/** Who asks, on one line, such as `source keepgate, session s1, client claude`. */
export function whoAsks(question: ApprovalRequestParams): string {
  const client = question.client?.["client"];
  const parts = [
    question.source === null ? undefined : `source ${question.source}`,
    question.agentKey === "" ? undefined : `agent ${named(question.agentKey)}`,
    question.sessionId === null ? undefined : `session ${named(question.sessionId)}`,
    typeof client === "string" ? `client ${named(client)}` : undefined,
  ];
  return oneLine(parts.filter((part) => part !== undefined).join(", ") || "source unknown");
}

/** Its warnings, each on one line. */
export function warningLines(question: ApprovalRequestParams): readonly string[] {
  return question.warnings.map((warning) => oneLine(warning.message));
}

/** The documents. Both sides of a difference begin with the same lines, so that warnings stand on top of each. */
export function shown(question: ApprovalRequestParams): Shown {
  const top = [...head(question), ""];
  const before = [...question.targets.map((item) => block(question, item)), ...pageTexts(question, "before")];
  const after = [...question.entries.map((item) => block(question, item)), ...pageTexts(question, "content")];
  const told = makeVisible(question.text);
  // What a session wrote may be memories and facts; the text has every field of the latter.
  const facts = question.facts.length > 0 ? [told] : [];
  if (before.length > 0 && after.length > 0) {
    return { kind: "diff", before: document(top, before), after: document(top, [...after, ...facts]) };
  }
  if (before.length > 0) return { kind: "whole", text: document([...top, "This would be removed:"], [...before, ...facts]) };
  if (after.length > 0) return { kind: "whole", text: document([...top, "This would be stored:"], [...after, ...facts]) };
  return { kind: "whole", text: document(top, [told]) };
}

const RULE = "─".repeat(24);

function document(top: readonly string[], blocks: readonly string[]): string {
  return `${[...top, RULE, blocks.join(`\n${RULE}\n`)].join("\n")}\n`;
}

function head(question: ApprovalRequestParams): readonly string[] {
  const places = workspacesOf(question);
  const lines = [headline(question), ...warningLines(question).map((line) => `Warning: ${line}`)];
  lines.push(`Asked by: ${whoAsks(question)}`);
  if (places.length > 0) lines.push(oneLine(`Workspace: ${places.map(named).join(", ")}`));
  if (question.queue.length > 0) lines.push(`Behind it, when it was put: ${question.queue.length} more of this session`);
  return lines;
}

/** One memory: its place and tags on a line, then its text as it is. */
function block(question: ApprovalRequestParams, item: AskTarget | AskEntry): string {
  return `${placeOf(question, item)}\n\n${makeVisible(item.text)}`;
}

/** Where a memory of a question is or would be, who sees it, and its tags; on one line. */
export function placeOf(question: ApprovalRequestParams, item: AskTarget | AskEntry): string {
  const several = workspacesOf(question).length > 1;
  const where = several && item.workspaceKey !== "" ? ` of ${named(item.workspaceKey)}` : "";
  const readers = item.agentKey === "" ? "every agent" : `agent ${named(item.agentKey)} alone`;
  const tags = item.tags.length === 0 ? "" : `, tags ${item.tags.map(tag).join(", ")}`;
  return oneLine(`${item.track}/${item.scope}${where}, seen by ${readers}${tags}`);
}

function tag(value: string): string {
  // Quoted, so that a tag of that name cannot say that there is none.
  return value === "none" ? JSON.stringify(value) : named(value);
}

function pageTexts(question: ApprovalRequestParams, side: "before" | "content"): readonly string[] {
  return question.pages.flatMap((page) => {
    if (page.path === "") return side === "content" ? [oneLine(`every page below ${page.root}`)] : [];
    const text = page[side];
    return text === null ? [] : [`${oneLine(`${page.root}/${page.path}`)}\n\n${makeVisible(text)}`];
  });
}

function workspacesOf(question: ApprovalRequestParams): readonly string[] {
  const items = [question, ...question.targets, ...question.entries, ...question.facts, ...question.pages];
  return [...new Set(items.map((item) => item.workspaceKey))].filter((key) => key !== "").sort();
}

function act(question: ApprovalRequestParams): string {
  const place = question.workspaceKey === "" ? "" : ` in ${workspace(question)}`;
  const reach = question.scope === "user-global" ? " in every workspace" : place;
  const acts: Readonly<Record<string, string>> = {
    add: `Add to ${layer(question)}`,
    replace: `Replace in ${layer(question)}`,
    remove: `Remove from ${layer(question)}`,
    consolidate: `Consolidate ${memories(question.targets.length)} in ${layer(question)}`,
    seed: `Add ${memories(question.count ?? question.entries.length)}${place}`,
    undo: `Take back a change${place}`,
    remember: `Remember a fact${reach}`,
    supersede: `Remember a fact in the place of another${reach}`,
    forget: `Forget a fact${reach}`,
    "page-put": `${question.pages.some((page) => page.before !== null) ? "Change" : "Write"} ${pageName(question)}${place}`,
    "page-remove": `Remove ${pageName(question)}${place}`,
    purge: "Purge a text for good, everywhere",
    trust: `Trust a folder of pages${place}`,
    quarantine: `Put a session's memories into quarantine${place}`,
    release: `Bring a session's memories back from quarantine${place}`,
  };
  return acts[question.action] ?? `${question.action}${place}`;
}

function layer(question: ApprovalRequestParams): string {
  const owners: Readonly<Record<string, string>> = { user: "the user memory", agent: "the agent memory" };
  const owner = owners[question.track] ?? "the memory";
  if (question.scope === "user-global") return `${owner} of every workspace`;
  return question.workspaceKey === "" ? owner : `${owner} of ${workspace(question)}`;
}

function workspace(question: ApprovalRequestParams): string {
  const key = question.workspaceKey;
  const last = key.split(/[\\/]/u).findLast((part) => part !== "");
  return `"${last ?? key}"`;
}

function pageName(question: ApprovalRequestParams): string {
  const [page] = question.pages;
  return page === undefined ? "a page" : `page ${named(page.slug)}`;
}

function memories(count: number): string {
  return `${count} ${count === 1 ? "memory" : "memories"}`;
}
