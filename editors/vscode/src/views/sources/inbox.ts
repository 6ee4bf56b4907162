/** The inbox: what waits for a decision, oldest first. */

import { ago, expiry } from "../../text/moments.js";
import { actionName } from "../../text/names.js";
import { excerpt, makeVisible, named, oneLine } from "../../text/visible.js";
import { who } from "../documents/layout.js";
import { whereOf } from "../documents/wishes.js";
import type { Inbox, Wish } from "../models/inbox.js";
import type { Look, Source } from "./look.js";

export interface WishNode {
  readonly kind: "wish";
  readonly wish: Wish;
}

const LABEL_LENGTH = 100;
const TOOLTIP_LENGTH = 2000;

/** The tree of the inbox. `now` gives epoch milliseconds. */
export class InboxSource implements Source<WishNode> {
  readonly #inbox: Inbox;
  readonly #now: () => number;

  constructor(inbox: Inbox, now: () => number) {
    this.#inbox = inbox;
    this.#now = now;
  }

  children(node?: WishNode): Promise<readonly WishNode[]> {
    const wishes = node === undefined ? this.#inbox.wishes : [];
    return Promise.resolve(wishes.map((wish) => ({ kind: "wish", wish })));
  }

  look({ wish }: WishNode): Look {
    return wishLook(wish, this.#now());
  }
}

/** How a wish is drawn: what it would do, where, who wishes it and how old it is. */
export function wishLook(wish: Wish, now: number): Look {
  const { proposal, ask, problem } = wish;
  const label = `${actionName(proposal.kind)}: ${excerpt(saying(wish), LABEL_LENGTH)}`;
  const description = [whereOf(wish), wisher(wish), ago(proposal.createdAt, now)].join(" · ");
  const warnings = ask?.warnings.map((warning) => oneLine(warning.message)) ?? [];
  const trouble = [...(problem === null ? [] : [oneLine(problem)]), ...warnings];
  return {
    id: `wish/${proposal.id}`,
    label,
    description,
    tooltip: tooltip(wish, trouble, now),
    spoken: [label, description, ...trouble.map((line) => `Warning: ${line}`)].join(", "),
    icon: trouble.length > 0 ? "warning" : (ICONS[proposal.kind] ?? "question"),
    ...(trouble.length > 0 ? { color: "list.warningForeground" } : {}),
    menu: ask === null && problem !== null ? "wish-broken" : "wish",
    command: "keepgate.showWish",
  };
}

const ICONS: Readonly<Record<string, string>> = {
  add: "add",
  seed: "add",
  remember: "add",
  replace: "edit",
  supersede: "edit",
  consolidate: "combine",
  remove: "trash",
  forget: "trash",
  "page-put": "file",
  "page-remove": "trash",
  undo: "discard",
  trust: "workspace-trusted",
};

/** A fact itself, without its other fields; what a text would become; of other changes the question's text. */
function saying({ proposal, ask }: Wish): string {
  const [fact, ...more] = ask?.facts ?? [];
  return fact !== undefined && more.length === 0 ? fact.text : (ask?.to ?? ask?.text ?? proposal.text);
}

function wisher({ proposal, ask }: Wish): string {
  const client = ask === null ? null : who(ask.client);
  return client ?? (proposal.source === null ? "source unknown" : `source ${named(proposal.source)}`);
}

function tooltip(wish: Wish, trouble: readonly string[], now: number): string {
  const { proposal, ask } = wish;
  const text = makeVisible(ask?.text ?? proposal.text);
  const shown = text.length <= TOOLTIP_LENGTH ? text : `${text.slice(0, TOOLTIP_LENGTH)}…`;
  const session = proposal.sessionId === null ? [] : [`Session ${named(proposal.sessionId)}`];
  return [
    ...trouble.map((line) => `Warning: ${line}`),
    ...session,
    `Asked ${ago(proposal.createdAt, now)}, ${expiry(proposal.expiresAt, now)}`,
    "",
    shown,
  ].join("\n");
}
