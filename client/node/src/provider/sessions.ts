/** Who writes and reads: the host's sessions as the sidecar knows them. */

import { resolve, win32 } from "node:path";

import { isObject } from "../errors.js";
import type { SessionRef } from "../generated/types.js";

/** The session of a write; nothing where there is none, which the sidecar then says. */
export function sessionOf(write: unknown): SessionRef | undefined {
  const agent = isObject(write) ? write["agent"] : undefined;
  return isObject(agent) ? refOf(agent["session"]) : undefined;
}

/** A host's session as the sidecar takes it. */
export function refOf(session: unknown): SessionRef | undefined {
  if (!isObject(session) || typeof session["id"] !== "string") {
    return undefined;
  }
  const header = isObject(session["header"]) ? session["header"] : {};
  const { cwd, agentPreset } = header;
  return {
    id: session["id"],
    agentPreset: typeof agentPreset === "string" ? agentPreset.trim() : "",
    cwd: typeof cwd === "string" && cwd !== "" ? folder(cwd) : undefined,
  };
}

/** An absolute path; one of another system is absolute as it is. */
function folder(cwd: string): string {
  return win32.isAbsolute(cwd) && /^[a-z]:|^\\\\/i.test(cwd) ? cwd : resolve(cwd);
}

/** The sessions that wrote through a provider. */
export class Sessions {
  readonly #byId = new Map<string, SessionRef>();
  #last: SessionRef | undefined;

  /** The session that wrote last. */
  get last(): SessionRef | undefined {
    return this.#last;
  }

  /** Notes a session. */
  note(ref: SessionRef): void {
    this.#byId.set(ref.id, ref);
    this.#last = ref;
  }

  /** The session of that id, if it wrote. */
  named(id: string): SessionRef | undefined {
    return this.#byId.get(id);
  }
}
