/** From the editor's settings to the sidecar's `initializationOptions`. */

/**
 * Settings of the editor that are passed on, and where they stand in the options.
 *
 * All are machine-scoped: the options win over the user's `config.toml`, so that a repository that could set
 * them would loosen the gate. A repository has `.keepgate/config.toml`, which can only narrow. The store's
 * place is not among them: it would split the editor from terminals and agents.
 */
export const PASSED_ON: Readonly<Record<string, readonly string[]>> = {
  approvalTimeoutSeconds: ["approvalTimeoutSeconds"],
  writePolicy: ["writePolicy"],
  writePolicies: ["writePolicies"],
  budgets: ["budgets"],
  proposals: ["proposals"],
  facts: ["facts"],
  queryLimit: ["queryLimit"],
  workspaceIdentity: ["workspaceIdentity"],
  "pages.roots": ["pages", "roots"],
  usageLog: ["usageLog"],
};

/** What an editor knows of one setting (`WorkspaceConfiguration.inspect`); only the person's own value counts. */
export interface Inspected {
  readonly globalValue?: unknown;
}

/**
 * The options for those settings that the person set. Defaults are left out, since an option would beat what
 * the user's `config.toml` says; values of a workspace are, whatever scope the editor gave them.
 */
export function initializationOptions(
  inspect: (name: string) => Inspected | undefined,
): Readonly<Record<string, unknown>> {
  const options: Record<string, unknown> = {};
  for (const [name, place] of Object.entries(PASSED_ON)) {
    const value = inspect(name)?.globalValue;
    if (value !== undefined && value !== null) put(options, place, value);
  }
  return options;
}

function put(target: Record<string, unknown>, place: readonly string[], value: unknown): void {
  const [first, ...rest] = place;
  if (first === undefined) return;
  if (rest.length === 0) {
    target[first] = value;
    return;
  }
  const inner = (target[first] ??= {}) as Record<string, unknown>;
  put(inner, rest, value);
}
