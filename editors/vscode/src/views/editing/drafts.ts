/** Memories that are open in an editor: what each was when it was read, and what became of a save. */

import type { Entry } from "keepgate-client";

import { callError } from "../../sidecar/problems.js";
import { failureText, isWaiting } from "../../text/faults.js";
import { type Access, sessionOf } from "../models/access.js";

/** What a save came to. In all cases but `saved` and `unchanged` the editor keeps the person's text. */
export type Saved =
  | { readonly kind: "saved"; readonly entry: Entry }
  | { readonly kind: "unchanged" }
  /** Somebody changed the memory since it was read. */
  | { readonly kind: "drifted"; readonly current: Entry }
  /** It was removed since it was read. */
  | { readonly kind: "gone" }
  /** Nobody decided: the change waits in the inbox. */
  | { readonly kind: "waiting" }
  | { readonly kind: "refused"; readonly message: string };

/** Versions that outlive the window: an editor keeps unsaved text over a restart. */
export interface Kept {
  get(id: string): number | undefined;
  set(id: string, version: number | undefined): void;
}

/** The memories that are open. Each has a base: the version that the editor's text began as. */
export class Drafts {
  readonly #access: () => Access;
  readonly #kept: Kept;
  readonly #bases = new Map<string, Entry>();

  constructor(access: () => Access, kept: Kept) {
    this.#access = access;
    this.#kept = kept;
  }

  /** What the open text began as. */
  base(id: string): Entry | undefined {
    return this.#bases.get(id);
  }

  /**
   * Read a memory; from now on the open text begins as this version, or as the one that was kept: the text that
   * the editor brings back may be older than what is stored. Rejects with `ENTRY_NOT_FOUND`.
   */
  async read(id: string): Promise<Entry> {
    const entry = await this.current(id);
    const version = this.#kept.get(id) ?? entry.version;
    return this.#begin({ ...entry, version });
  }

  /** The memory as it is now. The base stays. */
  async current(id: string): Promise<Entry> {
    return (await this.#access().calls.get({ id, session: null })).entry;
  }

  /** Go on from a version that the person has seen. */
  rebase(entry: Entry): void {
    this.#begin(entry);
  }

  /** Nothing of it is open any more. */
  close(id: string): void {
    this.#bases.delete(id);
    this.#kept.set(id, undefined);
  }

  /** Ask for the text to take the place of the base; the base's version must be the one that is stored. */
  async save(id: string, text: string, signal?: AbortSignal): Promise<Saved> {
    const base = this.#bases.get(id) ?? (await this.read(id));
    const wanted = asStored(text, base.text);
    if (wanted === base.text) {
      return { kind: "unchanged" };
    }
    try {
      const { entry } = await this.#access().calls.replace(
        {
          track: base.track,
          scope: base.scope,
          id,
          version: base.version,
          text: wanted,
          session: sessionOf(this.#access(), base),
        },
        { signal },
      );
      return { kind: "saved", entry: this.#begin(entry) };
    } catch (thrown) {
      return this.#failed(base, thrown);
    }
  }

  #begin(entry: Entry): Entry {
    this.#bases.set(entry.id, entry);
    this.#kept.set(entry.id, entry.version);
    return entry;
  }

  async #failed(base: Entry, thrown: unknown): Promise<Saved> {
    const error = callError(thrown);
    if (error.code === "ENTRY_NOT_FOUND") {
      const current = await this.current(base.id).catch(() => null);
      return current === null ? { kind: "gone" } : { kind: "drifted", current };
    }
    return isWaiting(error) ? { kind: "waiting" } : { kind: "refused", message: failureText(error) };
  }
}

/** The text without what editors add by themselves: a last line break, and the line ends of their system. */
export function asStored(text: string, before: string): string {
  const lines = before.includes("\r\n") ? text : text.replaceAll("\r\n", "\n");
  return before.endsWith("\n") ? lines : lines.replace(/\r?\n$/u, "");
}
