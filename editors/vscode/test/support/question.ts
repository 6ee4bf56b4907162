/** Questions as a sidecar puts them, for the tests of how they are shown. */

import type { ApprovalRequestParams, AskEntry, AskFact, AskTarget } from "keepgate-client/generated/types.js";

const WORKSPACE = "/projects/demo";

export function question(given: Partial<ApprovalRequestParams>): ApprovalRequestParams {
  return {
    id: "cbf4cf08",
    action: "add",
    track: "agent",
    scope: "workspace",
    workspaceKey: WORKSPACE,
    agentKey: "",
    source: "keepgate",
    sessionId: "s1",
    text: "x",
    hash: "20698ee693fd0b8f",
    deadline: 0,
    warnings: [],
    from: null,
    to: null,
    targets: [],
    entries: [],
    facts: [],
    pages: [],
    usage: [],
    count: null,
    client: null,
    queue: [],
    forSession: false,
    ...given,
  };
}

export function entry(text: string, given: Partial<AskEntry> = {}): AskEntry {
  const place = { track: "agent", scope: "workspace", workspaceKey: WORKSPACE, agentKey: "" } as const;
  return { ...place, text, tags: [], source: "keepgate", ...given };
}

export function target(text: string, given: Partial<AskTarget> = {}): AskTarget {
  const place = { track: "agent", scope: "workspace", workspaceKey: WORKSPACE, agentKey: "" } as const;
  return { ...place, id: "e1", version: 1, text, tags: [], match: null, ...given };
}

export function fact(text: string): AskFact {
  const of = { workspaceKey: WORKSPACE, entity: null, kind: "fact", visibility: "world" } as const;
  return { ...of, action: "undo-remember", id: "f1", version: 1, text, provenance: "test", validUntil: null, reason: null };
}
