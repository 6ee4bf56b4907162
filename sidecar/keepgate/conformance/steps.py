"""The steps of one case: calls, checks, loops."""

import time
from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from attrs import define, field

from keepgate.conformance.conditions import Judge
from keepgate.conformance.operators import BadCondition, shown
from keepgate.conformance.paths import ABSENT, BadPath, select
from keepgate.conformance.replies import Reply, TargetFailure
from keepgate.conformance.target import MAIN, Target
from keepgate.conformance.values import Names, UnknownName

Step = Mapping[str, Any]


class Mismatch(Exception):
    """The target answered, and not as the case expects."""


class Connections(Protocol):
    """What steps need of a run."""

    marker: str
    schemas: Mapping[str, Any]
    limit_s: float

    def connection(self, role: str) -> Target:
        """The started connection of a role."""

    def restart(self) -> None:
        """Start every connection anew at its next use."""


@define(kw_only=True)
class Steps:
    """Runs steps. ``word`` is the case's own word: no other case of any run uses it."""

    run: Connections
    word: str
    _names: Names = field(init=False)
    _where: str = ""

    def __attrs_post_init__(self) -> None:
        self._names = Names({"marker": self.run.marker, "case": self.word})

    def all(self, steps: Iterable[Step]) -> None:
        """Run steps in order. Raises :class:`Mismatch` and ``TargetFailure``."""
        for number, step in enumerate(steps, 1):
            before, self._where = self._where, f"{self._where}{number}."
            try:
                self._one(step)
            except (BadCondition, BadPath, UnknownName) as error:
                raise Mismatch(f"step {self._where[:-1]}: {error}") from error
            except TargetFailure as failure:
                if failure.where is None:
                    failure.where = f"step {self._where[:-1]}"
                raise
            self._where = before

    def _one(self, step: Step) -> None:
        if "each" in step:
            self._loop(step)
        elif "check" in step:
            self._judge(self._names.fill(step["check"]), self._roots(None))
        elif "set" in step:
            judge = Judge(self._roots(None), self.run.schemas)
            for name, value in self._names.fill(step["set"]).items():
                self._names.values[name] = judge.worth(value)
        elif "pause_s" in step:
            time.sleep(step["pause_s"])
        elif "restart" in step:
            self.run.restart()
        elif "send" in step:
            self.run.connection(step.get("as", MAIN)).send(self._names.fill(step["send"]))
        elif "repeat" in step:
            self._repeat(step, step["repeat"])
        else:
            self._call(step)

    def _loop(self, step: Step) -> None:
        each = step["each"]
        items = each.get("of") or range(1, each["count"] + 1)
        before = self._where
        for item in items:
            value = self._names.values[each["name"]] = self._names.fill(item)
            self._where = f"{before.rstrip('.')} ({each['name']} {shown(value)})."
            self.all(step["steps"])
        self._where = before

    def _repeat(self, step: Step, repeat: Mapping[str, Any]) -> None:
        """Call until the conditions of ``until`` hold; not more often, or longer, than the case allows."""
        deadline = time.monotonic() + repeat.get("for_s", 3600)
        for _ in range(repeat["at_most"]):
            reply = self._call(step)
            wrong = self._wrong(self._names.fill(repeat["until"]), self._roots(reply))
            if wrong is None:
                return
            if time.monotonic() > deadline:
                break
            time.sleep(repeat.get("pause_s", 0))
        raise Mismatch(f"step {self._where[:-1]}: however often it was called, {wrong}")

    def _call(self, step: Step) -> Reply:
        target = self.run.connection(step.get("as", MAIN))
        arguments = self._names.fill(step.get("with", {}))
        if "method" in step:
            reply = target.request(step["method"], arguments, limit_s=self.run.limit_s)
        else:
            reply = target.call(
                self._names.fill(step["call"]), arguments, limit_s=self.run.limit_s, person=step.get("person")
            )
        roots = self._roots(reply)
        self._expect(step.get("expect", {}), reply, roots)
        for name, path in step.get("save", {}).items():
            found = select(path, roots)
            if found is ABSENT:
                self._fail(f"{path} is missing: {shown(reply.body)}")
            self._names.values[name] = found
        for name, path in step.get("collect", {}).items():
            kept = self._names.values.setdefault(name, [])
            found = select(path, roots)
            kept.extend(found if isinstance(found, list) else [found])
        return reply

    def _roots(self, reply: Reply | None) -> dict[str, Any]:
        saved = {f"#{name}": value for name, value in self._names.values.items()}
        if reply is None:
            return saved
        return {**saved, "$": reply.body, "@": reply.about, "?": reply.asked}

    def _expect(self, raw: Mapping[str, Any], reply: Reply, roots: Mapping[str, Any]) -> None:
        expect = self._names.fill(raw)
        options = expect.get("any", [expect])
        wrong = [self._disappointed(option, reply, roots) for option in options]
        if None not in wrong:
            self._fail(str(wrong[0]))

    def _disappointed(self, expect: Mapping[str, Any], reply: Reply, roots: Mapping[str, Any]) -> str | None:
        """What an answer has not that was expected, or ``None``."""
        wanted = expect.get("error")
        if wanted is not None:
            codes = wanted if isinstance(wanted, list) else [wanted]
            if reply.ok:
                return f"answered instead of refusing with {' or '.join(codes)}: {shown(reply.body)}"
            code = reply.about.get("code")
            if code not in codes and "*" not in codes:
                return f"refused with {shown(code)} instead of {' or '.join(codes)}: {shown(reply.body)}"
        elif not reply.ok and not expect.get("or_error"):
            return f"refused: {shown(reply.body)}"
        return self._wrong(expect.get("is", {}), roots)

    def _judge(self, conditions: Mapping[str, Any], roots: Mapping[str, Any]) -> None:
        if (wrong := self._wrong(conditions, roots)) is not None:
            self._fail(wrong)

    def _wrong(self, conditions: Mapping[str, Any], roots: Mapping[str, Any]) -> str | None:
        judge = Judge(roots, self.run.schemas)
        for path, condition in conditions.items():
            if (message := judge.wrong(select(path, roots), condition)) is not None:
                return f"{path} {message}"
        return None

    def _fail(self, message: str) -> None:
        raise Mismatch(f"step {self._where[:-1]}: {message}")
