/** The nodes of the memory tree and how they are drawn. */

import type { Entry, PackFact, PageRef } from "keepgate-client";

import { budgetLabel, budgetText, counted, fullness, type Fullness } from "../../text/budget.js";
import { workspaceName } from "../../text/names.js";
import { excerpt, makeVisible, named } from "../../text/visible.js";
import { seenBy } from "../documents/memories.js";
import type { FactGroup } from "../models/facts.js";
import type { Layer } from "../models/layers.js";
import { type Look, type More, moreLook } from "./look.js";

export interface LayerNode {
  readonly kind: "layer";
  readonly layer: Layer;
  /** How many entries it has; null where that is not known. */
  readonly total: number | null;
}
export interface EntryNode {
  readonly kind: "entry";
  readonly entry: Entry;
}
export interface FactsNode {
  readonly kind: "facts";
}
export interface GroupNode {
  readonly kind: "group";
  readonly group: FactGroup;
}
export interface FactNode {
  readonly kind: "fact";
  readonly fact: PackFact;
}
export interface PagesNode {
  readonly kind: "pages";
}
export interface PageNode {
  readonly kind: "page";
  readonly page: PageRef;
}
/** Says that a section has nothing, so that it does not look broken. */
export interface NothingNode {
  readonly kind: "nothing";
  readonly of: string;
}
export type SectionNode = LayerNode | FactsNode | PagesNode;
export type MemoryNode = SectionNode | EntryNode | GroupNode | FactNode | PageNode | NothingNode | More;

const LABEL_LENGTH = 120;
const TOOLTIP_LENGTH = 2000;
const COLORS: Readonly<Record<Fullness, string | undefined>> = {
  room: undefined,
  nearly: "list.warningForeground",
  full: "list.errorForeground",
};

/** How a node of the memory tree is drawn. */
export function memoryLook(node: MemoryNode): Look {
  switch (node.kind) {
    case "layer":
      return layerLook(node);
    case "entry":
      return entryLook(node.entry);
    case "facts":
      return { id: "facts", label: "Facts", icon: "symbol-constant", menu: "facts", folds: "closed" };
    case "group":
      return groupLook(node.group);
    case "fact":
      return factLook(node.fact);
    case "pages":
      return { id: "pages", label: "Pages", icon: "book", menu: "pages", folds: "closed" };
    case "page":
      return pageLook(node.page);
    case "nothing":
      return { id: `nothing/${node.of}`, label: "Nothing here yet", menu: "nothing" };
    case "more":
      return moreLook(node);
  }
}

function layerLook({ layer, total }: LayerNode): Look {
  const count = total === null ? "" : counted(total, "memory", "memories");
  const color = COLORS[fullness(layer.usage)];
  return {
    id: `layer/${layer.id}`,
    label: layer.name,
    description: budgetText(layer.usage),
    tooltip: [layer.name, budgetLabel(layer.usage), count].filter((line) => line !== "").join("\n"),
    spoken: [layer.name, budgetLabel(layer.usage), count].filter((part) => part !== "").join(", "),
    icon: layer.track === "user" ? "account" : "hubot",
    ...(color === undefined ? {} : { color }),
    menu: "layer",
    folds: layer.scope === "workspace" ? "open" : "closed",
  };
}

function entryLook(entry: Entry): Look {
  const marks = [entry.tags.map(named).join(", "), entry.agentKey === "" ? "" : seenBy(entry.agentKey)];
  const told = marks.filter((mark) => mark !== "").join(" · ");
  return {
    id: `entry/${entry.id}`,
    label: excerpt(entry.text, LABEL_LENGTH),
    ...(told === "" ? {} : { description: told }),
    tooltip: whole(entry.text),
    icon: entry.agentKey === "" ? "note" : "lock",
    menu: "entry",
    command: "keepgate.showMemory",
  };
}

function groupLook(group: FactGroup): Look {
  const label = group.entity === null ? "About nothing in particular" : named(group.entity);
  const count = counted(group.facts.length, "fact", "facts");
  return {
    id: `group/${group.entity ?? ""}`,
    label,
    description: count,
    spoken: `${label}, ${count}`,
    icon: group.entity === null ? "circle-outline" : "symbol-namespace",
    menu: "group",
    folds: "closed",
  };
}

function factLook(fact: PackFact): Look {
  return {
    id: `fact/${fact.fact_id}`,
    label: excerpt(fact.fact, LABEL_LENGTH),
    description: fact.kind,
    tooltip: whole(fact.fact),
    icon: "symbol-constant",
    menu: "fact",
    command: "keepgate.showMemory",
  };
}

function pageLook(page: PageRef): Look {
  const marks = [page.slug, page.visibility === "private" ? "private" : ""].filter((mark) => mark !== "");
  return {
    id: `page/${page.home}/${page.slug}`,
    label: excerpt(page.title, LABEL_LENGTH),
    description: marks.map((mark) => excerpt(mark, LABEL_LENGTH)).join(" · "),
    tooltip: `${excerpt(page.title, LABEL_LENGTH)}\n${named(page.type)}, ${named(workspaceName(page.home))}`,
    icon: "file",
    menu: "page",
    command: "keepgate.openPage",
  };
}

function whole(text: string): string {
  const shown = makeVisible(text);
  return shown.length <= TOOLTIP_LENGTH ? shown : `${shown.slice(0, TOOLTIP_LENGTH)}…`;
}
