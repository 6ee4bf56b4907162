/** A real `keepgate serve` for the tests of this folder, with a home of its own. */

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Program } from "../../src/sidecar/finder.js";
import { pause } from "../../src/sidecar/restarts.js";
import { Sidecar } from "../../src/sidecar/sidecar.js";
import type { State } from "../../src/sidecar/session.js";
import { plainLinks } from "./plainLink.js";
import { until } from "./until.js";

export interface House {
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  /** The sidecars that were started in it. */
  readonly sidecars: Sidecar[];
  /** End them, then remove everything. */
  readonly leave: () => Promise<void>;
}

/** A workspace folder and a home, both new. */
export function house(): House {
  const root = mkdtempSync(join(tmpdir(), "keepgate-vscode-"));
  const folder = join(root, "project");
  mkdirSync(folder);
  const sidecars: Sidecar[] = [];
  const leave = async (): Promise<void> => {
    await Promise.all(sidecars.map((sidecar) => sidecar.stop()));
    // A process that was killed may be at its last write.
    rmSync(root, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  };
  return { folder, env: { KEEPGATE_HOME: join(root, "home"), KEEPGATE_STORE: "" }, sidecars, leave };
}

/** The keepgate of this checkout, else the one on PATH. */
export function keepgate(): Program {
  const own = resolve("../../.venv/bin/keepgate");
  const command = existsSync(own) ? own : execFileSync("which", ["keepgate"], { encoding: "utf8" }).trim();
  return { command, args: ["serve"], from: "path" };
}

export interface Started {
  readonly sidecar: Sidecar;
  readonly states: State[];
  readonly pids: number[];
  /** The first state of that kind, from now on or before. */
  readonly became: <K extends State["kind"]>(kind: K) => Promise<Extract<State, { kind: K }>>;
}

/** Start a sidecar in a house. */
export function start(at: House, program = keepgate(), options: Readonly<Record<string, unknown>> = {}): Started {
  const states: State[] = [];
  const pids: number[] = [];
  const sidecar = new Sidecar({
    find: () => Promise.resolve(program),
    open: plainLinks({ folders: [at.folder], env: at.env, options, started: (pid) => pids.push(pid) }),
    person: { id: "vscode-test" },
    nowMs: Date.now,
    pause,
    log: () => undefined,
  });
  at.sidecars.push(sidecar);
  sidecar.onState((state) => states.push(state));
  sidecar.start();
  const became = async <K extends State["kind"]>(kind: K): Promise<Extract<State, { kind: K }>> =>
    until(() => states.find((state): state is Extract<State, { kind: K }> => state.kind === kind), `the state ${kind}`);
  return { sidecar, states, pids, became };
}

/** Whether a process lives. */
export function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
