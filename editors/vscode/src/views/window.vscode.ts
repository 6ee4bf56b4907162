/** The views of a window: three trees, their documents, and memories that can be edited. */

import { fileURLToPath } from "node:url";
import * as vscode from "vscode";
import type { Session, Topic } from "../sidecar/session.js";
import { failureText } from "../text/faults.js";
import { conditionOf } from "./condition.js";
import { ViewDocuments } from "./documents.vscode.js";
import { Drafts } from "./editing/drafts.js";
import { MemoryFiles, type OnDrift } from "./editing/files.vscode.js";
import type { Access, Folder } from "./models/access.js";
import { Inbox } from "./models/inbox.js";
import { Renewing } from "./renewing.js";
import { InboxSource, type WishNode } from "./sources/inbox.js";
import { type LedgerNode, LedgerSource } from "./sources/ledger.js";
import { MemorySource } from "./sources/memory.js";
import type { MemoryNode } from "./sources/memoryNodes.js";
import { Tree } from "./tree.vscode.js";
import { writersOf } from "./writers.js";

const GATHER_MS = 150;
/** Ages in the lists are told in minutes. */
const AGES_MS = 60_000;

type Renewed = Topic | "folders" | "ages";

export class Views implements vscode.Disposable {
  readonly session: Session;
  readonly inbox: Inbox;
  readonly ledger: LedgerSource;
  readonly memoryTree: Tree<MemoryNode>;
  readonly inboxTree: Tree<WishNode>;
  readonly ledgerTree: Tree<LedgerNode>;
  readonly documents: ViewDocuments;
  readonly drafts: Drafts;
  readonly files: MemoryFiles;
  readonly #memory: MemorySource;
  readonly #renewing = new Renewing<Renewed>((topics) => this.#renew(topics), GATHER_MS);
  readonly #own: readonly { dispose(): unknown }[];
  #folders: readonly Folder[] = [];

  constructor(session: Session, kept: vscode.Memento, onDrift: OnDrift) {
    this.session = session;
    const access = (): Access => this.access;
    // While the sidecar starts again, what was read stays on the screen.
    const isOn = (): boolean => ["starting", "running"].includes(conditionOf(session.state));
    this.#memory = new MemorySource(access, () => { this.memoryTree.refresh(); });
    this.inbox = new Inbox(access);
    this.ledger = new LedgerSource(access, () => { this.ledgerTree.refresh(); }, Date.now);
    this.memoryTree = new Tree("keepgate.memory", this.#memory, isOn);
    this.inboxTree = new Tree("keepgate.inbox", new InboxSource(this.inbox, Date.now), isOn, true);
    this.ledgerTree = new Tree("keepgate.ledger", this.ledger, isOn);
    this.documents = new ViewDocuments(writersOf(access));
    this.drafts = new Drafts(access, keptVersions(kept));
    this.files = new MemoryFiles(this.drafts, onDrift);
    const ages = setInterval(() => { this.#renewing.changed("ages"); }, AGES_MS);
    this.#own = [
      this.memoryTree,
      this.inboxTree,
      this.ledgerTree,
      this.documents,
      this.files,
      this.#renewing,
      { dispose: () => { clearInterval(ages); } },
      session.onDidChange((topic) => { this.#renewing.changed(topic); }),
      session.onState(() => { this.#renewing.changed("folders"); }),
      vscode.workspace.onDidChangeWorkspaceFolders(() => { this.#renewing.changed("folders"); }),
    ];
    this.#renewing.changed("folders");
  }

  /** What the commands need of the sidecar, as it is now. */
  get access(): Access {
    return { calls: this.session.calls, folders: this.#folders, sessionId: this.session.person.id };
  }

  /** Read everything anew. */
  renew(): void {
    this.inbox.stale();
    for (const topic of ["folders", "memory", "facts", "pages", "proposals", "ledger"] as const) {
      this.#renewing.changed(topic);
    }
  }

  dispose(): void {
    for (const own of this.#own) own.dispose();
  }

  async #renew(topics: ReadonlySet<Renewed>): Promise<void> {
    const condition = conditionOf(this.session.state);
    await vscode.commands.executeCommand("setContext", "keepgate.condition", condition);
    try {
      if (condition === "running") await this.#read(topics);
      for (const tree of [this.memoryTree, this.inboxTree, this.ledgerTree]) tree.complain("");
    } catch (thrown) {
      // What was shown stays, and the next change reads again.
      this.memoryTree.complain(failureText(thrown));
    }
    this.#draw(topics);
  }

  async #read(topics: ReadonlySet<Renewed>): Promise<void> {
    if (topics.has("folders")) this.#folders = await foldersOf(this.session);
    const reads: Promise<unknown>[] = [];
    if (topics.has("memory") || topics.has("folders")) reads.push(this.#memory.renew("memory"), this.files.renew());
    if (topics.has("facts")) reads.push(this.#memory.renew("facts"));
    if (topics.has("pages")) reads.push(this.#memory.renew("pages"));
    if (topics.has("ledger")) reads.push(this.ledger.renew());
    if (topics.has("memory") || topics.has("facts")) this.inbox.stale();
    if (topics.has("proposals") || topics.has("memory") || topics.has("facts")) reads.push(this.inbox.renew());
    await Promise.all(reads);
  }

  #draw(topics: ReadonlySet<Renewed>): void {
    const has = (...any: readonly Renewed[]): boolean => any.some((topic) => topics.has(topic));
    if (has("memory", "facts", "pages", "folders")) this.memoryTree.refresh();
    if (has("proposals", "memory", "facts", "folders", "ages")) this.inboxTree.refresh();
    if (has("ledger", "folders", "ages")) this.ledgerTree.refresh();
    if (has("memory", "facts")) this.documents.renew();
    const waiting = this.inbox.wishes.length;
    const tooltip = waiting === 1 ? "1 wish waits for you" : `${waiting} wishes wait for you`;
    this.inboxTree.view.badge = waiting === 0 ? undefined : { value: waiting, tooltip };
  }
}

/** The open folders as the sidecar knows them now; it was told of every change. */
async function foldersOf(session: Session): Promise<readonly Folder[]> {
  const { workspaces } = await session.calls.status({});
  return workspaces.flatMap(({ uri, key }) => {
    if (uri === undefined || key === undefined || !uri.startsWith("file:")) return [];
    const path = fileURLToPath(uri);
    const open = vscode.workspace.workspaceFolders?.find((folder) => folder.uri.fsPath === path);
    return [{ key, path, name: open?.name ?? path }];
  });
}

function keptVersions(memento: vscode.Memento): ConstructorParameters<typeof Drafts>[1] {
  const name = (id: string): string => `version/${id}`;
  return {
    get: (id) => memento.get<number>(name(id)),
    set: (id, version) => void memento.update(name(id), version),
  };
}
