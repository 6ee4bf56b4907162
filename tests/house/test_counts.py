"""docs/TESTING.md claims no more tests than there are."""

import re
import subprocess
from collections import Counter
from collections.abc import Callable, Mapping

Run = Callable[..., subprocess.CompletedProcess[str]]


def test_no_folder_has_fewer_tests_than_claimed(run: Run, documents: Mapping[str, str]) -> None:
    """Each folder is in the table, with a number that is not above what pytest finds."""
    told = run("-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", "tests").stdout
    found = Counter(re.findall(r"^(tests/\w+)/\S+::", told, re.MULTILINE))
    rows = re.findall(r"^\| `(tests/\w+)` \| (\d+) \|", documents["docs/TESTING.md"], re.MULTILINE)
    claimed = {folder: int(number) for folder, number in rows}

    assert found.keys() == claimed.keys()
    assert {} == {folder: found[folder] for folder in claimed if found[folder] < claimed[folder]}
