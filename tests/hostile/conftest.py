"""Makes the modules beside the tests importable, and the place that is attacked."""

import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from hostile_place import Place, fill


@pytest.fixture
async def place(tmp_path: Path, request: pytest.FixtureRequest) -> Place:
    """Two workspaces of one store; a parameter is the text of the user's settings."""
    settings: Any = getattr(request, "param", "")
    return await fill(tmp_path, settings)
