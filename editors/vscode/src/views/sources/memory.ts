/** The memory tree: layers with their entries, facts by entity, pages. */

import type { Entry, NextCursor, PackFact, PageRef } from "keepgate-client";

import type { Access } from "../models/access.js";
import { factsOf, grouped } from "../models/facts.js";
import { entriesOf, type Layer, layersOf } from "../models/layers.js";
import type { Paged } from "../models/paged.js";
import { pagesOf } from "../models/pages.js";
import type { Look, More, Source } from "./look.js";
import {
  type FactsNode,
  type LayerNode,
  memoryLook,
  type MemoryNode,
  type PagesNode,
  type SectionNode,
} from "./memoryNodes.js";

const FACTS: FactsNode = { kind: "facts" };
const PAGES: PagesNode = { kind: "pages" };

/** What changed, in the words of the session's topics. */
export type MemoryTopic = "memory" | "facts" | "pages";

/** The tree of one connection. What was read stays until it was read anew, so that nothing flickers. */
export class MemorySource implements Source<MemoryNode> {
  readonly #access: () => Access;
  readonly #told: () => void;
  readonly #entries = new Map<string, Paged<Entry>>();
  readonly #facts: Paged<PackFact, NextCursor>;
  readonly #pages: Paged<PageRef>;
  #layers: readonly LayerNode[] | undefined;

  /** `told` is called when a list was read on, so that the tree asks again. */
  constructor(access: () => Access, told: () => void) {
    this.#access = access;
    this.#told = told;
    this.#facts = factsOf(access);
    this.#pages = pagesOf(access);
  }

  look(node: MemoryNode): Look {
    return memoryLook(node);
  }

  async children(node?: MemoryNode): Promise<readonly MemoryNode[]> {
    switch (node?.kind) {
      case undefined:
        return this.#sections();
      case "layer":
        return this.#listed(node.layer.id, this.#list(node.layer), node.total, (entry) => ({ kind: "entry", entry }));
      case "facts":
        return this.#groups();
      case "group":
        return node.group.facts.map((fact) => ({ kind: "fact", fact }));
      case "pages":
        return this.#listed("pages", this.#pages, null, (page) => ({ kind: "page", page }));
      case "entry":
      case "fact":
      case "page":
      case "nothing":
      case "more":
        return [];
    }
  }

  /** Read anew what was shown of a topic. The old stands until then, and when it fails. */
  async renew(topic: MemoryTopic): Promise<void> {
    switch (topic) {
      case "memory":
        await this.#renewLayers();
        return;
      case "facts":
        await this.#facts.renew();
        return;
      case "pages":
        await this.#pages.renew();
    }
  }

  async #sections(): Promise<readonly SectionNode[]> {
    if (this.#layers === undefined) {
      await this.#renewLayers();
    }
    return [...(this.#layers ?? []), FACTS, PAGES];
  }

  async #renewLayers(): Promise<void> {
    const layers = await layersOf(this.#access());
    const known = new Set(layers.map((layer) => layer.id));
    for (const id of this.#entries.keys()) {
      if (!known.has(id)) {
        this.#entries.delete(id);
      }
    }
    await Promise.all([...this.#entries.values()].map((list) => list.renew()));
    this.#layers = await Promise.all(layers.map((layer) => this.#counted(layer)));
  }

  async #counted(layer: Layer): Promise<LayerNode> {
    const { calls, folders } = this.#access();
    // A query counts over all open folders.
    const countable = layer.scope === "user-global" || folders.length === 1;
    const { track, scope } = layer;
    const total = countable ? (await calls.query({ track, scope, limit: 1, session: null })).total : null;
    return { kind: "layer", layer, total };
  }

  #list(layer: Layer): Paged<Entry> {
    const known = this.#entries.get(layer.id) ?? entriesOf(this.#access, layer);
    this.#entries.set(layer.id, known);
    return known;
  }

  async #groups(): Promise<readonly MemoryNode[]> {
    await this.#facts.first();
    const groups = grouped(this.#facts.items).map((group): MemoryNode => ({ kind: "group", group }));
    return this.#ended("facts", this.#facts, null, groups);
  }

  async #listed<T, C>(
    id: string,
    list: Paged<T, C>,
    total: number | null,
    node: (item: T) => MemoryNode,
  ): Promise<readonly MemoryNode[]> {
    await list.first();
    return this.#ended(id, list, total, list.items.map(node));
  }

  #ended<T, C>(
    id: string,
    list: Paged<T, C>,
    total: number | null,
    nodes: readonly MemoryNode[],
  ): readonly MemoryNode[] {
    if (nodes.length === 0) {
      return [{ kind: "nothing", of: id }];
    }
    if (!list.hasMore) {
      return nodes;
    }
    const read = async (): Promise<void> => {
      await list.more();
      this.#told();
    };
    const more: More = { kind: "more", of: id, shown: list.items.length, total, read };
    return [...nodes, more];
  }
}
