"""Completion in four shells."""

import shutil
import subprocess

import pytest


@pytest.mark.parametrize(
    ("shell", "word"),
    [
        ("bash", "complete -o nosort"),
        ("zsh", "#compdef keepgate"),
        ("fish", "complete --no-files --command keepgate"),
        ("powershell", "Register-ArgumentCompleter -Native -CommandName keepgate"),
    ],
)
def test_each_shell_gets_its_script(keepgate, shell, word):
    """The script names the program, and nothing else is printed."""
    done = keepgate.here("completion", shell)

    assert (0, "") == (done.code, done.err)
    assert word in done.out


@pytest.mark.parametrize(
    ("words", "shell", "expected"),
    [
        ("keepgate prop", "bash", ["plain,proposals"]),
        ("keepgate proposals app", "bash", ["plain,approve"]),
        ("keepgate add --track ", "bash", ["plain,user", "plain,agent"]),
        ("keepgate add --sco", "bash", ["plain,--scope"]),
        ("keepgate prop", "powershell", ["proposals\tSee and decide the wishes that wait."]),
        ("keepgate add --track ", "powershell", ["user\tuser", "agent\tagent"]),
    ],
)
def test_words_are_completed(keepgate, words, shell, expected):
    """Commands, subcommands, options and their values, as the shell's script asks for them."""
    last = words.split(" ")[-1]
    cword = last if shell == "powershell" else str(words.count(" "))

    done = keepgate.run(
        env={"_KEEPGATE_COMPLETE": f"{shell}_complete", "COMP_WORDS": words, "COMP_CWORD": cword}
    )

    assert (0, expected) == (done.code, done.out.splitlines())


def test_bash_takes_the_script(keepgate, tmp_path):
    """Bash reads it without complaint and knows the completion afterwards."""
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("there is no bash on this machine to read the script")
    script = tmp_path / "completion.bash"
    script.write_text(keepgate.here("completion", "bash").out, encoding="utf-8")

    shown = subprocess.run(
        [bash, "-c", f"source '{script}' && complete -p keepgate"], capture_output=True, text=True, check=True
    )

    assert ("", True) == (shown.stderr, "keepgate" in shown.stdout)
