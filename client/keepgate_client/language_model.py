"""Lets the sidecar use a language model of this client (docs/protocol.md, ``languageModel/complete``)."""

import inspect
from collections.abc import Awaitable, Callable
from typing import Any

from keepgate.protocol.language_model import Completion, LanguageModelRequest
from keepgate.protocol.wire import structure, unstructure

LanguageModel = Callable[[LanguageModelRequest], Completion | Awaitable[Completion]]
"""Completes one conversation. One that raises counts as a failure to compose: the caller hears of it."""


async def complete(language_model: LanguageModel, params: Any) -> Any:
    """Put the JSON params of ``languageModel/complete`` to a model; returns the JSON result."""
    completed = language_model(structure(params, LanguageModelRequest))
    if inspect.isawaitable(completed):
        completed = await completed
    return unstructure(completed)
