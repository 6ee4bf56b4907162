"""Shell completion: click's own shells, and PowerShell."""

import os
from typing import Any, Final

from click.shell_completion import (
    CompletionItem,
    ShellComplete,
    add_completion_class,
    get_completion_class,
    split_arg_string,
)

from keepgate.cli.root import COMPLETE_VARIABLE, PROGRAM, keepgate

SHELLS: Final = ("bash", "zsh", "fish", "powershell")

_POWERSHELL: Final = """\
Register-ArgumentCompleter -Native -CommandName %(prog_name)s -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $env:%(complete_var)s = "powershell_complete"
    $env:COMP_WORDS = $commandAst.ToString()
    $env:COMP_CWORD = $wordToComplete
    try {
        %(prog_name)s | ForEach-Object {
            $value, $help = $_ -split "`t", 2
            [System.Management.Automation.CompletionResult]::new($value, $value, "ParameterValue", $help)
        }
    } finally {
        Remove-Item Env:%(complete_var)s, Env:COMP_WORDS, Env:COMP_CWORD
    }
}
"""


@add_completion_class
class PowerShell(ShellComplete):
    """Completion in PowerShell: the script hands over the whole line and the word to complete."""

    name = "powershell"
    source_template = _POWERSHELL

    def get_completion_args(self) -> tuple[list[str], str]:
        """The words before the one to complete, and that one."""
        words = split_arg_string(os.environ["COMP_WORDS"])[1:]
        incomplete = os.environ.get("COMP_CWORD", "")
        return (words[:-1] if incomplete and words else words), incomplete

    def format_completion(self, item: CompletionItem) -> str:
        """A value and its explanation, which PowerShell must have."""
        value: Any = item.value
        return f"{value}\t{item.help or value}"


def script_for(shell: str) -> str:
    """The script that a shell must run once."""
    cls = get_completion_class(shell)
    assert cls is not None, "one of SHELLS"
    return cls(keepgate, {}, PROGRAM, COMPLETE_VARIABLE).source()
