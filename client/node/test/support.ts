/** What the tests stand on: a workspace with a home of its own, and a real agent beside the client. */

import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import type { TestContext } from "node:test";

import { Client, type Command, type SpawnOptions } from "keepgate-client";

/** The program under test, with the arguments that come before `serve`; `KEEPGATE_COMMAND` is a JSON array. */
export const PROGRAM = JSON.parse(process.env["KEEPGATE_COMMAND"] ?? '["keepgate"]') as [string, ...string[]];

const WAIT_MS = 60_000;

/** Looks until something holds; what it gave. */
export async function until<T>(look: () => T | Promise<T>): Promise<NonNullable<T>> {
  const deadline = Date.now() + WAIT_MS;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== null && found !== false) {
      return found;
    }
    if (Date.now() > deadline) {
      throw new Error("waited in vain");
    }
    await sleep(10);
  }
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

/** A workspace and everything that is started in it; all of it ends with the test. */
export class House {
  readonly folder: string;
  readonly project: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly command: Command = [...PROGRAM, "serve"];
  readonly #endings: (() => unknown)[] = [];

  constructor(test: TestContext) {
    this.folder = realpathSync(mkdtempSync(join(tmpdir(), "keepgate-node-")));
    this.project = join(this.folder, "project");
    const home = join(this.folder, "home");
    mkdirSync(this.project);
    mkdirSync(home);
    this.env = { KEEPGATE_HOME: home, KEEPGATE_STORE: undefined };
    this.#endings.push(() => { rmSync(this.folder, { recursive: true, force: true }); });
    test.after(async () => {
      for (const end of this.#endings.reverse()) {
        await end();
      }
    });
  }

  /** Has something done at the end; what was said last comes first. */
  after(end: () => unknown): void {
    this.#endings.push(end);
  }

  /** Writes the user's config.toml. */
  settings(text: string): void {
    writeFileSync(join(this.folder, "home", "config.toml"), text);
  }

  /** A client in the workspace, with a session of its own. */
  async client(options: SpawnOptions = {}): Promise<Client> {
    const { command, env, project } = this;
    const client = await Client.spawn({ workspace: project, session: { id: "s1" }, command, env, ...options });
    this.after(() => client.close());
    return client;
  }

  /** A client of `keepgate mcp`, as agents are. */
  async agent(): Promise<Agent> {
    const [program, ...first] = PROGRAM;
    const child = spawn(program, [...first, "mcp", "--workspace", this.project], { env: { ...process.env, ...this.env } });
    this.after(() => child.kill("SIGKILL"));
    const agent = new Agent(child);
    await agent.begin();
    return agent;
  }
}

/** An agent that remembers facts; it speaks MCP by hand, one message per line. */
export class Agent {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #waiting = new Map<number, (message: Answer) => void>();
  #lastId = 0;

  constructor(child: ChildProcessWithoutNullStreams) {
    this.#child = child;
    child.stderr.resume();
    createInterface({ input: child.stdout }).on("line", (line) => {
      const message = JSON.parse(line) as Answer & { readonly id?: number };
      this.#waiting.get(message.id ?? -1)?.(message);
    });
  }

  /** Says hello. */
  async begin(): Promise<void> {
    const clientInfo = { name: "agent", version: "1" };
    await this.#request("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo });
    this.#send({ method: "notifications/initialized" });
    await this.#request("tools/call", { name: "recall", arguments: { query: "x" } });
  }

  /** Wishes to remember a fact; resolves to the tool's answer, once somebody decided. */
  async remember(fact: string): Promise<Record<string, unknown>> {
    const call = { name: "remember", arguments: { fact, provenance: "test" } };
    const { result } = await this.#request("tools/call", call);
    return JSON.parse(result.content[0]?.text ?? "{}") as Record<string, unknown>;
  }

  /** Dies as processes die. */
  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await until(() => this.#child.signalCode);
  }

  #request(method: string, params: unknown): Promise<Answer> {
    const id = ++this.#lastId;
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.#send({ id, method, params });
    });
  }

  #send(message: object): void {
    this.#child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }
}

interface Answer {
  readonly result: { readonly content: readonly { readonly text: string }[] };
}
