"""The rows of ``verbs/*``: MEMORY_VERBS v1, in the order of the contract."""

from typing import Final

from keepgate.protocol import verbs as v
from keepgate.protocol.operation import Access, Latency, Operation, Surface
from keepgate.protocol.verb_errors import VerbCode

_READING: Final = (VerbCode.INVALID_PARAMS, VerbCode.INTERNAL)
_WRITING: Final = (
    VerbCode.INVALID_PARAMS,
    VerbCode.NOT_FOUND,
    VerbCode.SCOPE_DENIED,
    VerbCode.UNAVAILABLE,
    VerbCode.INTERNAL,
)

VERB_OPERATIONS: Final = (
    Operation(
        name="verbs/recall",
        params=v.RecallParams,
        result=v.RecallResult,
        access=Access.READ,
        latency=Latency.SCAN,
        summary="Retrieve saved facts and, with a query, budget-packed snippets of pages.",
        verb_errors=_READING,
        clauses=("VERBS-recall",),
        surface=Surface.VERBS,
        tool="recall",
    ),
    Operation(
        name="verbs/remember",
        params=v.RememberParams,
        result=v.RememberResult,
        other_results=(v.DryRun,),
        access=Access.WRITE,
        latency=Latency.PERSON,
        summary="Save one fact with mandatory attribution.",
        verb_errors=(VerbCode.PROVENANCE_REQUIRED, *_WRITING),
        clauses=("VERBS-remember",),
        surface=Surface.VERBS,
        tool="remember",
    ),
    Operation(
        name="verbs/entity",
        params=v.EntityParams,
        result=v.EntityResult,
        access=Access.READ,
        latency=Latency.INSTANT,
        summary="The card of one known person, company or project; a miss is no error.",
        verb_errors=_READING,
        clauses=("VERBS-entity",),
        surface=Surface.VERBS,
        tool="entity",
    ),
    Operation(
        name="verbs/synthesize",
        params=v.SynthesizeParams,
        result=v.SynthesizeResult,
        access=Access.READ,
        latency=Latency.LONG,
        summary="[EXPENSIVE / SLOW] Answer a question from several pages with a language model's help.",
        verb_errors=(VerbCode.INVALID_PARAMS, VerbCode.UNAVAILABLE, VerbCode.INTERNAL),
        clauses=("VERBS-synthesize",),
        surface=Surface.VERBS,
        tool="synthesize",
    ),
    Operation(
        name="verbs/forget",
        params=v.ForgetParams,
        result=v.ForgetResult,
        other_results=(v.DryRun,),
        access=Access.WRITE,
        latency=Latency.PERSON,
        summary="Expire a fact by its id; what is expired already is no error.",
        verb_errors=_WRITING,
        clauses=("VERBS-forget",),
        surface=Surface.VERBS,
        tool="forget",
    ),
    Operation(
        name="verbs/context_pack",
        params=v.ContextPackParams,
        result=v.ContextPackResult,
        access=Access.READ,
        latency=Latency.SCAN,
        summary="One budget-packed block for standing entities: cards, open threads, facts.",
        verb_errors=_READING,
        clauses=("VERBS-context_pack",),
        surface=Surface.VERBS,
        tool="context_pack",
    ),
    Operation(
        name="verbs/delta",
        params=v.DeltaParams,
        result=v.DeltaResult,
        access=Access.READ,
        latency=Latency.SCAN,
        summary="What changed since an instant, or since this session asked last.",
        verb_errors=_READING,
        clauses=("VERBS-delta",),
        surface=Surface.VERBS,
        tool="delta",
    ),
)
