/** What the status bar says. Pure. */

import type { Health, State } from "../sidecar/session.js";

export interface Look {
  readonly text: string;
  /** Plain text: what the item stands for, for the pointer and for screen readers. */
  readonly tooltip: string;
  readonly background: "warning" | "error" | undefined;
  readonly command: "keepgate.nextQuestion" | "keepgate.openInbox" | "keepgate.showProblem";
}

/** The item's look; undefined hides it. `waiting` counts wishes. */
export function look(state: State, health: Health | undefined, waiting: number): Look | undefined {
  switch (state.kind) {
    case "idle":
      if (state.reason === "no-folder") return undefined;
      return { ...CALM, text: "$(circle-slash) keepgate", tooltip: "keepgate is stopped", command: "keepgate.showProblem" };
    case "starting":
      return { ...CALM, text: "$(loading~spin) keepgate", tooltip: "keepgate is starting" };
    case "waiting":
      return { ...BROKEN, text: "$(warning) keepgate", tooltip: `${state.problem.message} It is started again.` };
    case "failed":
      return { ...BROKEN, text: "$(error) keepgate", tooltip: state.problem.message, background: "error" };
    case "running":
      return running(state.server.version, health, waiting);
  }
}

const CALM = { background: undefined, command: "keepgate.openInbox" } as const;
const BROKEN = { background: "warning", command: "keepgate.showProblem" } as const;

function running(version: string, health: Health | undefined, waiting: number): Look {
  if (waiting > 0) {
    const wishes = waiting === 1 ? "1 wish waits" : `${waiting} wishes wait`;
    return {
      text: `$(bell-dot) keepgate: ${waiting} waiting`,
      tooltip: `keepgate: ${wishes} for your decision. Click to see the next one.`,
      background: "warning",
      command: "keepgate.nextQuestion",
    };
  }
  if (health !== undefined && health.health !== "ok") {
    return { ...BROKEN, text: "$(warning) keepgate", tooltip: `keepgate: ${health.message}` };
  }
  return { ...CALM, text: "$(shield) keepgate", tooltip: `keepgate ${version}: nothing waits for you` };
}
