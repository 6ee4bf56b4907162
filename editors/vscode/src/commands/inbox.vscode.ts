/** Deciding what waits: one by one, some, or all after one look at them. */

import * as vscode from "vscode";
import { closeTab } from "../views/documents.vscode.js";
import { wishesDocument } from "../views/documents/wishes.js";
import { batchOf, choicesOf, outcomeOf, type Wish } from "../views/models/inbox.js";
import type { WishNode } from "../views/sources/inbox.js";
import { isRecord } from "../sidecar/problems.js";
import { type Act, type Desk, tellDone } from "./running.vscode.js";

/** The language of documents that are read below a list of choices: it leaves room for it. */
const BELOW_CHOICES = "keepgate-change";

const showWish: Act = async (desk, node) => {
  const [wish] = wishesOf(desk, node);
  if (wish === undefined) await openInbox();
  else await vscode.commands.executeCommand("keepgate.openQuestion", wish.proposal.id);
};

const dismiss: Act = async (desk, node, more) => {
  const wishes = wishesOf(desk, node, more);
  if (wishes.length === 0) return openInbox();
  const title = wishes.length === 1 ? "Dismiss this wish" : `Dismiss ${wishes.length} wishes`;
  const prompt = "Why? The ledger keeps the reason, and who wished it may be told. Escape keeps it waiting.";
  const reason = await vscode.window.showInputBox({ title, prompt, placeHolder: "No reason", ignoreFocusOut: true });
  if (reason === undefined) return;
  const told = reason.trim() || null;
  const { results } = await desk.views.access.calls.proposalsDismiss({ ids: choicesOf(wishes), reason: told });
  tellDone(outcomeOf(results, "dismissed"));
};

/** Shows all that can be decided together, whole, and asks once. */
const review: Act = async (desk, node, more) => {
  const { inbox } = desk.views;
  inbox.stale();
  await inbox.renew();
  const chosen = wishesOf(desk, node, more).map((wish) => wish.proposal.id);
  const wishes = inbox.wishes.filter((wish) => chosen.length === 0 || chosen.includes(wish.proposal.id));
  const { together, alone } = batchOf(wishes);
  if (together.length === 0) {
    const text = wishes.length === 0 ? "nothing waits for you." : "these wishes want a look of their own, one by one.";
    void vscode.window.showInformationMessage(`keepgate: ${text}`);
    return;
  }
  const uri = await desk.views.documents.openFixed("Wishes", wishesDocument(together, Date.now()), BELOW_CHOICES);
  await decide(desk, together, alone.length);
  await closeTab(uri);
};

export const INBOX_ACTS: Readonly<Record<string, Act>> = {
  showWish,
  dismissWish: dismiss,
  reviewWishes: review,
};

async function openInbox(): Promise<void> {
  await vscode.commands.executeCommand("keepgate.openInbox");
}

async function decide(desk: Desk, together: readonly Wish[], alone: number): Promise<void> {
  // Always shown: what is typed by mistake must not narrow the list down to a choice that decides.
  const alwaysShow = true;
  const count = together.length;
  const allow = { label: `Allow all ${count}`, description: "as they stand in the document below", alwaysShow };
  const refuse = { label: `Dismiss all ${count}`, description: "none of them is stored", alwaysShow };
  const later = { label: "Decide later", description: "they stay in the inbox", alwaysShow };
  const apart = alone === 0 ? "" : ` ${alone} more have warnings or want a look of their own.`;
  // The harmless answer stands first, where a stray key lands.
  const answer = await vscode.window.showQuickPick([later, allow, refuse], {
    title: `${together.length} wishes, whole in the document below.${apart}`,
    placeHolder: "Nothing is decided until you choose",
    ignoreFocusOut: true,
  });
  const { calls } = desk.views.access;
  const ids = choicesOf(together);
  if (answer === allow) tellDone(outcomeOf((await calls.proposalsApprove({ ids })).results, "stored"));
  if (answer === refuse) tellDone(outcomeOf((await calls.proposalsDismiss({ ids })).results, "dismissed"));
}

/** The wishes of a menu: those that are selected with the one that was clicked, or what is selected. */
function wishesOf(desk: Desk, node?: unknown, more?: unknown): readonly Wish[] {
  const many = Array.isArray(more) ? more.filter(isWish) : [];
  if (many.length > 0) return many.map((one) => one.wish);
  if (isWish(node)) return [node.wish];
  return node === "selection" ? desk.views.inboxTree.view.selection.map((one) => one.wish) : [];
}

function isWish(value: unknown): value is WishNode {
  return isRecord(value) && value["kind"] === "wish";
}
