"""Values of every published type, made from the types themselves."""

import functools
import types
from collections.abc import Callable
from enum import Enum
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

import attrs
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from keepgate.protocol.ops import OPERATIONS, SERVER_MESSAGES
from keepgate.protocol.settings import Settings

# A machine that is busy with other things must not fail a test.
settings.register_profile("steady", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("steady")

EXACT = 2**53 - 1
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
SCALARS: dict[Any, st.SearchStrategy] = {
    str: TEXT,
    int: st.integers(-EXACT, EXACT),
    bool: st.booleans(),
    float: st.floats(-EXACT, EXACT, allow_nan=False),
    type(None): st.none(),
}
JSON = st.recursive(
    st.one_of(*SCALARS.values()),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXT, inner, max_size=2),
    max_leaves=3,
)


def fields_of(cls: type) -> dict[str, Any]:
    """The types of an attrs class's fields, without their notes."""
    return {name: hint for name, hint in get_type_hints(cls).items() if name in attrs.fields_dict(cls)}


def of_type(hint: Any) -> st.SearchStrategy:
    """Any value that a field of this type may hold."""
    if get_origin(hint) is not None:
        arguments = (item for item in get_args(hint) if item is not ... and not isinstance(item, str))
        return _of_parts(get_origin(hint), [of_type(item) for item in arguments])
    if hint is Any:
        return JSON
    if hint in SCALARS:
        return SCALARS[hint]
    return st.sampled_from(list(hint)) if issubclass(hint, Enum) else values_of(hint)


def _of_parts(origin: Any, parts: list[st.SearchStrategy]) -> st.SearchStrategy:
    if origin is Annotated:
        return parts[0]
    if origin in (Union, types.UnionType):
        return st.one_of(parts)
    if origin is dict:
        return st.dictionaries(TEXT, parts[1], max_size=2)
    items = st.lists(parts[0], max_size=2)
    return items.map(tuple) if origin is tuple else items


@functools.cache
def values_of(cls: type) -> st.SearchStrategy:
    """Any value of an attrs class."""
    return st.builds(cls, **{name: of_type(hint) for name, hint in fields_of(cls).items()})


def published() -> list[type]:
    """Every type that crosses the wire on its own: params, results, and the settings."""
    found = [side for row in (*OPERATIONS, *SERVER_MESSAGES) for side in (row.params, row.result)]
    return list(dict.fromkeys([item for item in found if item is not None] + [Settings]))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test that asks for ``published_type`` with each of them, one for ``params_type`` with params."""
    if "published_type" in metafunc.fixturenames:
        metafunc.parametrize("published_type", published(), ids=lambda cls: cls.__name__)
    if "params_type" in metafunc.fixturenames:
        params = [row.params for row in OPERATIONS]
        metafunc.parametrize("params_type", params, ids=lambda cls: cls.__name__)


@pytest.fixture(scope="session")
def any_of() -> Callable[[type], st.SearchStrategy]:
    """Makes a strategy for the values of a type."""
    return values_of


@pytest.fixture(scope="session")
def hints() -> Callable[[type], dict[str, Any]]:
    """Tells the types of a class's fields."""
    return fields_of
