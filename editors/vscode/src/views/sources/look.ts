/** How a node of a tree is drawn, without the editor. */

/** A node's looks. Every string is drawn as plain text. */
export interface Look {
  /** The same as long as the node stands for the same thing: the tree keeps its selection by it. */
  readonly id: string;
  readonly label: string;
  readonly description?: string;
  readonly tooltip?: string;
  /** What a screen reader says in place of label and description. */
  readonly spoken?: string;
  /** A codicon of the theme, and a colour of the theme for it. */
  readonly icon?: string;
  readonly color?: string;
  /** What menus ask for: `viewItem`. */
  readonly menu?: string;
  readonly folds?: "open" | "closed";
  /** Runs with the node as its argument. */
  readonly command?: string;
}

/** Where a tree's nodes come from. What it gives was read before: asking twice costs nothing. */
export interface Source<N> {
  children(node?: N): Promise<readonly N[]>;
  look(node: N): Look;
}

/** The node at the end of a list that goes on. */
export interface More {
  readonly kind: "more";
  /** The list's node; none for the root. */
  readonly of: string;
  readonly shown: number;
  readonly total: number | null;
  readonly read: () => Promise<void>;
}

/** How that node is drawn. */
export function moreLook(node: More): Look {
  const total = node.total === null ? "" : ` of ${node.total}`;
  return {
    id: `more/${node.of}`,
    label: "Show more…",
    description: `${node.shown}${total} shown`,
    icon: "ellipsis",
    menu: "more",
    command: "keepgate.showMore",
  };
}
