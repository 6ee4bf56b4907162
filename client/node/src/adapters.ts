/** Adapters that run in this client: foreign memory formats that the sidecar can import and export. */

import { KeepgateError } from "./errors.js";
import { FAULT_NUMBERS } from "./generated/codes.js";
import type {
  AdapterInfo,
  AdaptersAdaptParams,
  AdaptersAdaptResult,
  AdaptersExportParams,
  AdaptersExportResult,
  Entry,
} from "./generated/types.js";
import type { Calls } from "./generated/calls.js";
import type { Connection } from "./connection.js";

/** An entry to be, in the field names of the portable envelope. */
export type Draft = Readonly<Record<string, unknown>>;

/** How an adapter is listed, and its two conversions. Both throw an `Error` with the reason for what they cannot convert. */
export interface ClientAdapter {
  readonly info: AdapterInfo;
  adapt(payload: unknown): readonly Draft[] | Promise<readonly Draft[]>;
  export(entries: readonly Entry[]): unknown;
}

/** The adapters this client offers to its sidecar; they vanish with the connection. */
export class ClientAdapters {
  readonly #calls: Calls;
  readonly #adapters = new Map<string, ClientAdapter>();

  constructor(connection: Connection, calls: Calls) {
    this.#calls = calls;
    connection.handle("adapters/adapt", (params) => this.#adapt(params as AdaptersAdaptParams));
    connection.handle("adapters/export", (params) => this.#export(params as AdaptersExportParams));
  }

  /** Offers an adapter and resolves to it as the sidecar lists it. Rejects with `INVALID_INPUT`. */
  async register(adapter: ClientAdapter): Promise<AdapterInfo> {
    const { id, name, description, version, importFormats, exportFormat } = adapter.info;
    const params = { id, name, description, version, importFormats, exportFormat };
    const registered = await this.#calls.adaptersRegister(params);
    this.#adapters.set(id, adapter);
    return registered.adapter;
  }

  /** Withdraws an adapter of this client. Rejects with `ADAPTER_NOT_FOUND`. */
  async unregister(id: string): Promise<void> {
    await this.#calls.adaptersUnregister({ id });
    this.#adapters.delete(id);
  }

  async #adapt({ id, payload }: AdaptersAdaptParams): Promise<AdaptersAdaptResult> {
    const adapter = this.#find(id);
    return { entries: await converted(id, () => adapter.adapt(payload)) };
  }

  async #export({ id, entries }: AdaptersExportParams): Promise<AdaptersExportResult> {
    const adapter = this.#find(id);
    return { payload: (await converted(id, () => adapter.export(entries))) ?? null };
  }

  #find(id: string): ClientAdapter {
    const adapter = this.#adapters.get(id);
    if (adapter === undefined) {
      throw fault("ADAPTER_NOT_FOUND", id, `no adapter is called ${id}`);
    }
    return adapter;
  }
}

async function converted<T>(id: string, conversion: () => T | Promise<T>): Promise<T> {
  try {
    return await conversion();
  } catch (error) {
    throw fault("ADAPTER_PAYLOAD", id, error instanceof Error ? error.message : String(error));
  }
}

function fault(code: "ADAPTER_NOT_FOUND" | "ADAPTER_PAYLOAD", adapterId: string, message: string): KeepgateError {
  return new KeepgateError(code, message, { number: FAULT_NUMBERS[code], details: { adapterId } });
}
