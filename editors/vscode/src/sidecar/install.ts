/** The commands that install keepgate, for the person to choose from. Pure. */

export interface Installer {
  readonly label: string;
  /** A line for a terminal; it holds nothing that a shell would read otherwise than as written. */
  readonly command: string;
  readonly detail: string;
}

const NAME = "'keepgate[mcp]'";

/** The ways to install it or to bring it up to date, the plainest first. */
export function installers(platform: NodeJS.Platform): readonly Installer[] {
  const name = platform === "win32" ? NAME.replaceAll("'", '"') : NAME;
  const python = platform === "win32" ? "py" : "python3";
  return [
    { label: "pipx", command: `pipx install --force ${name}`, detail: "In an environment of its own" },
    { label: "uv", command: `uv tool install --upgrade ${name}`, detail: "In an environment of its own" },
    { label: "pip", command: `${python} -m pip install --upgrade ${name}`, detail: "In the environment of this terminal" },
  ];
}
