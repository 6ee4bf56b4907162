/** The ledger view: rows, newest first. */

import type { AuditRow } from "keepgate-client";

import { ago } from "../../text/moments.js";
import { actionName } from "../../text/names.js";
import { excerpt, makeVisible, named } from "../../text/visible.js";
import { who } from "../documents/layout.js";
import type { Access } from "../models/access.js";
import { canUndo, type Ending, endingOf, rowsOf } from "../models/ledger.js";
import type { Paged } from "../models/paged.js";
import { type Look, type More, moreLook, type Source } from "./look.js";

export interface RowNode {
  readonly kind: "row";
  readonly row: AuditRow;
}
export type LedgerNode = RowNode | More;

const LABEL_LENGTH = 100;
const TOOLTIP_LENGTH = 2000;
const ICONS: Readonly<Record<Ending, readonly [icon: string, color?: string]>> = {
  done: ["pass", "testing.iconPassed"],
  denied: ["circle-slash", "list.errorForeground"],
  refused: ["error", "list.errorForeground"],
  waiting: ["watch", "list.warningForeground"],
  read: ["eye"],
  note: ["info"],
};

/** The tree of the ledger, of one session or of all. `now` gives epoch milliseconds. */
export class LedgerSource implements Source<LedgerNode> {
  readonly #access: () => Access;
  readonly #told: () => void;
  readonly #now: () => number;
  #sessionId: string | undefined;
  #rows: Paged<AuditRow, number>;

  constructor(access: () => Access, told: () => void, now: () => number) {
    this.#access = access;
    this.#told = told;
    this.#now = now;
    this.#rows = rowsOf(access);
  }

  /** The session that is shown; all of them when undefined. */
  get sessionId(): string | undefined {
    return this.#sessionId;
  }

  /** The rows read so far. */
  get rows(): readonly AuditRow[] {
    return this.#rows.items;
  }

  /** Show one session's rows, or all. */
  filter(sessionId: string | undefined): void {
    this.#sessionId = sessionId;
    this.#rows = rowsOf(this.#access, sessionId);
    this.#told();
  }

  renew(): Promise<void> {
    return this.#rows.renew();
  }

  async children(node?: LedgerNode): Promise<readonly LedgerNode[]> {
    if (node !== undefined) {
      return [];
    }
    const rows = this.#rows;
    await rows.first();
    const nodes = rows.items.map((row): LedgerNode => ({ kind: "row", row }));
    return rows.hasMore ? [...nodes, this.#more(rows)] : nodes;
  }

  look(node: LedgerNode): Look {
    return node.kind === "more" ? moreLook(node) : rowLook(node.row, this.#now());
  }

  #more(rows: Paged<AuditRow, number>): More {
    const read = async (): Promise<void> => {
      await rows.more();
      this.#told();
    };
    return { kind: "more", of: "ledger", shown: rows.items.length, total: null, read };
  }
}

/** How a row is drawn. */
export function rowLook(row: AuditRow, now: number): Look {
  const ending = endingOf(row);
  const [icon, color] = ICONS[ending];
  const text = row.purged ? "purged" : excerpt(row.text ?? "", LABEL_LENGTH);
  const label = text === "" ? actionWord(row.action) : `${actionWord(row.action)}: ${text}`;
  const by = who(row.by);
  const description = [ago(row.ts, now), ...(by === null ? [] : [by])].join(" · ");
  return {
    id: `row/${row.seq}`,
    label,
    description,
    tooltip: tooltip(row),
    spoken: [`Row ${row.seq}`, label, row.outcome ?? "", description].filter((part) => part !== "").join(", "),
    icon,
    ...(color === undefined ? {} : { color }),
    menu: `row${canUndo(row) ? "-undo" : ""}${row.sessionId === null ? "" : "-session"}`,
    command: "keepgate.showRow",
  };
}

/** `Add`, `Add, not allowed`, `Undo of a removal`: what a ledger action says. */
function actionWord(action: string): string {
  const end = /^(?<kind>.+)-(?<end>denied|refused)$/u.exec(action)?.groups;
  if (end === undefined) {
    return WORDS[action] ?? actionName(action);
  }
  return `${actionName(end["kind"] ?? action)}, ${end["end"] === "denied" ? "not allowed" : "refused"}`;
}

const WORDS: Readonly<Record<string, string>> = {
  recalled: "Recalled",
  snapshot: "Shown to a session",
  proposal: "Wished",
  expire: "A fact expired",
  restored: "A backup was put back",
  "consolidate-add": "Consolidate, new",
  "consolidate-remove": "Consolidate, removed",
  "undo-add": "Undo, brought back",
  "undo-replace": "Undo, changed back",
  "undo-remove": "Undo, taken away",
  "undo-remember": "Undo, fact taken away",
  "undo-supersede": "Undo, fact changed back",
  "undo-forget": "Undo, fact brought back",
  "undo-page-put": "Undo, page changed back",
  "undo-page-remove": "Undo, page brought back",
  "undo-trust": "Undo, trust taken away",
  "page-abandoned": "A page was not written",
};

function tooltip(row: AuditRow): string {
  const text = row.text === null ? "" : makeVisible(row.text);
  const lines = [
    `Row ${row.seq}: ${row.action}`,
    row.outcome ?? "",
    row.sessionId === null ? "" : `Session ${named(row.sessionId)}`,
    text.length <= TOOLTIP_LENGTH ? text : `${text.slice(0, TOOLTIP_LENGTH)}…`,
  ];
  return lines.filter((line) => line !== "").join("\n");
}
