"""Values of facts as callers give them: trimmed, checked, and refused with a suggestion."""

from typing import Final

from keepgate.core.model.entry import text_problems
from keepgate.core.model.fact import FACT_ID
from keepgate.core.model.text import units
from keepgate.protocol.errors import fact_not_found
from keepgate.protocol.verb_errors import VerbCode, VerbFault, invalid_params
from keepgate.protocol.verbs import PROVENANCE_UNITS_MAX

ENTITY_UNITS_MAX: Final = 256

_SAY_IT: Final = "Give one sentence that stands alone."
_SHORTER: Final = "Say it in fewer words, or keep the long text in a page and remember a pointer to it."
_ATTRIBUTE: Final = "Say where it comes from, such as `user said in chat` or `import: notes.md`."


def cleaned_fact(fact: str, max_units: int) -> str:
    """The fact, trimmed. Raises ``invalid_params`` for a blank, over-long or malformed one."""
    text = fact.strip()
    if not text:
        raise invalid_params("fact is blank", _SAY_IT)
    _require_sound(text, "fact")
    if units(text) > max_units:
        raise invalid_params(f"fact has {units(text)} UTF-16 units; {max_units} are allowed", _SHORTER)
    return text


def cleaned_provenance(provenance: str) -> str:
    """The attribution, trimmed. Raises ``provenance_required`` for a blank one."""
    text = provenance.strip()
    if not text:
        raise VerbFault(VerbCode.PROVENANCE_REQUIRED, "provenance is blank", _ATTRIBUTE)
    if units(text) > PROVENANCE_UNITS_MAX:
        message = f"provenance has {units(text)} UTF-16 units; {PROVENANCE_UNITS_MAX} are allowed"
        raise invalid_params(message, "Name the source in a few words; the fact itself goes into `fact`.")
    _require_sound(text, "provenance")
    return text


def cleaned_entity(name: str) -> str | None:
    """A name, trimmed; ``None`` for a blank one."""
    text = name.strip()
    if not text:
        return None
    _require_sound(text, "entity")
    if units(text) > ENTITY_UNITS_MAX:
        message = f"entity has {units(text)} UTF-16 units; {ENTITY_UNITS_MAX} are allowed"
        raise invalid_params(message, "Give a name or a slug; what is said of it goes into `fact`.")
    return text


def cleaned_reason(reason: str | None) -> str | None:
    """Why a fact is forgotten, trimmed; ``None`` for a blank one."""
    text = (reason or "").strip()
    if not text:
        return None
    _require_sound(text, "reason")
    if units(text) > PROVENANCE_UNITS_MAX:
        message = f"reason has {units(text)} UTF-16 units; {PROVENANCE_UNITS_MAX} are allowed"
        raise invalid_params(message, "Say in a few words why it no longer holds.")
    return text


def fact_number(fact_id: str) -> int:
    """The number behind a fact's id. Raises ``ENTRY_NOT_FOUND`` for whatever was never given out as one."""
    text = fact_id.strip()
    if not FACT_ID.fullmatch(text):
        raise fact_not_found(text)
    return int(text)


def _require_sound(text: str, name: str) -> None:
    for problem in text_problems(text):
        raise invalid_params(f"{name} {problem.problem}", "Send Unicode text without U+0000.")
