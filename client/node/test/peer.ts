/** The other end of a connection; it says what it is told to. */

import { PassThrough } from "node:stream";

import { Connection } from "../dist/connection.js";
import { encode, frame, Framer, type Framing } from "../dist/framing.js";
import { until } from "./support.js";

/** A message as it was sent. */
export interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** Speaks over pipes of its own. */
export class Peer {
  readonly connection: Connection;
  readonly heard: Message[] = [];
  readonly told: [string, unknown][] = [];
  readonly input = new PassThrough();
  readonly output = new PassThrough();
  readonly #framing: Framing;

  constructor(framing: Framing = "lsp") {
    this.#framing = framing;
    const streams = { readable: this.output, writable: this.input };
    this.connection = new Connection(streams, framing, (...all) => this.told.push(all));
    const framer = new Framer(framing);
    this.input.on("data", (data: Buffer) => this.heard.push(...(framer.feed(data) as Iterable<Message>)));
  }

  say(message: object): void {
    this.output.write(frame(encode({ jsonrpc: "2.0", ...message }), this.#framing));
  }

  hears(holds: (message: Message) => boolean): Promise<Message> {
    return until(() => this.heard.find(holds));
  }
}
