/** What can be done with one memory, fact or page. */

import * as vscode from "vscode";
import { uriOf } from "../views/editing/files.vscode.js";
import { sessionFor, sessionOf } from "../views/models/access.js";
import { factById } from "../views/models/facts.js";
import type { MemoryNode } from "../views/sources/memoryNodes.js";
import type { Found } from "../views/models/search.js";
import { isRecord } from "../sidecar/problems.js";
import { type Act, type Desk, tellDone, waiting } from "./running.vscode.js";
import { found as find } from "./searching.vscode.js";

type Subject =
  | { readonly kind: "entry"; readonly id: string }
  | { readonly kind: "fact"; readonly id: string }
  | { readonly kind: "page"; readonly slug: string };

/** The argument of keys that are pressed in the tree: they mean what is selected there. */
const SELECTION = "selection";

const show: Act = async (desk, node) => {
  const subject = await subjectOf(desk, node, "Show what is remembered");
  if (subject !== undefined) await open(desk, subject);
};

const searchAll: Act = async (desk) => {
  const hit = await find(desk.views, "Search memory");
  if (hit !== undefined) await open(desk, subjectOfFound(hit));
};

const edit: Act = async (desk, node) => {
  const subject = await subjectOf(desk, node, "Edit a memory", ["entry"]);
  if (subject?.kind === "entry") await vscode.window.showTextDocument(uriOf(subject.id), { preview: false });
};

const forget: Act = async (desk, node) => {
  const subject = await subjectOf(desk, node, "Forget a memory or a fact", ["entry", "fact"]);
  if (subject?.kind === "entry") await removeEntry(desk, subject.id);
  if (subject?.kind === "fact") await forgetFact(desk, subject.id);
};

const history: Act = async (desk, node) => {
  const subject = await subjectOf(desk, node, "Show the history of a memory or a fact", ["entry", "fact"]);
  if (subject !== undefined && subject.kind !== "page") await desk.views.documents.open("history", "History", subject.id);
};

const why: Act = async (desk, node) => {
  const subject = await subjectOf(desk, node, "Show why something is remembered", ["entry", "fact"]);
  if (subject !== undefined && subject.kind !== "page") await desk.views.documents.open("why", "Why", subject.id);
};

const copy: Act = async (_desk, node) => {
  if (!isNode(node) || (node.kind !== "entry" && node.kind !== "fact")) return;
  await vscode.env.clipboard.writeText(node.kind === "entry" ? node.entry.text : node.fact.fact);
  tellDone("the text was copied");
};

const openPage: Act = async (desk, node) => {
  const subject = await subjectOf(desk, node, "Open a page", ["page"]);
  if (subject?.kind === "page") await open(desk, subject);
};

const removePage: Act = async (desk, node) => {
  const subject = await subjectOf(desk, node, "Remove a page", ["page"]);
  if (subject?.kind !== "page") return;
  const { access } = desk.views;
  const { page } = await access.calls.pagesGet({ slug: subject.slug, session: null });
  const session = sessionFor(access, page.home);
  await waiting("waiting for the decision", (signal) =>
    access.calls.pagesRemove({ slug: subject.slug, session }, { signal }),
  );
  tellDone("the page was removed");
};

export const MEMORY_ACTS: Readonly<Record<string, Act>> = {
  search: searchAll,
  showMemory: show,
  editMemory: edit,
  forget,
  showHistory: history,
  showWhy: why,
  copyText: copy,
  openPage,
  removePage,
};

async function open(desk: Desk, subject: Subject): Promise<void> {
  switch (subject.kind) {
    case "entry":
      await desk.views.documents.open("memory", "Memory", subject.id);
      return;
    case "fact":
      await desk.views.documents.open("fact", "Fact", subject.id);
      return;
    case "page": {
      const { path } = await desk.views.access.calls.pagesGet({ slug: subject.slug, session: null });
      await vscode.window.showTextDocument(vscode.Uri.file(path));
    }
  }
}

async function removeEntry(desk: Desk, id: string): Promise<void> {
  const { access } = desk.views;
  const { entry } = await access.calls.get({ id, session: null });
  const { track, scope, version } = entry;
  await waiting("waiting for the decision", (signal) =>
    access.calls.remove({ track, scope, id, version, session: sessionOf(access, entry) }, { signal }),
  );
  tellDone("the memory was removed; the ledger can bring it back");
}

async function forgetFact(desk: Desk, id: string): Promise<void> {
  const { access } = desk.views;
  const prompt = "Why is it to be forgotten? The ledger keeps the reason.";
  const reason = await vscode.window.showInputBox({ title: "Forget a fact", prompt, placeHolder: "No reason" });
  if (reason === undefined) return;
  const { whole } = await factById(access, id);
  // Without its home the connection speaks, which sees every open folder.
  const session = whole === null ? null : sessionFor(access, whole.source_id);
  const { expired } = await waiting("waiting for the decision", (signal) =>
    access.calls.forget({ id, reason: reason.trim() || null, dry_run: false, session }, { signal }),
  );
  tellDone(expired ? "the fact was forgotten; the ledger can bring it back" : "the fact counted no more already");
}

/** What the command is about: the tree's node, what is selected there, or what the person finds. */
async function subjectOf(
  desk: Desk,
  given: unknown,
  title: string,
  kinds: readonly Subject["kind"][] = ["entry", "fact", "page"],
): Promise<Subject | undefined> {
  const node = given === SELECTION ? desk.views.memoryTree.view.selection[0] : given;
  if (isNode(node)) {
    const subject = subjectOfNode(node);
    return subject !== undefined && kinds.includes(subject.kind) ? subject : undefined;
  }
  const hit = await find(desk.views, title, kinds);
  return hit === undefined ? undefined : subjectOfFound(hit);
}

function subjectOfNode(node: MemoryNode): Subject | undefined {
  switch (node.kind) {
    case "entry":
      return { kind: "entry", id: node.entry.id };
    case "fact":
      return { kind: "fact", id: node.fact.fact_id };
    case "page":
      return { kind: "page", slug: node.page.slug };
    case "layer":
    case "facts":
    case "group":
    case "pages":
    case "nothing":
    case "more":
      return undefined;
  }
}

function subjectOfFound(found: Found): Subject {
  switch (found.kind) {
    case "entry":
      return { kind: "entry", id: found.entry.id };
    case "fact":
      return { kind: "fact", id: found.fact.fact_id };
    case "page":
      return { kind: "page", slug: found.page.slug };
  }
}

/** Whether a command's argument is a node of the tree; the palette gives none. */
function isNode(value: unknown): value is MemoryNode {
  return isRecord(value) && typeof value["kind"] === "string";
}
