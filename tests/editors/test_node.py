"""The client for Node: its own tests, its types against the operation table, the package as others get it."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from keepgate.derive.examples import full, minimal
from keepgate.protocol.ops import OPERATIONS, SERVER_MESSAGES
from keepgate.protocol.settings import Settings

pytestmark = [pytest.mark.editor, pytest.mark.timeout(600)]

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "client" / "node"
SUITES = sorted(path.name.removesuffix(".ts") for path in (PACKAGE / "test").glob("*.test.ts"))
PROGRAM = [sys.executable, "-P", "-m", "keepgate"]
RUN_S = 560
SHOWN = re.compile(r"^```(?:javascript|typescript)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PAGES = ("client/node/README.md", "docs/guides/harness-node.md")


def run(*command: str | Path, cwd: Path, env: dict[str, str] | None = None) -> str:
    """Run a program; what it printed, and where it failed that is the reason."""
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env={**os.environ, **(env or {})},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=RUN_S,
        check=False,
    )
    assert 0 == done.returncode, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def tsc() -> Path:
    """The compiler; what the package needs for its tests is installed where it is not."""
    if not (shutil.which("node") and shutil.which("npm")):
        if os.environ.get("KEEPGATE_EDITORS") == "all":
            pytest.fail("Node is not here")
        pytest.skip("Node is not here")
    if not (PACKAGE / "node_modules" / ".package-lock.json").is_file():
        run("npm", "ci", "--ignore-scripts", cwd=PACKAGE)
    return PACKAGE / "node_modules" / ".bin" / "tsc"


@pytest.fixture(scope="module")
def built(tsc: Path) -> Path:
    """The folder with the compiled tests, beside the compiled package."""
    run(tsc, "--project", "tsconfig.json", cwd=PACKAGE)
    run(tsc, "--project", "tsconfig.test.json", cwd=PACKAGE)
    return PACKAGE / ".build"


@pytest.mark.parametrize("suite", SUITES)
def test_its_own_tests_hold(built: Path, suite: str) -> None:
    """Each file of ``client/node/test``, with this keepgate behind it."""
    env = {"KEEPGATE_COMMAND": json.dumps(PROGRAM)}
    told = run("node", "--test", "--test-reporter=tap", built / f"{suite}.js", cwd=PACKAGE, env=env)

    counts = dict(re.findall(r"^# (\w+) (\d+)$", told, re.MULTILINE))
    assert int(counts["tests"]) == int(counts["pass"]) > 0


def test_it_is_clean(built: Path) -> None:
    """``eslint`` with the strict rules of typescript-eslint has nothing to say."""
    run(PACKAGE / "node_modules" / ".bin" / "eslint", ".", cwd=PACKAGE)


def test_no_file_names_a_registry() -> None:
    """The lock file has no addresses of packages, wherever they were fetched from."""
    lock = json.loads((PACKAGE / "package-lock.json").read_text(encoding="utf-8"))

    assert [] == [name for name, package in lock["packages"].items() if "resolved" in package]


def test_the_types_are_those_of_the_table(built: Path, tsc: Path, tmp_path: Path) -> None:
    """Whatever the sidecar takes and gives fits the types; with a field of a wrong type it does not."""
    lines = [f"import type * as wire from {json.dumps(str(PACKAGE / 'dist' / 'index.js'))};"]
    lines += [_fits(f"wire.{cls.__name__}", value) for cls, value in _samples()]
    lines += [
        f"// @ts-expect-error\n{_fits(f'wire.{cls.__name__}', {**value, name: {'wrong': [True]}})}"
        for cls, value in _samples()
        for name, given in value.items()
        if isinstance(given, str | int | bool | list)
    ]
    (tmp_path / "samples.ts").write_text("\n".join(lines), encoding="utf-8")

    types = PACKAGE / "node_modules" / "@types"
    options = ("--strict", "--exactOptionalPropertyTypes", "--noEmit", "--module", "nodenext")
    run(tsc, *options, "--typeRoots", types, "--types", "node", "samples.ts", cwd=tmp_path)


def _samples() -> Any:
    """Types, each with values that it must take."""
    sent = [row.params for row in OPERATIONS] + [row.result for row in SERVER_MESSAGES if row.result]
    told = [row.result for row in OPERATIONS] + [row.params for row in SERVER_MESSAGES]
    for cls in dict.fromkeys([*sent, Settings]):
        yield cls, minimal(cls)
        yield cls, full(cls)
    for cls in dict.fromkeys(told):
        yield cls, full(cls)


_count = iter(range(10**6))


def _fits(name: str, value: Any) -> str:
    return f"export const v{next(_count)}: {name} = {json.dumps(value)};"


@pytest.fixture(scope="module")
def installed(built: Path, tsc: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty folder into which the package was installed, as ``npm pack`` makes it."""
    folder = tmp_path_factory.mktemp("consumer")
    (folder / "package.json").write_text('{"name": "consumer", "private": true, "type": "module"}')
    packed = json.loads(
        run("npm", "pack", "--json", "--ignore-scripts", "--pack-destination", folder, cwd=PACKAGE)
    )
    (each,) = packed if isinstance(packed, list) else packed.values()
    names = {file["path"] for file in each["files"]}
    assert {"package.json", "README.md", "dist/index.js", "dist/index.d.ts", "src/index.ts"} <= names
    assert not [name for name in names if name.startswith(("test", ".build", "node_modules"))]
    run("npm", "install", "--offline", "--no-audit", "--ignore-scripts", f"./{each['filename']}", cwd=folder)
    # As a consumer would install it; no download for what is here.
    shutil.copytree(PACKAGE / "node_modules" / "@types", folder / "node_modules" / "@types")
    shutil.copytree(PACKAGE / "node_modules" / "undici-types", folder / "node_modules" / "undici-types")
    return folder


def _shown(page: str) -> list[str]:
    return SHOWN.findall((ROOT / page).read_text(encoding="utf-8"))


@pytest.mark.parametrize("page", PAGES)
def test_the_programs_of_the_pages_compile_and_run(
    installed: Path, tsc: Path, tmp_path: Path, page: str
) -> None:
    """Each program of a page compiles strictly against the installed package, and does what it says."""
    keepgate = tmp_path / "bin" / "keepgate"
    keepgate.parent.mkdir()
    keepgate.write_text(f'#!/bin/sh\nexec {sys.executable} -P -m keepgate "$@"\n')
    keepgate.chmod(0o755)
    env = {
        "PATH": f"{keepgate.parent}{os.pathsep}{os.environ['PATH']}",
        "KEEPGATE_HOME": str(tmp_path / "home"),
    }
    for number, text in enumerate(_shown(page)):
        name = f"{Path(page).stem}{number}"
        (installed / f"{name}.ts").write_text(text, encoding="utf-8")
        options = ("--strict", "--noUncheckedIndexedAccess", "--exactOptionalPropertyTypes")
        modules = ("--module", "nodenext", "--target", "es2022", "--lib", "es2023,esnext.disposable")
        run(tsc, *options, *modules, f"{name}.ts", cwd=installed)
        assert "5433" in run("node", f"{name}.js", cwd=installed, env=env)
    assert _shown(page)


def test_the_types_need_no_others_than_those_of_node(installed: Path, tsc: Path) -> None:
    """The declarations are whole: the compiler looks into them as well."""
    (installed / "whole.ts").write_text(
        'import { Client, type Calls, type Entry } from "keepgate-client";\n'
        'import { makeProvider, type Provider } from "keepgate-client/provider";\n'
        'import { Calls as Alone } from "keepgate-client/calls";\n'
        "export const made: (dbPath: string) => Provider = (dbPath) => makeProvider({ dbPath });\n"
        "export const calls: Calls = new Alone({ request: async () => ({}) });\n"
        "export const one = async (c: Client): Promise<Entry | undefined> => (await c.query()).entries[0];\n"
    )

    run(
        tsc,
        "--strict",
        "--noEmit",
        "--skipLibCheck",
        "false",
        "--module",
        "nodenext",
        "whole.ts",
        cwd=installed,
    )
