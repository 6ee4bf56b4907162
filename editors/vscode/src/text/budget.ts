/** How full a layer is, for eyes and for screen readers. */

import type { Usage } from "keepgate-client";

const CELLS = 5;
const NEARLY_FULL = 0.9;

/** How full a layer is, in three words that a theme can colour. */
export type Fullness = "room" | "nearly" | "full";

/** `▓▓▓░░`; it is empty or full only when the layer is. */
export function bar(used: number, limit: number): string {
  const share = limit > 0 ? used / limit : Number(used > 0);
  const filled = share >= 1 ? CELLS : Math.min(CELLS - 1, Math.floor(share * CELLS));
  const drawn = used > 0 ? Math.max(1, filled) : 0;
  return "▓".repeat(drawn) + "░".repeat(CELLS - drawn);
}

/** `▓▓▓░░ 812 / 2 000`. */
export function budgetText({ used, limit }: Pick<Usage, "used" | "limit">): string {
  return `${bar(used, limit)} ${grouped(used)} / ${grouped(limit)}`;
}

/** The same in words, for screen readers, which spell blocks out one by one. */
export function budgetLabel({ used, limit }: Pick<Usage, "used" | "limit">): string {
  const percent = limit > 0 ? Math.floor((100 * used) / limit) : 100;
  return `${String(used)} of ${String(limit)} units in use, ${String(percent)} per cent`;
}

/** Whether there is room. */
export function fullness({ used, limit }: Pick<Usage, "used" | "limit">): Fullness {
  if (used >= limit) {
    return "full";
  }
  return used >= NEARLY_FULL * limit ? "nearly" : "room";
}

/** `2 000`: thousands apart by a narrow blank that does not break. */
export function grouped(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+(?!\d))/gu, "\u202f");
}

/** `1 memory`, `2 memories`. */
export function counted(count: number, one: string, many: string): string {
  return `${grouped(count)} ${count === 1 ? one : many}`;
}
