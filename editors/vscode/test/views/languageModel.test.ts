/** Language models of an editor, asked by a real sidecar. */

import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { complete, type Model } from "../../src/languageModel/completing.js";
import { failureOf, promptOf, requestOf, type Turn } from "../../src/languageModel/mapping.js";
import { answerDocument } from "../../src/views/documents/answers.js";
import { until } from "../support/until.js";
import { type Opened, opened } from "./opened.js";

const ANSWER = JSON.stringify({ answer: "On Thursdays.", citations: ["release"], gaps: ["the hour"] });
const REQUEST = { purpose: "synthesize", system: "Be brief.", messages: [], maxTokens: 5, responseFormat: "json" };

/** A person's model that says these pieces. */
function saying(...pieces: readonly string[]): Model & { readonly heard: (readonly Turn[])[] } {
  const heard: (readonly Turn[])[] = [];
  return {
    heard,
    name: "model-1",
    maxInputTokens: 100_000,
    async *send(turns) {
      heard.push(turns);
      for (const piece of pieces) yield await Promise.resolve(piece);
    },
    count: (text) => Promise.resolve(Math.ceil(text.length / 4)),
  };
}

function failing(error: Error): Model {
  const send = async function* (): AsyncGenerator<string> {
    await Promise.resolve();
    throw error;
  };
  return { ...saying(), send };
}

async function withPage(test: TestContext): Promise<Opened> {
  const window = await opened(test, { writePolicy: "auto", client: { languageModel: true } });
  const folder = join(window.at.folder, ".keepgate", "pages");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "release.md"), "# Release\n\nThe release is cut on Thursdays.\n");
  await until(async () => (await window.access.calls.pagesList({})).pages.length === 1, "the page");
  return window;
}

describe("a language model", () => {
  it("answers from what is remembered", async (test) => {
    const window = await withPage(test);
    const model = saying(ANSWER.slice(0, 9), ANSWER.slice(9));
    window.sidecar.onRequest("languageModel/complete", (params, signal) =>
      complete(params, signal, () => Promise.resolve(model)),
    );
    const question = "When is the release cut?";
    const result = await window.access.calls.synthesize({ question, session: null });
    assert.deepEqual([result.answer, result.sources, result.synthesis_status], ["On Thursdays.", ["release"], "ok"]);
    assert.equal(result.cost.model, "model-1");
    assert.equal(result.cost.output_tokens, Math.ceil(ANSWER.length / 4));
    const [system, user] = model.heard[0] ?? [];
    assert.deepEqual([system?.role, user?.role], ["user", "user"]);
    assert.match(user?.content ?? "", /cut on Thursdays/u);
    const shown = answerDocument(question, result);
    assert.match(shown, /^│ On Thursdays\.$/mu);
    assert.match(shown, /^- the hour$/mu);
  });

  it("that fails is told by its class alone, and passages are quoted", async (test) => {
    const window = await withPage(test);
    const model = failing(Object.assign(new Error("429 for key sk-secret"), { code: "Unknown" }));
    window.sidecar.onRequest("languageModel/complete", (params, signal) =>
      complete(params, signal, () => Promise.resolve(model)),
    );
    const result = await window.access.calls.synthesize({ question: "When is the release cut?", session: null });
    assert.equal(result.synthesis_status, "extractive_fallback");
    assert.deepEqual(result.warnings, ["LLM_CALL_FAILED: rate_limited"]);
  });

  it("is not asked any more when the person gives up", async (test) => {
    const window = await withPage(test);
    const given = new AbortController();
    let stopped = false;
    const endless: Model = {
      ...saying(),
      async *send(_turns, _maxTokens, signal) {
        given.abort();
        await new Promise((resolve) => {
          signal.addEventListener("abort", resolve);
        });
        stopped = true;
        yield "too late";
      },
    };
    window.sidecar.onRequest("languageModel/complete", (params, signal) =>
      complete(params, signal, () => Promise.resolve(endless)),
    );
    const asked = window.access.calls.synthesize({ question: "When?", session: null }, { signal: given.signal });
    await assert.rejects(asked, { code: "CANCELLED" });
    await until(() => stopped, "the end of the model's call");
  });
});

describe("the request", () => {
  it("opens with the system's words", () => {
    const messages = [{ role: "user", content: "a" }, { role: "assistant", content: "b" }, { role: "tool", content: "c" }];
    assert.deepEqual(promptOf({ ...REQUEST, messages }), {
      turns: [
        { role: "user", content: "Be brief." },
        { role: "user", content: "a" },
        { role: "assistant", content: "b" },
        { role: "user", content: "c" },
      ],
      maxTokens: 5,
    });
  });

  it("is read strictly", () => {
    assert.deepEqual(requestOf(REQUEST), REQUEST);
    const bad = [null, [], { ...REQUEST, maxTokens: 0 }, { ...REQUEST, system: 1 }, { ...REQUEST, messages: [{ role: 1 }] }];
    for (const params of bad) assert.throws(() => requestOf(params), TypeError);
  });

  it("is not sent when it is longer than the model takes, or where there is none", async () => {
    const { signal } = new AbortController();
    const small = { ...saying("x"), maxInputTokens: 1 };
    await assert.rejects(complete(REQUEST, signal, () => Promise.resolve(small)), /could not answer/u);
    assert.deepEqual(small.heard, []);
    await assert.rejects(complete(REQUEST, signal, () => Promise.resolve(undefined)), /could not answer/u);
  });

  it("has its failures sorted by words that quote nobody", () => {
    const coded = (code: string): Error => Object.assign(new Error("said sk-1"), { code });
    assert.equal(failureOf(coded("NoPermissions"), false), "the model may not be used");
    assert.equal(failureOf(coded("Blocked"), false), "the model refused the request");
    assert.equal(failureOf(new Error("connect ECONNREFUSED"), false), "network");
    assert.equal(failureOf(new Error("Request timed out"), false), "timeout");
    assert.equal(failureOf(new Error("sk-1"), false), "the model could not answer");
    assert.equal(failureOf(coded("Blocked"), true), "cancelled");
  });
});
