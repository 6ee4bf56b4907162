/** Providers for the contract's tests, each with a store of its own, and a gate that says what it is told. */

import { join } from "node:path";
import type { TestContext } from "node:test";

import { makeProvider, type ApprovalPayload, type Gate, type Provider, type ProviderOptions, type Write } from "keepgate-client/provider";
import { House } from "./support.js";

/** A write of a session in a folder. */
export function writeOf(cwd = "/projects/demo", agentPreset = "", id = `session of ${agentPreset} in ${cwd}`): Write {
  return { agent: { session: { id, header: { cwd, agentPreset } } } };
}

/** A store and what was asked about it. */
export class Stand {
  readonly house: House;
  readonly asked: ApprovalPayload[] = [];
  /** What the gate says; a function for more than a word. */
  says: unknown = "allowed-once";

  constructor(test: TestContext) {
    this.house = new House(test);
  }

  get dbPath(): string {
    return join(this.house.folder, "store", "memory.db");
  }

  /** Opens it; every provider is closed at the end. */
  open(options: Partial<ProviderOptions> = {}): Provider {
    const { dbPath } = this;
    const { command, env } = this.house;
    const provider = makeProvider({ dbPath, command, env, gate: this.#gate, ...options });
    this.house.after(() => { provider.close(); });
    return provider;
  }

  readonly #gate: Gate = (payload, write) => {
    this.asked.push(payload);
    const said = typeof this.says === "function" ? (this.says as Gate)(payload, write) : this.says;
    return said as ReturnType<Gate>;
  };
}
