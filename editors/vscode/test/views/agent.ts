/** A real agent: a process of `keepgate mcp` that wishes to remember something. */

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { TestContext } from "node:test";
import { isRecord } from "../../src/sidecar/problems.js";
import { type House, keepgate } from "../support/serve.js";

const HELLO = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "agent", version: "1" } };

/** Begins to remember a fact; resolves to what the tool answers, once somebody decided. */
export type Remember = (fact: string) => Promise<unknown>;

/** Start an agent in the workspace of a house. */
export async function agent(test: TestContext, at: House): Promise<Remember> {
  const child = spawn(keepgate().command, ["mcp", "--workspace", at.folder], {
    env: { ...process.env, ...at.env },
    stdio: ["pipe", "pipe", "ignore"],
  });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  test.after(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  const answers = new Map<number, (result: unknown) => void>();
  createInterface({ input: child.stdout }).on("line", (line) => {
    const message: unknown = JSON.parse(line);
    if (isRecord(message) && typeof message["id"] === "number") answers.get(message["id"])?.(message["result"]);
  });
  let id = 0;
  const send = (message: Readonly<Record<string, unknown>>): void => {
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  };
  const request = (method: string, params: unknown): Promise<unknown> => {
    id += 1;
    const answer = new Promise((resolve) => answers.set(id, resolve));
    send({ id, method, params });
    return answer;
  };
  await request("initialize", HELLO);
  send({ method: "notifications/initialized" });
  return async (fact) => {
    const tool = { name: "remember", arguments: { fact, provenance: "test" } };
    return textOf(await request("tools/call", tool));
  };
}

function textOf(result: unknown): unknown {
  const content = isRecord(result) && Array.isArray(result["content"]) ? (result["content"] as unknown[]) : [];
  const [first] = content;
  return isRecord(first) && typeof first["text"] === "string" ? JSON.parse(first["text"]) : result;
}
