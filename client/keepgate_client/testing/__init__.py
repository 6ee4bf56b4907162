"""Helpers for tests of programs that use keepgate, and for keepgate's own.

:class:`ScriptedApprover` stands in for the person behind :class:`keepgate_client.Client`;
:class:`FakeEditor` is an editor that speaks the editor protocol to a real sidecar over real pipes.
"""

from keepgate_client.testing.approver import ScriptedApprover
from keepgate_client.testing.editor import PLAIN_EDITOR, FakeEditor
from keepgate_client.testing.script import Script
from keepgate_client.testing.transcript import ServerRequest, Transcript

__all__ = ["PLAIN_EDITOR", "FakeEditor", "Script", "ScriptedApprover", "ServerRequest", "Transcript"]
