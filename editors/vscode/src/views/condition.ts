/** The state of the sidecar as the conditions of menus and welcome texts name it. */

import type { State } from "../sidecar/session.js";

export type Condition = "no-folder" | "stopped" | "starting" | "running" | "not-found" | "failed";

/** The value of the context `keepgate.condition`. */
export function conditionOf(state: State): Condition {
  switch (state.kind) {
    case "idle":
      return state.reason;
    case "starting":
    case "running":
      return state.kind;
    case "waiting":
      return "starting";
    case "failed":
      return state.problem.kind === "not-found" ? "not-found" : "failed";
  }
}
