/** Moments in words. The clock is the caller's: `now` and all moments are epoch milliseconds. */

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** `just now`, `5 min ago`, `3 h ago`, `12 days ago`. */
export function ago(moment: number, now: number): string {
  const span = now - moment;
  return span < MINUTE ? "just now" : `${spanOf(span)} ago`;
}

/** `expires in 29 days`, or `expired`. */
export function expiry(moment: number, now: number): string {
  return moment <= now ? "expired" : `expires in ${spanOf(Math.max(moment - now, MINUTE))}`;
}

/** `2026-11-30 12:00:00`, in local time or that of `timeZone`. */
export function stamp(moment: number, timeZone?: string): string {
  const parts = new Intl.DateTimeFormat("en-GB", {
    dateStyle: "short",
    timeStyle: "medium",
    timeZone,
  }).formatToParts(moment);
  const part = (type: Intl.DateTimeFormatPartTypes): string =>
    parts.find((found) => found.type === type)?.value ?? "";
  const day = `${part("year")}-${part("month")}-${part("day")}`;
  return `${day} ${part("hour")}:${part("minute")}:${part("second")}`;
}

function spanOf(span: number): string {
  if (span < HOUR) {
    return `${String(Math.floor(span / MINUTE))} min`;
  }
  if (span < 2 * DAY) {
    return `${String(Math.floor(span / HOUR))} h`;
  }
  return `${String(Math.floor(span / DAY))} days`;
}
