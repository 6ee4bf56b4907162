/**
 * An extension host without an editor: the extension's own parts over plain pipes, steered by lines of JSON on
 * stdin, and telling what happens in lines of JSON on stdout. `tests/editors/test_vscode.py` runs it beside real
 * agents.
 *
 * Environment: `HOST_PROGRAM`, the command line of `keepgate serve` as a JSON list; `HOST_FOLDERS`, a JSON list.
 */

import { createInterface } from "node:readline";
import { type Decision, type Open, Questions } from "../src/approval/questions.js";
import { shown } from "../src/approval/change.js";
import { callError, isRecord } from "../src/sidecar/problems.js";
import { pause } from "../src/sidecar/restarts.js";
import { Sidecar } from "../src/sidecar/sidecar.js";
import { look } from "../src/statusBar/look.js";
import { plainLinks } from "./support/plainLink.js";

const [command = "", ...args] = JSON.parse(process.env["HOST_PROGRAM"] ?? "[]") as string[];
const folders = JSON.parse(process.env["HOST_FOLDERS"] ?? "[]") as string[];

function tell(event: string, what: Readonly<Record<string, unknown>>): void {
  process.stdout.write(`${JSON.stringify({ event, ...what })}\n`);
}

const sidecar = new Sidecar({
  find: () => Promise.resolve({ command, args, from: "setting" }),
  open: plainLinks({ folders, started: (pid) => { tell("started", { pid }); } }),
  person: { id: "vscode-test" },
  nowMs: Date.now,
  pause,
  log: (line) => process.stderr.write(`${line}\n`),
});
const questions = new Questions(sidecar);

function told(open: Open): Readonly<Record<string, unknown>> {
  const { id, text, action, forSession } = open.question;
  return { id, text, action, forSession, awaited: open.awaited, shown: shown(open.question) };
}

let acknowledged = new Set<Open>();
function tellQuestions(): void {
  for (const open of questions.open) {
    if (open.awaited && !acknowledged.has(open)) sidecar.notify("approval/shown", { id: open.question.id });
  }
  acknowledged = new Set(questions.open);
  tell("questions", {
    open: questions.open.map(told),
    waiting: questions.waiting,
    look: look(sidecar.state, sidecar.health, questions.waiting)?.text,
  });
}

sidecar.onState((state) => { tell("state", { kind: state.kind }); });
questions.onDidChange(tellQuestions);
questions.onDidEnd((ended) => { tell("ended", { ...ended }); });

const DECISIONS: Readonly<Record<string, Decision>> = {
  allow: "allowed-once",
  allowForSession: "allowed-session",
  reject: "rejected",
};

async function act(line: Readonly<Record<string, unknown>>): Promise<void> {
  const what = String(line["do"]);
  const open = questions.find(String(line["id"]));
  const decision = DECISIONS[what];
  if (decision !== undefined && open !== undefined) await questions.decide(open, decision);
  else if (what === "later" && open !== undefined) questions.later(open);
  else if (what === "next") tell("next", { question: (await questions.next())?.question.id ?? null });
  else if (what === "restart") await sidecar.restart();
  else if (what === "active") sidecar.notify("session/active", {});
  else if (what === "stop") {
    await sidecar.stop();
    process.exit(0);
  } else throw new Error(`cannot ${what}`);
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const read: unknown = JSON.parse(line);
  if (!isRecord(read)) return;
  act(read).catch((error: unknown) => { tell("failed", { code: callError(error).code, message: String(error) }); });
});
// As an extension host ends when the window is gone.
process.stdin.on("end", () => process.exit(1));
sidecar.start();
