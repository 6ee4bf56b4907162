"""Values in cases: ``${name}`` stands for what a run made, saved or counts from the clock."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from attrs import define

_NAME: Final = re.compile(r"\$\{([^}]*)\}")
_NOW: Final = re.compile(r"now([+-]\d+(?:\.\d+)?)?(?::(date|short))?")
_REPEAT: Final = re.compile(r"repeat:(.+):(\w+)")
_FORMS: Final = {"date": "%Y-%m-%d", "short": "%Y-%m-%dT%H:%M:%SZ"}


class UnknownName(Exception):
    """A case uses a name that nothing has given a value."""


@define
class Names:
    """The names of one case: the run's marker, the case's own word, and what its steps saved."""

    values: dict[str, Any]

    def look_up(self, name: str) -> Any:
        """The value of a name. Raises :class:`UnknownName`."""
        if found := _NOW.fullmatch(name):
            return instant(float(found[1] or 0), found[2])
        if found := _REPEAT.fullmatch(name):
            times = found[2] if found[2].isdigit() else self.look_up(found[2])
            return found[1] * int(times)
        value: Any = self.values
        for part in name.split("."):
            if not isinstance(value, Mapping) or part not in value:
                raise UnknownName(f"the case names ${{{name}}}, which no step has saved")
            value = value[part]
        return value

    def fill(self, template: Any) -> Any:
        """A template with its names replaced; a text that is one name alone becomes that very value."""
        if isinstance(template, str):
            if whole := _NAME.fullmatch(template):
                return self.look_up(whole[1])
            return _NAME.sub(lambda found: _text(self.look_up(found[1])), template)
        if isinstance(template, Mapping):
            return {self.fill(key): self.fill(value) for key, value in template.items()}
        return [self.fill(item) for item in template] if isinstance(template, list) else template


def _text(value: Any) -> str:
    return value if isinstance(value, str) else str(value)


def instant(offset_s: float, form: str | None = None) -> str:
    """The moment ``offset_s`` seconds from now, in ISO 8601 with milliseconds unless ``form`` says else."""
    moment = datetime.now(UTC) + timedelta(seconds=offset_s)
    if form is not None:
        return moment.strftime(_FORMS[form])
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def parse_instant(text: Any) -> datetime | None:
    """An ISO 8601 instant with an offset; ``None`` for anything else."""
    if not isinstance(text, str):
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo is not None else None


def tokens(text: str) -> int:
    """The contract's estimate: a quarter of the UTF-16 units, rounded up."""
    units = len(text.encode("utf-16-le", "surrogatepass")) // 2
    return -(-units // 4)
