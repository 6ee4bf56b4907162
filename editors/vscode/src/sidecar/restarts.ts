/** How soon a sidecar that ended is started again. */

const FIRST_MS = 500;
const LONGEST_MS = 30_000;
/** After so many ends in a row the person is asked to look. */
const ENOUGH = 8;

/** One that ran for this long starts the count anew when it ends. */
export const STABLE_AFTER_MS = 60_000;

/** The pause after `failures` ends in a row before this one; undefined when it is not tried again. */
export function restartDelayMs(failures: number): number | undefined {
  return failures >= ENOUGH ? undefined : Math.min(FIRST_MS * 2 ** failures, LONGEST_MS);
}

/** Resolves after `ms`, at once when `signal` is aborted. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, signal.aborted ? 0 : ms);
    signal.addEventListener("abort", done);
  });
}
