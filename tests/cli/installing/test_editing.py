"""Settings with keepgate in them: every other key, comment and byte stays, or the file is left alone."""

import json
import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keepgate.cli.installing import jsonc
from keepgate.cli.installing.clients import Launch, entry_for
from keepgate.cli.installing.editing import CannotEdit, edited

LAUNCH = Launch(command=["/bin/keepgate", "mcp", "--surface", "verbs"], environ={"KEEPGATE_HOME": "/d"})
OTHER = Launch(command=["/bin/keepgate", "mcp", "--surface", "full"], environ={})
ZED = entry_for("zed", LAUNCH)
CODEX = entry_for("codex", LAUNCH)

COMMENTED = """// Zed settings
{
  /* how it looks */
  "theme": "One // Dark",
  "context_servers": {
    // another one
    "other": { "command": "x", "args": ["}"] }, // behind it
  },
  "vim_mode": true, // the end
}
"""


def test_a_json_file_with_comments_keeps_them() -> None:
    """All lines are there, in their order, and the entry is new."""
    after = edited("zed", COMMENTED, ZED)
    lines = iter(after.splitlines())

    assert all(any(line.strip() == each.strip() for each in lines) for line in COMMENTED.splitlines())
    assert ZED == jsonc.parsed(after)["context_servers"]["keepgate"]
    assert "One // Dark" == jsonc.parsed(after)["theme"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        "{ }\n",
        "// only a comment\n{}",
        '{"a": 1}',
        '{"a": 1,}',
        '{"context_servers": {}}',
        '{"context_servers": {"keepgate": {"command": "old"}}, "z": [1, {"b": 2}]}',
        '{\r\n  "a": {\r\n    "b": null\r\n  }\r\n}\r\n',
        '{"a": "quote \\" and , }", "b": [1, 2,], /* c */ "context_servers": {"x": {} /* y */ }}',
        '\ufeff{"a": 1}',
    ],
)
def test_json_of_every_shape(text: str) -> None:
    """Only the entry changes; a second time nothing does."""
    after = edited("zed", text, ZED)
    before = jsonc.parsed(text)

    wanted = {**before, "context_servers": {**before.get("context_servers", {}), "keepgate": ZED}}
    assert wanted == jsonc.parsed(after)
    assert after == edited("zed", after, ZED)


@pytest.mark.parametrize(
    "text",
    [
        "[]",
        "null",
        '"x"',
        "{",
        '{"a" 1}',
        '{"a": }',
        '{"context_servers": []}',
        '{"a": 1 "b": 2}',
        "{'a': 1}",
    ],
)
def test_json_that_cannot_be_followed_is_left_alone(text: str) -> None:
    """With a reason."""
    with pytest.raises(CannotEdit, match=r"\w"):
        edited("zed", text, ZED)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(
    document=st.dictionaries(st.text(max_size=5), JSON, max_size=4), indent=st.sampled_from([None, 2, "\t"])
)
def test_any_json_keeps_its_other_keys(document: dict[str, Any], indent: Any) -> None:
    """Whatever stands in the file, and however it is laid out."""
    text = json.dumps(document, indent=indent, ensure_ascii=False)

    after = json.loads(edited("zed", text, ZED))

    assert {**document, "context_servers": {"keepgate": ZED}} == after


TOML = """# my settings
model = "x"

[mcp_servers.other] # not ours
command = "y"

# about the profile
[profiles.fast]
model = "z"
"""


def test_a_toml_file_gets_one_table_more() -> None:
    """At its end; everything before is as it was."""
    after = edited("codex", TOML, CODEX)

    assert after.startswith(TOML)
    assert CODEX == tomllib.loads(after)["mcp_servers"]["keepgate"]
    assert after == edited("codex", after, CODEX)


def test_a_toml_table_is_replaced_in_its_place() -> None:
    """With the comments around it left alone."""
    ours = "[mcp_servers.keepgate]\ncommand = 'old'\n\n"
    text = TOML.replace("# about", f"{ours}# about")

    after = edited("codex", text, entry_for("codex", OTHER))

    before, read = tomllib.loads(TOML), tomllib.loads(after)
    assert "[mcp_servers.keepgate]" in after.partition("\n# about the profile\n[profiles.fast]\n")[0]
    assert {**before["mcp_servers"], "keepgate": entry_for("codex", OTHER)} == read["mcp_servers"]
    assert (before["profiles"], before["model"]) == (read["profiles"], read["model"])


@pytest.mark.parametrize(
    "text",
    [
        'mcp_servers = { other = { command = "x" } }\n',
        'mcp_servers.keepgate.command = "x"\n',
        '[mcp_servers.keepgate]\ncommand = "x"\n[mcp_servers.keepgate.env]\nA = "b"\n',
        "[mcp_servers\n",
        'mcp_servers = "none"\n',
    ],
)
def test_toml_that_cannot_be_followed_is_left_alone(text: str) -> None:
    """Inline tables, dotted keys, tables below ours, and what is no TOML."""
    with pytest.raises(CannotEdit, match=r"\w"):
        edited("codex", text, CODEX)


@pytest.mark.parametrize("text", ["", "a = 1", "a = 1\r\nb = 2\r\n", "\n\n"])
def test_toml_of_every_shape(text: str) -> None:
    """A file without an end of line, with Windows ones, or with nothing in it."""
    after = edited("codex", text, CODEX)

    assert {**tomllib.loads(text), "mcp_servers": {"keepgate": CODEX}} == tomllib.loads(after)
    assert "\r" not in text or after.count("\n") == after.count("\r\n")


@pytest.mark.parametrize("word", ['a"b', "back\\slash", "tab\t", "üñí", "\x7f", "line\nfeed"])
def test_strings_survive_toml(word: str) -> None:
    """A path may hold anything."""
    entry = {"command": word, "args": [word], "env": {"KEEPGATE_HOME": word}}

    assert entry == tomllib.loads(edited("codex", "", entry))["mcp_servers"]["keepgate"]
