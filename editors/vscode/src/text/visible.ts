/**
 * Stored text as it may be shown. Memories, facts and wishes are words of agents: they may hide characters,
 * reorder their neighbours, or imitate what this editor draws.
 */

/** What draws nothing although its category does not say so: blank letters and marks, variation selectors. */
const BLANK =
  /[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2065\u2800\u3164\ufe00-\ufe0f\uffa0\ufff0-\ufff8\u{e0000}-\u{e0fff}]/u;
const CONTROL = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u;
const SOMETHING_HIDDEN = new RegExp(`${BLANK.source}|(?![\\n\\t])${CONTROL.source}`, "u");
const STYLE_SELECTOR = /[\ufe0e\ufe0f]/u;
const STYLED_BEFORE = /[\p{So}\p{Sm}0-9#*\u203c\u2049\u2139\u3030]$/u;
const JOINER = /[\u200c\u200d]/u;
/** The scripts that are spelled with joiners: Arabic and its kin, the Indic family, Mongolian. */
const JOINING_LETTER =
  /^[\u0600-\u08ff\u0900-\u0dff\u0f00-\u109f\u1780-\u18af\u1900-\u1cff\ua800-\ua95f\ua980-\uaaff\uabc0-\uabff\ufb50-\ufdff\ufe70-\ufefc\u{10a00}-\u{10fff}\u{11000}-\u{11fff}\u{1e900}-\u{1e95f}]$/u;
const LETTER_OR_MARK = /^[\p{L}\p{M}]$/u;
const EMOJI = /^[\u2190-\u2bff\u{1f000}-\u{1faff}]$/u;
const LINE_BREAK = /\r\n|[\n\r\u2028\u2029\u0085\v\f]/gu;
const ICON = /\$\([A-Za-z0-9-]+(?:~[A-Za-z]+)?\)/gu;

/** Whether a character draws nothing or reorders its neighbours; line feed and tab do not count. */
export function isHidden(char: string): boolean {
  return char !== "\n" && char !== "\t" && (BLANK.test(char) || CONTROL.test(char));
}

/** `text` with every hidden character written as `⟨U+202E⟩`; joiners of a script or an emoji stay. */
export function makeVisible(text: string): string {
  if (!SOMETHING_HIDDEN.test(text)) {
    return text;
  }
  const chars = Array.from(text);
  return chars.map((char, index) => (isHidden(char) && !belongs(chars, index) ? written(char) : char)).join("");
}

/** `text` on one line: breaks become ` ⏎ `, tabs blanks, and hidden characters are written out. */
export function oneLine(text: string): string {
  return makeVisible(text.replace(LINE_BREAK, " ⏎ ").replaceAll("\t", " "));
}

/** `text` as the value after a label: its further lines are indented, so that none passes for a label. */
export function continued(text: string): string {
  return makeVisible(text.replace(/\r\n|[\n\r\u2028\u2029\u0085\v\f\x1c-\x1e]/gu, "\n    "));
}

/** The beginning of a text on one line, at most `limit` characters and an ellipsis. */
export function excerpt(text: string, limit: number): string {
  const chars = Array.from(oneLine(text));
  return chars.length <= limit ? chars.join("") : `${chars.slice(0, limit).join("")}…`;
}

/** One line for places that draw `$(name)` as an icon, such as quick picks: it stays what it is. */
export function withoutIcons(text: string): string {
  return oneLine(text).replace(ICON, (icon) => `\\${icon}`);
}

/** One line for messages, which draw `[label](address)` as a link: no link remains one. */
export function withoutLinks(text: string): string {
  return oneLine(text).replaceAll("](", "] (");
}

/** A name that somebody chose, quoted unless it is one plain word: it must not pass for words of ours. */
export function named(value: string): string {
  return /^[\p{L}\p{N}_.@+:/\\~#-]+$/u.test(value) ? value : JSON.stringify(oneLine(value));
}

function written(char: string): string {
  const code = (char.codePointAt(0) ?? 0).toString(16).toUpperCase();
  return `⟨U+${code.padStart(4, "0")}⟩`;
}

function belongs(chars: readonly string[], index: number): boolean {
  const char = chars[index] ?? "";
  const before = chars[index - 1] ?? "";
  const after = chars[index + 1] ?? "";
  if (STYLE_SELECTOR.test(char)) {
    return STYLED_BEFORE.test(before);
  }
  if (!JOINER.test(char)) {
    return false;
  }
  if (isSpelledWithJoiners(before) && isSpelledWithJoiners(after)) {
    return true;
  }
  if (char !== "\u200d" || !EMOJI.test(after)) {
    return false;
  }
  return EMOJI.test(before) || (before === "\ufe0f" && belongs(chars, index - 1));
}

function isSpelledWithJoiners(char: string): boolean {
  return JOINING_LETTER.test(char) && !BLANK.test(char) && LETTER_OR_MARK.test(char);
}
