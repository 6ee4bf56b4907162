/** Answering `languageModel/complete` with a model of the editor. */

import type { Completion } from "keepgate-client";

import { failureOf, type Prompt, promptOf, requestOf, type Turn } from "./mapping.js";

/** A chat model, as far as it is needed. */
export interface Model {
  readonly name: string;
  readonly maxInputTokens: number;
  /** What it says, piece by piece. */
  send(turns: readonly Turn[], maxTokens: number, signal: AbortSignal): AsyncIterable<string>;
  count(text: string): Promise<number>;
}

/** Has the sidecar's request answered. Rejects with one line that quotes nobody. */
export async function complete(
  params: unknown,
  signal: AbortSignal,
  choose: () => Promise<Model | undefined>,
): Promise<Completion> {
  const prompt = promptOf(requestOf(params));
  try {
    const model = await choose();
    if (model === undefined) throw new Error("NotFound");
    return await asked(model, prompt, signal);
  } catch (thrown) {
    throw new Error(failureOf(thrown, signal.aborted));
  }
}

async function asked(model: Model, prompt: Prompt, signal: AbortSignal): Promise<Completion> {
  const inputTokens = await counted(model, prompt.turns.map((turn) => turn.content));
  if (inputTokens !== null && inputTokens > model.maxInputTokens) {
    throw new Error("the request is longer than the model takes");
  }
  let text = "";
  for await (const piece of model.send(prompt.turns, prompt.maxTokens, signal)) {
    if (signal.aborted) throw new Error("cancelled");
    text += piece;
  }
  return { text, model: model.name, inputTokens, outputTokens: await counted(model, [text]) };
}

/** How many tokens; null where the model does not tell. */
async function counted(model: Model, texts: readonly string[]): Promise<number | null> {
  try {
    const counts = await Promise.all(texts.map((text) => model.count(text)));
    return counts.reduce((sum, count) => sum + count, 0);
  } catch {
    return null;
  }
}
