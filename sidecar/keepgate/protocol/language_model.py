"""What the sidecar asks a language model of the client's (docs/protocol.md, `languageModel/complete`)."""

from typing import Annotated

from attrs import frozen


@frozen(kw_only=True)
class LanguageModelMessage:
    """One message of the conversation."""

    role: Annotated[str, "`user` or `assistant`."]
    content: str


@frozen(kw_only=True)
class LanguageModelRequest:
    """Params of ``languageModel/complete``."""

    purpose: Annotated[str, "What it is for: `synthesize`."]
    system: Annotated[str, "The instructions."]
    messages: list[LanguageModelMessage]
    max_tokens: Annotated[int, "The answer's length at most."]
    response_format: Annotated[str, "`json` or `text`."]


@frozen(kw_only=True)
class Completion:
    """Result of ``languageModel/complete``."""

    text: Annotated[str, "What the model said."]
    model: Annotated[str, "Which model it was."]
    input_tokens: Annotated[int | None, "As the provider counts them."] = None
    output_tokens: Annotated[int | None, "As the provider counts them."] = None
