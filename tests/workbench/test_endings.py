"""However a window ends, no process stays behind and no wish is lost."""

from pathlib import Path
from typing import Any

import packages
import pytest
from agents import pending
from codeserver import until
from question import ALLOW, choose, seen, text

pytestmark = pytest.mark.workbench

FACT = "The staging server is called heron."


async def wish(house: Any) -> Any:
    """An agent and its call."""
    agent = await house.agent()
    return agent, agent.remember(FACT)


async def allow(window: Any) -> None:
    """See the question with the whole fact, and say yes."""
    await seen(window, "Remember a fact")
    await text(window, FACT)
    await choose(window, ALLOW)


async def test_a_wish_made_before_the_workbench_opened(workbench: Any, house: Any) -> None:
    """What an agent wished while no window was open waits there, and is seen on opening."""
    agent, call = await wish(house)
    told = await agent.answer(call)

    window = await workbench.open()
    await window.click("status", "keepgate: 1 waiting")
    await allow(window)
    await window.gone("status", "1 waiting")
    again = await agent.answer(agent.remember(FACT))

    assert "unavailable" == told["error"]
    assert "duplicate" == again["status"]


async def test_a_window_is_reloaded(workbench: Any, house: Any) -> None:
    """The question comes again after the reload, the agent still waits, and one sidecar is left."""
    window = await workbench.open()
    agent, call = await wish(house)
    await seen(window, "Remember a fact")
    (before,) = workbench.sidecars()

    await window.reload()
    await allow(window)
    answer = await agent.answer(call)
    (after,) = await until(lambda: one(workbench))

    assert "inserted" == answer["status"]
    assert before != after


async def test_the_window_is_closed(workbench: Any, house: Any) -> None:
    """Its sidecar goes with it, the wish waits, and the next window shows it."""
    window = await workbench.open()
    await wish(house)
    await seen(window, "Remember a fact")

    await window.close()
    await until(lambda: not workbench.sidecars())
    waiting = await pending(house)
    other = await workbench.open()
    await other.see("status", "keepgate: 1 waiting")

    assert [FACT] == waiting


async def test_the_editor_is_killed(workbench: Any, house: Any) -> None:
    """When the server of the editor dies without a word, its sidecars end, and the wish waits."""
    window = await workbench.open()
    await wish(house)
    await seen(window, "Remember a fact")

    workbench.server.kill()
    await until(lambda: not workbench.sidecars())

    assert [FACT] == await pending(house)


async def test_the_editor_is_stopped(workbench: Any, house: Any) -> None:
    """When the server of the editor is asked to end, its sidecars end, and the wish waits."""
    window = await workbench.open()
    await wish(house)
    await seen(window, "Remember a fact")

    workbench.server.terminate()
    await until(lambda: not workbench.sidecars())

    assert [FACT] == await pending(house)


async def test_the_sidecar_dies(workbench: Any, house: Any) -> None:
    """It is started again, and the question it had put comes back."""
    window = await workbench.open()
    agent, call = await wish(house)
    await seen(window, "Remember a fact")
    (before,) = workbench.sidecars()

    workbench.server.end(before)
    await until(lambda: [pid for pid in workbench.sidecars() if pid != before])
    await allow(window)
    answer = await agent.answer(call)

    assert "inserted" == answer["status"]


async def test_the_extension_is_upgraded(workbench: Any, house: Any, packed: Path, tmp_path: Path) -> None:
    """A newer version is installed while a wish waits; after the reload it asks, and one sidecar is left."""
    window = await workbench.open()
    agent, call = await wish(house)
    await seen(window, "Remember a fact")

    version = packages.newer(packed, tmp_path / "newer.vsix")
    await workbench.server.install(tmp_path / "newer.vsix")
    await window.reload()
    await allow(window)
    answer = await agent.answer(call)
    (sidecar,) = await until(lambda: one(workbench))

    assert "inserted" == answer["status"]
    assert sidecar
    assert [f"keepgate.keepgate-{version}"] == workbench.server.installed()


def one(workbench: Any) -> list[int]:
    """The sidecars, once there is no more than one."""
    found: list[int] = workbench.sidecars()
    return found if len(found) == 1 else []
