"""The secrets that the library detect-secrets knows, as a finder of the screen (docs/adr/0031-secrets.md)."""

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any, Final

from keepgate.core.writing.screen import Secret

PLUGINS: Final = (
    ("aws", "AWSKeyDetector", "aws-key"),
    ("azure_storage_key", "AzureStorageKeyDetector", "azure-storage-key"),
    ("discord", "DiscordBotTokenDetector", "discord-bot-token"),
    ("github_token", "GitHubTokenDetector", "github-token"),
    ("gitlab_token", "GitLabTokenDetector", "gitlab-token"),
    ("mailchimp", "MailchimpDetector", "mailchimp-key"),
    ("pypi_token", "PypiTokenDetector", "pypi-token"),
    ("sendgrid", "SendGridDetector", "sendgrid-key"),
    ("slack", "SlackDetector", "slack-token"),
    ("square_oauth", "SquareOAuthDetector", "square-oauth-secret"),
    ("stripe", "StripeDetector", "stripe-key"),
    ("twilio", "TwilioKeyDetector", "twilio-key"),
)
"""Module, class and our word for its kind: the plugins whose patterns are a provider's own form of a token.

Left out are those that guess by entropy or by a word beside the value, and those whose work the core's own
patterns do: bounded, with places in the text, and without taking prose or placeholders for secrets.
"""


def known_secrets(text: str) -> Iterator[Secret]:
    """What the chosen plugins find. The library is imported at the first call: by a wish, or before it."""
    for kind, pattern in _patterns():
        for match in pattern.finditer(text):
            yield Secret(kind, match.start())


@cache
def _patterns() -> tuple[tuple[str, "re.Pattern[str]"], ...]:
    found: list[tuple[str, re.Pattern[str]]] = []
    with _offline():
        for module, name, kind in PLUGINS:
            detector = getattr(import_module(f"detect_secrets.plugins.{module}"), name)
            found += [(kind, pattern) for pattern in detector.denylist]
    return tuple(found)


@contextmanager
def _offline() -> Iterator[None]:
    """Load the plugins without the HTTP client by which they could ask a provider whether a token is real.

    Nothing here asks, and nothing can: its name stands for nothing. It is most of the library's loading time.
    """
    if "requests" in sys.modules:
        yield
        return
    sys.modules["requests"] = _Nothing("requests")
    try:
        yield
    finally:
        del sys.modules["requests"]


class _Nothing(ModuleType):
    """A module in which every name is ``object``."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return object
