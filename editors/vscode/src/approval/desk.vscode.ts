/** Puts the questions to the person, one at a time, and brings back what was put aside. */

import * as vscode from "vscode";
import { callError } from "../sidecar/problems.js";
import type { Session } from "../sidecar/session.js";
import { withoutIcons, withoutLinks } from "../text/visible.js";
import { headline } from "./change.js";
import { ChangeDocuments } from "./documents.vscode.js";
import { type Chosen, Prompt } from "./prompt.vscode.js";
import type { Decision, Ended, Open, Questions } from "./questions.js";

/** How long the choices wait for the document below them; then they appear without. */
const DOCUMENT_MS = 1_500;

export class Desk implements vscode.Disposable {
  readonly #session: Session;
  readonly #questions: Questions;
  readonly #documents = new ChangeDocuments();
  readonly #own: readonly { dispose(): unknown }[];
  /** Questions whose choices were closed undecided; they come back with the window's focus or a new question. */
  readonly #aside = new Set<string>();
  #prompt: Prompt | undefined;
  /** The question whose choices are about to appear. */
  #coming: Open | undefined;
  #reminding = false;

  constructor(session: Session, questions: Questions) {
    this.#session = session;
    this.#questions = questions;
    this.#own = [
      questions.onDidChange(() => {
        this.#look();
      }),
      questions.onDidEnd((ended) => {
        this.#ended(ended);
      }),
      vscode.window.tabGroups.onDidChangeTabs(() => {
        this.#offer();
      }),
      vscode.window.onDidChangeWindowState((state) => {
        if (!state.focused) return;
        this.#aside.clear();
        this.#look();
      }),
    ];
  }

  /** Show the next question that waits, from the inbox where none is open. */
  async next(): Promise<void> {
    const open = await this.#tried(() => this.#questions.next());
    if (open === "failed") return;
    if (open === undefined) void vscode.window.showInformationMessage("keepgate: nothing waits for you.");
    else await this.#present(open);
  }

  /** Show one wish of the inbox as a question. */
  async bring(id: string): Promise<void> {
    const open = await this.#tried(() => this.#questions.bring(id));
    if (open === "failed") return;
    if (open === undefined) void vscode.window.showInformationMessage("keepgate: this wish can no longer be decided.");
    else await this.#present(open);
  }

  /** Decide the question that the person looks at. Where none is on the screen the next one is shown instead. */
  async act(act: Decision | "look" | "later"): Promise<void> {
    const id = this.#documents.active ?? this.#prompt?.open.question.id;
    const open = id === undefined ? undefined : this.#questions.find(id);
    if (open === undefined) await this.next();
    else if (act === "allowed-session" && !open.question.forSession) await this.#present(open);
    else await this.#chosen(open, act);
  }

  dispose(): void {
    for (const own of this.#own) own.dispose();
    this.#prompt?.dispose();
    this.#documents.dispose();
  }

  /** Whether the buttons of the tab in view have the one for the rest of the session. */
  #offer(): void {
    const id = this.#documents.active;
    const forSession = id !== undefined && this.#questions.find(id)?.question.forSession === true;
    void vscode.commands.executeCommand("setContext", "keepgate.forSession", forSession);
  }

  /** Bring the screen into step with what is open. */
  #look(): void {
    this.#offer();
    const showing = this.#prompt?.open;
    if (showing !== undefined) {
      const now = this.#questions.find(showing.question.id);
      if (now === showing) return;
      this.#takeAway();
      // The same wish in another form: somebody waits for it now, or no longer.
      if (now !== undefined) {
        void this.#present(now);
        return;
      }
    }
    const next = this.#questions.open.find((open) => open.awaited && !this.#aside.has(open.question.id));
    if (next !== undefined && this.#coming === undefined) void this.#present(next);
  }

  async #present(open: Open): Promise<void> {
    this.#takeAway();
    this.#coming = open;
    await Promise.race([this.#document(open, true), pause(DOCUMENT_MS)]);
    // Meanwhile another may have been asked for, or this one decided elsewhere.
    if (this.#coming !== open) return;
    this.#coming = undefined;
    if (this.#questions.find(open.question.id) !== open) {
      this.#look();
      return;
    }
    const all = this.#questions.open;
    this.#aside.delete(open.question.id);
    this.#prompt = new Prompt(open, all.indexOf(open) + 1, all.length, (chosen) => void this.#chosen(open, chosen));
    if (open.awaited) this.#session.notify("approval/shown", { id: open.question.id });
  }

  async #chosen(open: Open, chosen: Chosen): Promise<void> {
    switch (chosen) {
      case "look":
        await this.#document(open, false);
        return;
      case "aside":
        this.#putAside(open);
        return;
      case "later":
        this.#takeAway();
        this.#questions.later(open);
        return;
      case "allowed-once":
      case "allowed-session":
      case "rejected":
        this.#takeAway();
        await this.#decide(open, chosen);
    }
  }

  async #decide(open: Open, decision: Decision): Promise<void> {
    const changed = await this.#tried(() => this.#questions.decide(open, decision));
    if (changed === "failed") {
      this.#putAside(open);
    } else if (changed !== undefined) {
      void vscode.window.showWarningMessage("keepgate: the change is not what you saw any more. Look again.");
      await this.#present(changed);
    }
  }

  #putAside(open: Open): void {
    this.#takeAway();
    this.#aside.add(open.question.id);
    void this.#remind(open);
    this.#look();
  }

  /** One message at a time: it cannot be taken back, and stays where it is when the question is decided. */
  async #remind(open: Open): Promise<void> {
    if (this.#reminding) return;
    this.#reminding = true;
    const text = `keepgate: a question is still open. ${withoutLinks(headline(open.question))}`;
    const answer = await vscode.window.showInformationMessage(text, "Show the question");
    this.#reminding = false;
    if (answer !== undefined) await this.next();
  }

  #ended(ended: Ended): void {
    this.#aside.delete(ended.id);
    if (this.#prompt?.open.question.id === ended.id) this.#takeAway();
    void this.#documents.close(ended.id);
    if (ended.note !== undefined) vscode.window.setStatusBarMessage(`keepgate: ${withoutIcons(ended.note)}`, 10_000);
    this.#look();
  }

  #takeAway(): void {
    this.#prompt?.dispose();
    this.#prompt = undefined;
  }

  async #document(open: Open, preserveFocus: boolean): Promise<void> {
    try {
      await this.#documents.show(open, preserveFocus);
    } catch (error) {
      void vscode.window.showErrorMessage(`keepgate: the change could not be shown: ${withoutLinks(callError(error).message)}`);
    }
  }

  async #tried<T>(step: () => Promise<T>): Promise<T | "failed"> {
    try {
      return await step();
    } catch (error) {
      void vscode.window.showErrorMessage(`keepgate: ${withoutLinks(callError(error).message)}`);
      return "failed";
    }
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
