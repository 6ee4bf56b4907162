/** How a document is laid out: plain text, our words on the left edge, stored text behind a bar. */

import { continued, makeVisible, named } from "../../text/visible.js";

const GUTTER = "│ ";

/** A label and what stands beside it; a row without a value is left out. */
export type Row = readonly [label: string, value: string | null | undefined];

/** Labels and values in two columns; the further lines of a value are indented. */
export function table(rows: readonly Row[]): string {
  const told = rows.flatMap(([label, value]) => (value === null || value === undefined || value === "" ? [] : [[label, value] as const]));
  const width = Math.max(0, ...told.map(([label]) => label.length));
  return told.map(([label, value]) => `${label.padEnd(width)}  ${continued(value)}`).join("\n");
}

/** Stored text as it is, hidden characters written out, each line behind a bar: none passes for ours. */
export function quoted(text: string): string {
  return makeVisible(text.replaceAll("\r\n", "\n"))
    .split("\n")
    .map((line) => `${GUTTER}${line}`.trimEnd())
    .join("\n");
}

/** A title, then what stands under it. Empty parts are left out. */
export function document(title: string, ...parts: readonly string[]): string {
  return [`${title}\n${"═".repeat(title.length)}`, ...parts.filter((part) => part !== "")].join("\n\n") + "\n";
}

/** A smaller title, then what stands under it. */
export function section(title: string, ...parts: readonly string[]): string {
  return [`${title}\n${"─".repeat(title.length)}`, ...parts.filter((part) => part !== "")].join("\n");
}

/** A name as `named` shows it, for a row that is left out when there is none. */
export function nameOrNothing(name: string | null | undefined): string | null {
  return name === null || name === undefined ? null : named(name);
}

/** Who did something, of a ledger row or a link: client, version and channel, as far as they are told. */
export function who(by: Readonly<Record<string, unknown>> | null): string | null {
  if (by === null) {
    return null;
  }
  const word = (key: string): string => (typeof by[key] === "string" ? by[key] : "");
  const client = [word("client"), word("version")].filter((part) => part !== "").map(named).join(" ");
  const how = [word("via"), word("channel")].filter((part) => part !== "").join(", ");
  return [client, how === "" ? "" : `(${how})`].filter((part) => part !== "").join(" ") || null;
}
