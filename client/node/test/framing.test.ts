/** Bytes to messages, in whatever pieces they come. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { BrokenFrame, encode, frame, Framer, type Framing } from "../dist/framing.js";

const MESSAGES = [{ text: "plain" }, { text: "日本語 👨‍👩‍👧‍👦 é" }, { text: "a\nb\u2028c\u0085d" }, [], "x", 0];

function read(framer: Framer, bytes: Buffer, size: number): unknown[] {
  const found: unknown[] = [];
  for (let at = 0; at < bytes.length; at += size) {
    found.push(...framer.feed(bytes.subarray(at, at + size)));
  }
  return found;
}

for (const framing of ["lsp", "lines"] as const satisfies Framing[]) {
  test(`${framing}: messages stay whole, however the bytes are cut`, () => {
    const bytes = Buffer.concat(MESSAGES.map((message) => frame(encode(message), framing)));
    for (const size of [1, 2, 3, 5, 7, 64, bytes.length]) {
      assert.deepEqual(read(new Framer(framing), bytes, size), MESSAGES);
    }
  });

  test(`${framing}: a lone surrogate travels as an escape`, () => {
    const bytes = frame(encode({ text: "a\ud83d" }), framing);
    assert.match(bytes.toString(), /a\\ud83d/);
    assert.deepEqual(read(new Framer(framing), bytes, 4), [{ text: "a\ud83d" }]);
  });

  test(`${framing}: a large message in many pieces`, () => {
    const message = { text: "日本".repeat(500_000) };
    assert.deepEqual(read(new Framer(framing), frame(encode(message), framing), 65_536), [message]);
  });
}

test("lengths count bytes, not characters", () => {
  assert.equal(frame(encode("é"), "lsp").toString(), 'Content-Length: 4\r\n\r\n"é"');
});

test("blank lines are no messages", () => {
  assert.deepEqual(read(new Framer("lines"), Buffer.from("\n \r\n1\r\n\n2\n"), 100), [1, 2]);
});

test("header names are case-insensitive and other headers are ignored", () => {
  const bytes = Buffer.from("content-type: x\r\ncontent-LENGTH : 1\r\n\r\n7");
  assert.deepEqual(read(new Framer("lsp"), bytes, 3), [7]);
});

const BROKEN: readonly (readonly [Framing, string | Buffer, RegExp])[] = [
  ["lsp", "Traceback (most recent call last)\n", /has no name/],
  ["lsp", "Content-Length: x\r\n\r\n", /exactly one Content-Length/],
  ["lsp", "Other: 1\r\n\r\n", /exactly one Content-Length/],
  ["lsp", "Content-Length: 1\r\nContent-Length: 2\r\n\r\n", /exactly one Content-Length/],
  ["lsp", "a".repeat(9000), /no end of headers/],
  ["lsp", "Content-Length: 101\r\n\r\n", /above the limit/],
  ["lsp", "Content-Length: 3\r\n\r\n{a}", /not JSON/],
  ["lines", "hello\n", /not JSON/],
  ["lines", Buffer.from([0x22, 0xff, 0x22, 0x0a]), /not JSON in UTF-8/],
  ["lines", "1".repeat(101), /above the limit/],
];

for (const [framing, bytes, why] of BROKEN) {
  test(`${framing}: ${JSON.stringify(bytes.toString().slice(0, 40))} ends the stream`, () => {
    const framer = new Framer(framing, 100);
    assert.throws(() => read(framer, Buffer.from(bytes), 7), (error) => {
      assert.ok(error instanceof BrokenFrame);
      assert.match(error.message, why);
      return true;
    });
  });
}
