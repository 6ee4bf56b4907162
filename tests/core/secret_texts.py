"""Texts with a made-up secret each, and texts without one, for the tests of the screen."""

import base64
import hashlib
import json
import random
import string
import uuid
from typing import Final

_CHANCE: Final = random.Random(20261130)
_LETTERS: Final = string.ascii_letters + string.digits


def made(count: int, letters: str = _LETTERS) -> str:
    """So many characters by chance, the same in every run, that no scanner of sources finds."""
    return "".join(_CHANCE.choice(letters) for _ in range(count))


def _b64(value: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


_UPPER: Final = string.ascii_uppercase + string.digits
_LOWER: Final = string.ascii_lowercase + string.digits
_HEX: Final = "0123456789abcdef"
_BODY: Final = "\n".join("MII" + made(61) for _ in range(6))
JWT: Final = f"{_b64({'alg': 'HS256', 'typ': 'JWT'})}.{_b64({'sub': '1', 'name': 'x'})}.{made(43)}"


def _key(kind: str) -> str:
    return f"-----BEGIN {kind}-----\n{_BODY}\n-----END {kind}-----"


SECRETS: Final = {
    "pem": ("private-key", _key("PRIVATE KEY")),
    "rsa": ("private-key", _key("RSA PRIVATE KEY")),
    "encrypted": ("private-key", _key("ENCRYPTED PRIVATE KEY")),
    "ec": ("private-key", _key("EC PRIVATE KEY")),
    "openssh": ("private-key", _key("OPENSSH PRIVATE KEY")),
    "openssh body": ("private-key", "b3BlbnNzaC1rZXktdjE" + made(40)),
    "pgp": ("private-key", _key("PGP PRIVATE KEY BLOCK").replace("\n", "\nVersion: 1\n\n", 1)),
    "pem in one line": ("private-key", _key("PRIVATE KEY").replace("\n", "\\n")),
    "age": ("private-key", "AGE-SECRET-KEY-1" + made(58, _UPPER)),
    "password in url": ("url-password", f"postgres://app:{made(14)}@db.internal:5432/app"),
    "short password in url": ("url-password", "redis://:pw9x@cache/0"),
    "user in url": ("url-token", f"https://{made(38)}9z8@git.internal/x.git"),
    "query token": ("url-token", f"https://api.internal/v1?page=2&access_token={made(30)}7a8b"),
    "query key": ("url-token", f"https://maps.internal/js?key={made(34)}12ab"),
    "signed url": ("url-token", f"https://s3.internal/f?X-Amz-Signature={made(60, _HEX)}1a2b"),
    "jwt": ("jwt", JWT),
    "github": ("github-token", "ghp_" + made(36)),
    "github app": ("github-token", "ghs_" + made(36)),
    "github fine": ("token", "github_pat_" + made(59)),
    "gitlab": ("gitlab-token", "glpat-" + made(20)),
    "aws id": ("aws-key", "AKIA" + made(16, _UPPER)),
    "aws secret": ("aws-key", f"aws_secret_key = '{made(40)}'"),
    "azure": ("azure-storage-key", "AccountKey=" + made(86) + "=="),
    "slack": ("slack-token", "xoxb-123456789012-123456789012-" + made(24)),
    "slack hook": (
        "slack-token",
        f"https://hooks.slack.com/services/T{made(8, _UPPER)}/B{made(8, _UPPER)}/{made(24)}",
    ),
    "stripe": ("stripe-key", "sk_live_" + made(24)),
    "twilio": ("twilio-key", "SK" + made(32, _LOWER)),
    "sendgrid": ("sendgrid-key", f"SG.{made(22)}.{made(43)}"),
    "mailchimp": ("mailchimp-key", made(32, _LOWER) + "-us12"),
    "square": ("square-oauth-secret", "sq0csp-" + made(43)),
    "discord": ("discord-bot-token", f"M{made(23)}.{made(6)}.{made(27)}"),
    "pypi": ("pypi-token", "pypi-AgEIcHlwaS5vcmc" + made(80)),
    "npm": ("token", "npm_" + made(36)),
    "npmrc": ("npm-token", f"//registry.internal/:_authToken={made(36)}"),
    "openai": ("token", f"sk-{made(20)}T3BlbkFJ{made(20)}"),
    "project key": ("token", "sk-proj-" + made(48)),
    "google": ("token", "AIza" + made(35)),
    "telegram": ("token", "1234567890:AA" + made(33)),
}
"""By name: the kind, and a text that is the secret and nothing else."""

ORDINARY: Final = (
    "Prefers small, signed commits; the release is cut on Thursdays at 14:00 (UTC+2).",
    "Runs tests with `pytest -x -k 'not slow' --maxfail=1` and reads ~/.config/keepgate/config.toml first.",
    "password: ask Bob, it is in the vault under infra/db",
    "The token budget is 4000; key=value pairs are fine; api_key comes from $API_KEY.",
    "Call https://api.internal/v1/items?page=2&limit=50&sort=name&key=name#top",
    "Docs: https://user:password@host/ and postgres://user:${DB_PASSWORD}@db/app are only examples.",
    "https://example.org/login?code=release-notes-2026-11-30&token=<your-token>&password=********",
    "git@github.com:keepgate/keepgate.git, ssh://git@host:2222/x.git, http://localhost:8080/a:b@c",
    "PEM files begin with -----BEGIN PRIVATE KEY----- and end with -----END PRIVATE KEY-----.",
    "-----BEGIN PUBLIC KEY-----\n" + _BODY + "\n-----END PUBLIC KEY-----",
    "-----BEGIN CERTIFICATE-----\n" + _BODY + "\n-----END CERTIFICATE-----",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI" + made(43) + " someone@host",
    "A JWT looks like eyJhbGciOi….eyJzdWIiOi….signature and has three parts.",
    "Tokens start with ghp_, AKIA, xoxb-, sk_live_ or glpat-; never store one.",
    "Commit " + hashlib.sha1(b"a", usedforsecurity=False).hexdigest() + " broke it.",
    "sha256:" + hashlib.sha256(b"b").hexdigest(),
    "sha512-" + base64.b64encode(hashlib.sha512(b"c").digest()).decode(),
    "md5 " + hashlib.md5(b"d", usedforsecurity=False).hexdigest(),
    str(uuid.UUID(int=2**127 + 12345)),
    "Order 1234-5678-9012-3456, phone +49 170 1234567, IBAN DE89 3704 0044 0532 0130 00",
    "data:image/png;base64," + base64.b64encode(_CHANCE.randbytes(60_000)).decode(),
    "記憶は小さく保つ。リリースは木曜日の十四時。パスワードは金庫にある。",
    "密码在保险箱里,不要写下来。令牌由环境变量提供。",
    "비밀번호는 금고에 있습니다. 토큰은 환경 변수에서 옵니다.",
    "كلمة المرور في الخزنة، والرمز من متغير البيئة.",
    "पासवर्ड तिजोरी में है; टोकन परिवेश से आता है।",
    "👩‍👩‍👧‍👦 family trip ✈️ on 2026-12-24, gate B42, seat 17A",
    "def f(x): return {'a': x[0:1], \"b\": x @ y, 'secret_santa': None}",
    "C:\\Users\\me\\AppData\\Roaming\\keepgate\\config.toml",
    "SELECT id, name FROM users WHERE token IS NOT NULL AND secret = ?",
    "Version 1.2.3-rc.4+build.567 of @scope/package needs node >=18.17.0 <23",
    "AKIAEXAMPLE and ghp_xxx are what documents write.",
    "-----BEGIN PGP PUBLIC KEY BLOCK-----\n\n" + _BODY + "\n-----END PGP PUBLIC KEY BLOCK-----",
)
