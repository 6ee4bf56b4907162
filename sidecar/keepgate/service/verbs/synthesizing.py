"""synthesize: retrieve, have a language model compose, fall back to quoting (VERBS-synthesize)."""

from collections.abc import Sequence
from typing import Final

from keepgate.core.model.times import BadMoment, Window, parse_window
from keepgate.core.reading import synthesis
from keepgate.core.reading.synthesis import SYSTEM, Composed, Failed, GatheredPage
from keepgate.protocol import verbs as v
from keepgate.protocol.language_model import Completion, LanguageModelMessage, LanguageModelRequest
from keepgate.protocol.verb_errors import VerbCode, VerbFault, invalid_params
from keepgate.service.composing import ComposeError, Composer, PeerComposer
from keepgate.service.context import ReadCtx
from keepgate.service.verbs.gathering import gather
from keepgate.service.verbs.sight import reading_sight

ANSWER_TOKENS_MAX: Final = 2000
_CONFIGURE: Final = (
    "Use `recall` or `entity`, which need no model, or call through a client that announces `languageModel`, "
    "over MCP `sampling`."
)
_RETRY: Final = "Ask about something that pages say, or look with `recall` whether there is anything."


async def synthesize(ctx: ReadCtx, params: v.SynthesizeParams) -> v.SynthesizeResult:
    """Answer a question from what is stored; saves nothing.

    Raises ``invalid_params`` for a blank question and a bad window, ``unavailable`` where no language model
    is at hand, and where it failed and nothing was retrieved either.
    """
    question = params.question.strip()
    if not question:
        raise invalid_params("question is blank", "Ask a question in a sentence.")
    window = _window(ctx, params)
    composer = _composer(ctx)
    sight = reading_sight(ctx, params.session)
    pages, takes = await gather(ctx, question, sight, window)
    completion, composed = await _compose(composer, question, pages, takes)
    if isinstance(composed, Composed) and (pages or takes):
        return _result(composed, v.SynthesisStatus.OK, completion, pages, takes, ())
    warning = composed.warning if isinstance(composed, Failed) else synthesis.EMPTY_ANSWER
    if not pages:
        message = f"retrieved 0 pages; compose failed: {warning}"
        raise VerbFault(VerbCode.UNAVAILABLE, message, _RETRY, warning)
    fallback = synthesis.digest(question, pages)
    return _result(fallback, v.SynthesisStatus.EXTRACTIVE_FALLBACK, completion, pages, takes, (warning,))


def _window(ctx: ReadCtx, params: v.SynthesizeParams) -> Window:
    try:
        return parse_window(params.since, params.until, ctx.stamp().now_ms)
    except BadMoment as bad:
        raise invalid_params(str(bad), bad.suggestion) from None


def _composer(ctx: ReadCtx) -> Composer:
    if not ctx.connection.language_model:
        raise VerbFault(VerbCode.UNAVAILABLE, "no language model is configured", _CONFIGURE, "NO_PROVIDER")
    return PeerComposer(ctx.connection.peer)


async def _compose(
    composer: Composer, question: str, pages: Sequence[GatheredPage], takes: Sequence[str]
) -> tuple[Completion | None, Composed | Failed]:
    # Asked also when nothing was retrieved: the contract's error names what became of the compose step.
    message = LanguageModelMessage(role="user", content=synthesis.request_text(question, pages, takes))
    request = LanguageModelRequest(
        purpose="synthesize",
        system=SYSTEM,
        messages=[message],
        max_tokens=ANSWER_TOKENS_MAX,
        response_format="json",
    )
    try:
        completion = await composer.complete(request)
    except ComposeError as error:
        return None, synthesis.call_failed(str(error))
    return completion, synthesis.judge(completion.text, pages)


def _result(
    composed: Composed,
    status: v.SynthesisStatus,
    completion: Completion | None,
    pages: Sequence[GatheredPage],
    takes: Sequence[str],
    warnings: Sequence[str],
) -> v.SynthesizeResult:
    return v.SynthesizeResult(
        answer=composed.answer,
        sources=list(composed.sources),
        gaps=list(composed.gaps),
        cost=v.Cost(
            model=completion.model if completion else "",
            input_tokens=completion.input_tokens if completion else None,
            output_tokens=completion.output_tokens if completion else None,
            usd_estimate=None,
        ),
        synthesis_status=status,
        pages_gathered=len(pages),
        takes_gathered=len(takes),
        warnings=list(warnings),
    )
