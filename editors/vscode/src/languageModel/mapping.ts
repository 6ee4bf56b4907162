/** `languageModel/complete` in the words of an editor's language models, and their failures in its words. */

import type { LanguageModelMessage, LanguageModelRequest } from "keepgate-client";

import { isRecord } from "../sidecar/problems.js";

/** A message as every chat model takes it. */
export interface Turn {
  readonly role: "user" | "assistant";
  readonly content: string;
}

/** What is asked of the model. */
export interface Prompt {
  readonly turns: readonly Turn[];
  readonly maxTokens: number;
}

/** The request of the sidecar, read strictly. Throws a `TypeError` for any other shape. */
export function requestOf(params: unknown): LanguageModelRequest {
  if (!isRecord(params)) {
    throw new TypeError("the request has no params");
  }
  const { purpose, system, messages, maxTokens, responseFormat } = params;
  if (typeof purpose !== "string" || typeof system !== "string" || typeof responseFormat !== "string") {
    throw new TypeError("purpose, system and responseFormat must be strings");
  }
  if (typeof maxTokens !== "number" || !Number.isInteger(maxTokens) || maxTokens < 1) {
    throw new TypeError("maxTokens must be a positive whole number");
  }
  if (!Array.isArray(messages) || !messages.every(isMessage)) {
    throw new TypeError("messages must be a list of messages");
  }
  return { purpose, system, messages, maxTokens, responseFormat };
}

/** Editors' models know no system turn: it opens the conversation instead. */
export function promptOf(request: LanguageModelRequest): Prompt {
  const turns = request.messages.map(
    (message): Turn => ({ role: message.role === "assistant" ? "assistant" : "user", content: message.content }),
  );
  const opening: readonly Turn[] = request.system === "" ? [] : [{ role: "user", content: request.system }];
  return { turns: [...opening, ...turns], maxTokens: request.maxTokens };
}

/**
 * One line that the sidecar sorts by its words: `timeout`, `rate limit`, `network`, or else the provider. What
 * the provider itself said stays here, since it may quote what was sent.
 */
export function failureOf(error: unknown, cancelled: boolean): string {
  if (cancelled) {
    return "cancelled";
  }
  const code = isRecord(error) && typeof error["code"] === "string" ? error["code"] : "";
  const said = error instanceof Error ? `${code} ${error.message}` : code;
  if (/timed? ?out|timeout/iu.test(said)) {
    return "timeout";
  }
  if (/\b429\b|rate.?limit|quota|overloaded/iu.test(said)) {
    return "rate limit";
  }
  if (/network|econn|enotfound|socket|dns|offline|fetch failed/iu.test(said)) {
    return "network";
  }
  return REASONS[code] ?? "the model could not answer";
}

const REASONS: Readonly<Record<string, string>> = {
  NotFound: "the model is not there any more",
  NoPermissions: "the model may not be used",
  Blocked: "the model refused the request",
};

function isMessage(value: unknown): value is LanguageModelMessage {
  return isRecord(value) && typeof value["role"] === "string" && typeof value["content"] === "string";
}
