/** The layers of memory and how full they are. */

import type { Entry, Scope, Track, Usage } from "keepgate-client";

import { layerName } from "../../text/names.js";
import { type Access, type Folder, sessionFor } from "./access.js";
import { type Page, Paged } from "./paged.js";

export const PAGE_SIZE = 200;

/** One track and scope; of workspace layers there is one for each open folder. */
export interface Layer {
  /** The same as long as the folder is open. */
  readonly id: string;
  readonly name: string;
  readonly track: Track;
  readonly scope: Scope;
  /** Empty for what holds everywhere. */
  readonly workspaceKey: string;
  readonly usage: Usage;
}

/** Every layer in the order of the contract; the workspace layers of each folder follow one another. */
export async function layersOf(access: Access): Promise<readonly Layer[]> {
  if (access.folders.length === 0) {
    const { budgets } = await access.calls.budgets({ session: null });
    return budgets.filter((row) => row.scope === "user-global").map((row) => layerOf(row));
  }
  const several = access.folders.length > 1;
  const read = access.folders.map(async (folder) => {
    const { budgets } = await access.calls.budgets({ session: sessionFor(access, folder.key) });
    return { folder, budgets };
  });
  const found = await Promise.all(read);
  const everywhere = found[0]?.budgets.filter((row) => row.scope === "user-global") ?? [];
  const here = found.flatMap(({ folder, budgets }) =>
    budgets.filter((row) => row.scope === "workspace").map((row) => layerOf(row, folder, several)),
  );
  return [...here, ...everywhere.map((row) => layerOf(row))];
}

/** The entries of a layer, in the order in which they came. */
export function entriesOf(access: () => Access, layer: Layer, size = PAGE_SIZE): Paged<Entry> {
  const read = async (after: string | undefined, limit: number): Promise<Page<Entry, string>> => {
    const { track, scope, workspaceKey } = layer;
    const page = await access().calls.list({ track, scope, limit: Math.min(limit, 1000), after, session: null });
    // A list speaks of every open folder.
    return { items: page.entries.filter((entry) => entry.workspaceKey === workspaceKey), next: page.next };
  };
  return new Paged(read, size);
}

function layerOf(usage: Usage, folder?: Folder, several = false): Layer {
  const key = folder?.key ?? "";
  return {
    id: `${usage.track}/${usage.scope}/${key}`,
    name: layerName(usage.track, usage.scope, several ? folder?.name : undefined),
    track: usage.track,
    scope: usage.scope,
    workspaceKey: key,
    usage,
  };
}
