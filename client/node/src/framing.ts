/** Framing without IO: messages to bytes, and bytes, in whatever pieces they come, to messages. */

/** How messages are delimited: `Content-Length` headers, or one message per line. */
export type Framing = "lsp" | "lines";

/** The bytes cannot be followed any further. */
export class BrokenFrame extends Error {
  override readonly name = "BrokenFrame";
}

/** An answer may be far larger than a request: an export holds everything. */
export const ANSWER_BYTES_MAX = 256 * 1024 * 1024;

const HEADER_BYTES_MAX = 8 * 1024;
const NEWLINE = 0x0a;
const DECODER = new TextDecoder("utf-8", { fatal: true });

/** The JSON bytes of a message; JSON escapes line ends and lone surrogates by itself. */
export function encode(message: unknown): Buffer {
  return Buffer.from(JSON.stringify(message), "utf8");
}

/** The bytes that carry a body. */
export function frame(body: Buffer, framing: Framing): Buffer {
  return framing === "lines"
    ? Buffer.concat([body, Buffer.from("\n")])
    : Buffer.concat([Buffer.from(`Content-Length: ${body.length}\r\n\r\n`, "ascii"), body]);
}

/** Cuts a stream of bytes into JSON values. A character that is split between two pieces stays whole. */
export class Framer {
  readonly #framing: Framing;
  readonly #limit: number;
  #pieces: Buffer[] = [];
  #size = 0;
  /** The length of the body that is being read, once its headers were. */
  #wanted: number | undefined;

  constructor(framing: Framing, limitBytes: number = ANSWER_BYTES_MAX) {
    this.#framing = framing;
    this.#limit = limitBytes;
  }

  /**
   * Takes what was read and yields the messages that it completes.
   *
   * Throws `BrokenFrame` for bytes that are no frame, no JSON, or more than the limit.
   */
  *feed(data: Buffer): Generator<unknown, void> {
    this.#pieces.push(data);
    this.#size += data.length;
    for (;;) {
      const body = this.#framing === "lines" ? this.#nextLine() : this.#nextHeaded();
      if (body === undefined) {
        return;
      }
      const message = decoded(body);
      if (message !== undefined) {
        yield message;
      }
    }
  }

  #nextLine(): Buffer | undefined {
    // All but the last piece were looked through before.
    const last = this.#pieces.at(-1);
    const end = last?.indexOf(NEWLINE) ?? -1;
    if (last === undefined || end < 0) {
      this.#refuseAbove(this.#size);
      return undefined;
    }
    const line = this.#take(this.#size - last.length + end + 1);
    this.#refuseAbove(line.length);
    return line;
  }

  #nextHeaded(): Buffer | undefined {
    this.#wanted ??= this.#headers();
    if (this.#wanted === undefined || this.#size < this.#wanted) {
      return undefined;
    }
    const body = this.#take(this.#wanted);
    this.#wanted = undefined;
    return body;
  }

  #headers(): number | undefined {
    if (this.#size === 0) {
      return undefined;
    }
    const head = this.#joined();
    const end = head.subarray(0, HEADER_BYTES_MAX).indexOf("\r\n\r\n");
    if (end < 0) {
      checkPartialHeaders(head);
      return undefined;
    }
    const length = contentLength(head.toString("latin1", 0, end));
    this.#refuseAbove(length);
    this.#take(end + 4);
    return length;
  }

  #joined(): Buffer {
    const [first, ...more] = this.#pieces;
    const joined = first !== undefined && more.length === 0 ? first : Buffer.concat(this.#pieces);
    this.#pieces = [joined];
    return joined;
  }

  #take(length: number): Buffer {
    const joined = this.#joined();
    const rest = joined.subarray(length);
    this.#pieces = rest.length > 0 ? [rest] : [];
    this.#size = rest.length;
    return joined.subarray(0, length);
  }

  #refuseAbove(length: number): void {
    if (length > this.#limit) {
      throw new BrokenFrame(`${length} bytes are above the limit`);
    }
  }
}

/** The JSON value of a body; nothing for a blank one, which lines may be. */
function decoded(body: Buffer): unknown {
  try {
    const text = DECODER.decode(body);
    return text.trim() === "" ? undefined : (JSON.parse(text) as unknown);
  } catch {
    throw new BrokenFrame("it is not JSON in UTF-8");
  }
}

/** Judges complete header lines at once: garbage must end the session, not wait for a blank line. */
function checkPartialHeaders(head: Buffer): void {
  if (head.length >= HEADER_BYTES_MAX) {
    throw new BrokenFrame(`no end of headers within ${HEADER_BYTES_MAX} bytes`);
  }
  for (const line of head.toString("latin1").split("\n").slice(0, -1)) {
    checkHeader(line.replace(/\r$/, ""));
  }
}

function checkHeader(line: string): void {
  if (!/^[\w-]+[ \t]*:/.test(line)) {
    throw new BrokenFrame("a header line has no name");
  }
}

function contentLength(headers: string): number {
  const lengths: string[] = [];
  for (const line of headers.split("\r\n")) {
    checkHeader(line);
    const found = /^content-length[ \t]*:[ \t]*(\d{1,15})[ \t]*$/i.exec(line)?.[1];
    if (found !== undefined) {
      lengths.push(found);
    }
  }
  const [length] = lengths;
  if (length === undefined || lengths.length !== 1) {
    throw new BrokenFrame("a frame needs exactly one Content-Length");
  }
  return Number(length);
}
