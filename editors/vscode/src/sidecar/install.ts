/**
 * The commands that install keepgate, for the person to choose from. Pure. keepgate is on no package index: what
 * one had under its name would be somebody else's, so each command names a checkout.
 */

export interface Installer {
  readonly label: string;
  /** A line for a terminal; it holds nothing that a shell would read otherwise than as written. */
  readonly command: string;
  readonly detail: string;
}

/** What a shell, or the line editor of a terminal, reads as more than a character of a quoted path. */
const SPEAKS_TO_SHELLS = /["'`$%!^[\]\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/** Whether the text of a pyproject.toml is that of keepgate. */
export function isKeepgate(pyproject: string): boolean {
  return /^name = "keepgate"\r?$/m.test(pyproject);
}

/**
 * The ways to install it from a checkout, a folder's absolute path, or to bring it up to date, the plainest first;
 * none where the path cannot be written for every shell alike.
 */
export function installers(platform: NodeJS.Platform, checkout: string): readonly Installer[] {
  if (SPEAKS_TO_SHELLS.test(checkout)) return [];
  const quote = platform === "win32" ? '"' : "'";
  const python = platform === "win32" ? "py" : "python3";
  const what = `${quote}${checkout}[mcp]${quote}`;
  return [
    { label: "pipx", command: `pipx install --force ${what}`, detail: "In an environment of its own" },
    { label: "uv", command: `uv tool install --reinstall ${what}`, detail: "In an environment of its own" },
    { label: "pip", command: `${python} -m pip install --upgrade ${what}`, detail: "In the environment of this terminal" },
  ];
}
