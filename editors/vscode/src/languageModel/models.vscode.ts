/** The editor's language models, and whether the person lets keepgate use one. */

import * as vscode from "vscode";
import type { Session } from "../sidecar/session.js";
import { complete, type Model } from "./completing.js";
import type { Turn } from "./mapping.js";

const SETTING = "languageModel";
const CONSENT = "languageModel/consent";
const CHOSEN = "languageModel/chosen";
const WHAT_IT_MEANS =
  "To answer a question from what is remembered, keepgate sends the question and the memories and pages that " +
  "match it to the model, and the model's provider reads them. Nothing is sent for anything else, and nothing " +
  "is stored.";

/** Whether the capability is announced: the editor has models, and the person switched it on and agreed. */
export function isAllowed(context: vscode.ExtensionContext): boolean {
  return hasModels() && isOn() && context.globalState.get<boolean>(CONSENT) === true;
}

/** Answers the sidecar's requests, as long as the person lets it. */
export class LanguageModels implements vscode.Disposable {
  readonly #session: Session;
  readonly #context: vscode.ExtensionContext;
  readonly #own: readonly { dispose(): unknown }[];
  /** Whether the setting is being changed here. */
  #changing = false;

  constructor(session: Session, context: vscode.ExtensionContext) {
    this.#session = session;
    this.#context = context;
    this.#own = [
      session.onRequest("languageModel/complete", async (params, signal) => {
        if (!this.allowed) throw new Error("the model may not be used");
        return complete(params, signal, () => chosenModel(context));
      }),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration(`keepgate.${SETTING}`) && !this.#changing) void this.#changedByHand();
      }),
    ];
  }

  get allowed(): boolean {
    return isAllowed(this.#context);
  }

  /** Let the person allow a model, by name, or take the leave back. Resolves to whether one is allowed. */
  async choose(): Promise<boolean> {
    const models = hasModels() ? await vscode.lm.selectChatModels() : [];
    if (models.length === 0) {
      void vscode.window.showInformationMessage("keepgate: this editor has no language model that could be asked.");
      return false;
    }
    const none = { label: "None", description: "keepgate asks no model", id: undefined };
    const items = models.map((model) => ({ label: model.name, description: model.vendor, id: model.id }));
    const title = "Which model may answer questions from memory?";
    const chosen = await vscode.window.showQuickPick([none, ...items], { title });
    if (chosen === undefined) return this.allowed;
    await this.#decided(chosen.id !== undefined && (await agrees()), chosen.id);
    return this.allowed;
  }

  dispose(): void {
    for (const own of this.#own) own.dispose();
  }

  /** The person wrote the setting. The first time that needs an answer of its own. */
  async #changedByHand(): Promise<void> {
    const known = this.#context.globalState.get<boolean>(CONSENT);
    const chosen = this.#context.globalState.get<string>(CHOSEN);
    await this.#decided(isOn() && (known ?? (await agrees())), chosen);
  }

  async #decided(agreed: boolean, chosen: string | undefined): Promise<void> {
    this.#changing = true;
    try {
      await this.#context.globalState.update(CHOSEN, chosen);
      await this.#context.globalState.update(CONSENT, agreed ? true : undefined);
      if (isOn() !== agreed) await setOn(agreed);
    } finally {
      this.#changing = false;
    }
    // What is announced is announced at the start alone.
    if (this.#session.state.kind === "running") await this.#session.restart();
  }
}

async function agrees(): Promise<boolean> {
  const question = "May keepgate use a language model of this editor?";
  const answer = await vscode.window.showWarningMessage(question, { modal: true, detail: WHAT_IT_MEANS }, "Allow");
  return answer === "Allow";
}

/** The person's own setting: a repository has no say, whatever scope the editor gives it. */
function isOn(): boolean {
  return vscode.workspace.getConfiguration("keepgate").inspect<boolean>(SETTING)?.globalValue === true;
}

async function setOn(value: boolean): Promise<void> {
  await vscode.workspace.getConfiguration("keepgate").update(SETTING, value, vscode.ConfigurationTarget.Global);
}

/** Editors built on an older version have no such part of their interface. */
function hasModels(): boolean {
  return "lm" in vscode;
}

async function chosenModel(context: vscode.ExtensionContext): Promise<Model | undefined> {
  const id = context.globalState.get<string>(CHOSEN);
  const [model] = await vscode.lm.selectChatModels(id === undefined ? {} : { id });
  return model === undefined ? undefined : modelOf(model);
}

function modelOf(model: vscode.LanguageModelChat): Model {
  return {
    name: model.id,
    maxInputTokens: model.maxInputTokens,
    send: (turns, maxTokens, signal) => pieces(model, turns, maxTokens, signal),
    count: async (text) => model.countTokens(text),
  };
}

async function* pieces(
  model: vscode.LanguageModelChat,
  turns: readonly Turn[],
  maxTokens: number,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const source = new vscode.CancellationTokenSource();
  const cancel = (): void => {
    source.cancel();
  };
  if (signal.aborted) cancel();
  signal.addEventListener("abort", cancel);
  try {
    const options = {
      justification: "keepgate answers your question from what is remembered.",
      modelOptions: { max_tokens: maxTokens },
    };
    const response = await model.sendRequest(turns.map(messageOf), options, source.token);
    yield* response.text;
  } finally {
    signal.removeEventListener("abort", cancel);
    source.dispose();
  }
}

function messageOf(turn: Turn): vscode.LanguageModelChatMessage {
  return turn.role === "assistant"
    ? vscode.LanguageModelChatMessage.Assistant(turn.content)
    : vscode.LanguageModelChatMessage.User(turn.content);
}
