/** Questions that a language model answers from what is remembered. */

import * as vscode from "vscode";
import { answerDocument } from "../views/documents/answers.js";
import { type Act, waiting } from "./running.vscode.js";

const ask: Act = async (desk) => {
  if (!desk.models.allowed && !(await desk.models.choose())) return;
  const question = await vscode.window.showInputBox({ title: "Ask your memory", prompt: "A model answers from it." });
  if (question === undefined || question.trim() === "") return;
  const result = await waiting("asking the language model", (signal) =>
    desk.views.access.calls.synthesize({ question, session: null }, { signal }),
  );
  await desk.views.documents.openFixed("Answer", answerDocument(question, result));
};

const allow: Act = async (desk) => {
  await desk.models.choose();
};

export const ASKING_ACTS: Readonly<Record<string, Act>> = { askMemory: ask, allowLanguageModel: allow };
