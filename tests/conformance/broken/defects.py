"""Relatives of the well-behaved server, each of which breaks one promise.

``DEFECTS`` names them; ``failing`` are the cases that must fail for each, and no others may. The first is the
one that was made for the defect; others follow where the broken promise stands in more than one of them.
"""

import json
import os
import sys
import time
from dataclasses import dataclass

from model import MARK, PAGE_LIMIT, Memory, Refusal, fold, iso, now_ms, tokens
from server import SCHEMAS, Server


@dataclass
class Defect:
    failing: list
    memory: type = Memory
    server: type = Server
    seconds: float = 20.0

    def start(self):
        self.server(self.memory()).serve()


# Facts.


class IgnoresTtl(Memory):
    def recalled(self):
        return [fact for fact in self.facts if fact.expired is None and self.visible(fact)]


class CountsTheExpired(Memory):
    def of_card(self):
        return [fact for fact in self.facts if fact.expired is None and self.visible(fact)]


class InjectsTheExpired(Memory):
    def packable(self):
        return [fact for fact in self.facts if fact.expired is None and self.visible(fact)]


class LeaksPrivate(Memory):
    def recalled(self):
        return [fact for fact in self.facts if self.alive(fact)]


class LeaksPrivateInCards(Memory):
    def of_card(self):
        return [fact for fact in self.facts if self.alive(fact)]


class LeaksPrivateInPacks(Memory):
    def packable(self):
        return [fact for fact in self.facts if self.alive(fact)]


class LeaksPrivateInDeltas(Memory):
    def changed(self):
        return [fact for fact in self.facts if self.alive(fact)]


class NumberedFactIds(Memory):
    def fact(self, fact):
        return {**super().fact(fact), "fact_id": fact.number}


class TextIds(Memory):
    def fact(self, fact):
        return {**super().fact(fact), "id": str(fact.number)}


class NumberedDuplicates(Memory):
    def remembered(self, fact, status):
        answer = super().remembered(fact, status)
        return {**answer, "id": fact.number} if status == "duplicate" else answer


class ForgetsOnce(Memory):
    def forget(self, id, **given):  # noqa: A002 - the verb's own parameter
        if self.find(id).expired is not None:
            raise Refusal("not_found", "it is forgotten already")
        return super().forget(id, **given)


class ForgetsTheReason(Memory):
    def forget(self, **given):
        return {**super().forget(**given), "reason": None}


class ForgetsNothing(Memory):
    def recalled(self):
        return [fact for fact in self.facts if self.visible(fact) and (fact.until or now_ms() + 1) > now_ms()]


class InvalidInsteadOfUnknown(Memory):
    def find(self, given):
        try:
            return super().find(given)
        except Refusal as refusal:
            raise Refusal("invalid_params", refusal.message) from refusal


class TakesBlankProvenance(Memory):
    def check_texts(self, fact, provenance):
        super().check_texts(fact, provenance.strip() or "unknown")


class TidiesProvenance(Memory):
    def kept_provenance(self, provenance):
        return provenance.lower()


class CutsProvenance(Memory):
    def check_texts(self, fact, provenance):
        super().check_texts(fact, provenance[:500])


class TakesDurations(Memory):
    def until(self, ttl):
        return super().until({"P30D": "30d", "PT12H": "12h"}.get(ttl, ttl))


class CountsMonths(Memory):
    def until(self, ttl):
        return super().until("45d" if ttl == "45m" else ttl)


class LeavesNullsOut(Memory):
    def remembered(self, fact, status):
        answer = super().remembered(fact, status)
        return {name: value for name, value in answer.items() if value is not None}


class InsertsTwice(Memory):
    def duplicate(self, new):
        return None


class SwallowsKinds(Memory):
    def duplicate(self, new):
        return next((fact for fact in self.facts if self.alive(fact) and fold(fact.text) == fold(new.text)),
                    None)  # fmt: skip


class ReportsDead(Memory):
    """A forgotten fact swallows the same words for ever."""

    def duplicate(self, new):
        key = lambda fact: (fact.entity, fact.kind, fact.visibility, fold(fact.text))  # noqa: E731
        return next((fact for fact in self.facts if key(fact) == key(new)), None)


class OnlyAscii(Memory):
    def entity_slug(self, entity):
        slug = super().entity_slug(entity)
        return "".join(letter for letter in slug if letter.isascii()) or "entity"

    def slug_of(self, name):
        slug = super().slug_of(name)
        return "".join(letter for letter in slug if letter.isascii()) or "entity"


class CutsTexts(Memory):
    def context_pack(self, **given):
        answer = super().context_pack(**given)
        return {**answer, "facts": [{**one, "fact": one["fact"][:8]} for one in answer["facts"]]}


# Recall.


class IgnoresLimit(Memory):
    def recall(self, limit=None, **given):
        return super().recall(**given)


class CountsEverything(Memory):
    """total counts what there is, not what the answer has."""

    def packed(self, facts, results, budget):
        return {**super().packed(facts, results, budget), "total": len(self.seen())}


class DoubleBudget(Memory):
    """The second arm is given the whole budget again."""

    def remainder(self, budget, used):
        return budget


class AdvisoryBudget(Memory):
    def fitting(self, items, cost, room):
        return list(items), sum(map(cost, items))


class SkipsToFit(Memory):
    def fitting(self, items, cost, room):
        kept, used = [], 0
        for item in items:
            if used + cost(item) <= room:
                kept.append(item)
                used += cost(item)
        return kept, used


class DropsSilently(Memory):
    def packed(self, facts, results, budget):
        answer = super().packed(facts, results, budget)
        return {**answer, "dropped_count": 0} if budget is not None else answer


class AlwaysBudgeted(Memory):
    def packed(self, facts, results, budget):
        return super().packed(facts, results, budget or 10**6)


class IgnoresSince(Memory):
    def recall(self, since=None, **given):
        return super().recall(**given)


class MixesEntities(Memory):
    """What is known of one entity comes with what is known of all."""

    def recall(self, entity=None, query=None, **given):
        if entity is not None and entity.endswith("-one"):
            entity = None
        return super().recall(entity=entity, query=query, **given)


class ResultsAlways(Memory):
    def packed(self, facts, results, budget):
        return super().packed(facts, results or [], budget)


class OwnEvidence(Memory):
    def evidence(self, page, query):
        evidence, safety = super().evidence(page, query)
        return ("full_text", safety) if evidence == "keyword_exact" else (evidence, safety)


class FailsOnQuotes(Memory):
    def recall(self, query=None, **given):
        if query == '"':
            raise Refusal("invalid_params", "unterminated string")
        return super().recall(query=query, **given)


# Entities.


class Wildcards(Memory):
    def matches(self, page, name):
        return 2 if name == "%" else super().matches(page, name)


class MissIsAnError(Memory):
    def entity(self, name, **_):
        answer = super().entity(name)
        if not answer["found"] and name.startswith("Nobody"):
            raise Refusal("not_found", "no such entity")
        return answer


class TitleFirst(Memory):
    def matches(self, page, name):
        rank = super().matches(page, name)
        return {0: 1, 1: 0}.get(rank, rank)


class OldestFirst(Memory):
    def resolve(self, name):
        found = super().resolve(name)
        equal = len({self.matches(page, name) for page in found}) == 1
        return found[::-1] if equal else found


class HidesRunnersUp(Memory):
    def entity(self, name, **_):
        answer = super().entity(name)
        if answer["found"]:
            answer.pop("suggestions", None)
        return answer


class EndlessThreads(Memory):
    def threads(self, facts):
        some = [fact for fact in facts if fact.kind == "commitment"]
        return [{"kind": "commitment", "text": fact.text, "date": iso(fact.created)} for fact in some]


class ThinCards(Memory):
    def card(self, page):
        card = super().card(page)
        del card["aka"]
        return card

    def pack_card(self, page):
        return super(ThinCards, WithAka(self)).pack_card(page)


class WithAka(ThinCards):
    """A view of a memory whose cards are whole, for the packs that are made of them."""

    def __init__(self, other):
        self.__dict__ = other.__dict__

    def card(self, page):
        return Memory.card(self, page)


# Packs and deltas.


class PacksEverybody(Memory):
    def names(self, entities):
        return [name.strip() for name in entities.split(",") if name.strip()]


class ForgesLines(Memory):
    def quoted(self, text):
        return text


class PacksByMood(Memory):
    def block(self, items):
        return f"{MARK}\n{time.time_ns()}" + super().block(items).removeprefix(MARK)


class DishonestText(Memory):
    """The budget counts facts, and the text comes on top."""

    def rendered(self, items, budget_tokens):
        budget = self.budget(budget_tokens)
        cost = lambda item: tokens(self.line(*item))  # noqa: E731
        kept, _ = self.fitting(items, cost, budget or 10**9)
        return kept, self.block(kept) if items else "", budget

    def report(self, budget, used, dropped):
        return super().report(budget, min(used, budget or 0), dropped)


class SkipsFacts(Memory):
    """The newest fifty are delivered, and the older ones never."""

    def fetched(self, facts):
        return facts[-50:]


class ForgetsTheRest(Memory):
    """The cursor goes past what did not fit."""

    def moved_to(self, given, number):
        return len(self.facts)


class RepeatsPages(Memory):
    def page_is_after(self, page, after, slug):
        return page.updated >= after


class SkipsPages(Memory):
    def changes(self, cursor, budget_tokens, entities):
        answer, moved = super().changes(cursor, budget_tokens, entities)
        if len(answer["pages"]) > 1 and answer["has_more"]:
            answer["pages"].pop(0)
        return answer, moved


class NewestPagesFirst(Memory):
    def changes(self, cursor, budget_tokens, entities):
        answer, moved = super().changes(cursor, budget_tokens, entities)
        if len(answer["pages"]) < PAGE_LIMIT:
            answer["pages"].reverse()
        return answer, moved


class OneCursor(Memory):
    def key(self, session_id):
        return ""


class EchoesSince(Memory):
    def delta(self, since=None, **given):
        answer = super().delta(since=since, **given)
        return {**answer, "since": since} if since and "+" in since else answer


class SinceTheBeginning(Memory):
    def delta(self, since=None, session_id=None, **given):
        if since is None and session_id is None:
            since = "1970-01-01T00:00:00Z"
        return super().delta(since=since, session_id=session_id, **given)


class LeaksPrivatePages(Memory):
    def page_visible(self, page):
        return True


class FakesAnswers(Memory):
    def synthesize(self, question, **given):
        try:
            return super().synthesize(question, **given)
        except Refusal as refusal:
            if refusal.code != "unavailable":
                raise
            return {"protocol_version": 1, "answer": "Certainly!", "sources": []}


# The wire.


class TwoBlocks(Server):
    def blocks(self, text):
        return [text, "Did you know that you can also ask for pages?"]


class WarnsInBlocks(Server):
    def result(self, body, *, failed=False, warnings=()):
        result = super().result(body, failed=failed)
        if warnings:
            result["content"].append({"type": "text", "text": f"unknown parameters: {warnings}"})
        return result


class Structured(Server):
    def result(self, body, *, failed=False, warnings=()):
        return {**super().result(body, failed=failed, warnings=warnings), "structuredContent": body}


class NoSuggestion(Server):
    def envelope(self, refusal):
        envelope = super().envelope(refusal)
        return {**envelope, "suggestion": ""} if refusal.code == "not_found" else envelope


class NoVersionOnErrors(Server):
    def envelope(self, refusal):
        envelope = super().envelope(refusal)
        del envelope["protocol_version"]
        return envelope


class OtherVersion(Server):
    def result(self, body, *, failed=False, warnings=()):
        if "found" in body:
            body = {**body, "protocol_version": "1"}
        return super().result(body, failed=failed, warnings=warnings)


class Wordless(Server):
    def envelope(self, refusal):
        return {**super().envelope(refusal), "message": ""}


class RefusesUnknown(Server):
    def read(self, name, arguments):
        given, unknown = super().read(name, arguments)
        if unknown:
            raise Refusal("invalid_params", f"unknown parameter {unknown[0]}")
        return given, unknown


class InternalOnNul(Server):
    def call(self, name, arguments):
        if "\\u0000" in json.dumps(arguments):
            return self.result(self.envelope(Refusal("internal", "something went wrong")), failed=True)
        return super().call(name, arguments)


class Coerces(Server):
    def fits(self, value, kind):
        return kind is not tuple and (super().fits(value, kind) or value == "many")

    def read(self, name, arguments):
        given, unknown = super().read(name, arguments)
        if given.get("budget_tokens") == "many":
            del given["budget_tokens"]
        return given, unknown


class SixVerbs(Server):
    def tool(self, name):
        return {**super().tool(name), "name": "deltas" if name == "delta" else name}


class Cheap(Server):
    def description(self, name):
        return f"The verb {name}."


class HangsOnUnknownTools(Server):
    def call(self, name, arguments):
        if name not in SCHEMAS:
            time.sleep(3600)
        return super().call(name, arguments)


class DiesOnUnknownTools(Server):
    def call(self, name, arguments):
        if name not in SCHEMAS:
            sys.stderr.write("I cannot go on\n")
            sys.stderr.flush()
            os._exit(7)
        return super().call(name, arguments)


class Chatters(Server):
    def handle(self, message):
        if message["method"] == "ping":
            sys.stdout.write("ping received, answering\n")
        super().handle(message)


class Garbles(Server):
    def answer(self, message, result):
        if message["method"] == "ping":
            self.write({"jsonrpc": "2.0", "id": message["id"], "result": {}, "error": {"code": 1}})
        else:
            super().answer(message, result)


class AnswersInProse(Server):
    def call(self, name, arguments):
        result = super().call(name, arguments)
        if name == "synthesize":
            return {"content": [{"type": "text", "text": "Here you go!"}]}
        return result


class ErrorsOutOfBand(Server):
    def answer(self, message, result):
        if result.get("isError") and message["params"].get("arguments") == {"limit": "x"}:
            self.write({"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32602, "message": "no"}})
        else:
            super().answer(message, result)


class DiesOfNoise(Server):
    def serve(self):
        for raw in sys.stdin.buffer:
            self.handle(json.loads(raw))


class Reversed(Server):
    """Hints that tell the client the opposite."""

    def tool(self, name):
        tool = super().tool(name)
        tool["annotations"]["readOnlyHint"] = not tool["annotations"]["readOnlyHint"]
        return tool


def on_memory(cls, *failing):
    return Defect(failing=list(failing), memory=cls)


def on_wire(cls, *failing, seconds=20.0):
    return Defect(failing=list(failing), server=cls, seconds=seconds)


DEFECTS = {
    "ignores-ttl": on_memory(IgnoresTtl, "recall/ttl-effect", "recall/ttl-past"),
    "counts-the-expired": on_memory(CountsTheExpired, "entity/ttl-effect"),
    "injects-the-expired": on_memory(InjectsTheExpired, "pack/ttl-effect"),
    "leaks-private": on_memory(LeaksPrivate, "recall/private-hidden"),
    "leaks-private-in-cards": on_memory(LeaksPrivateInCards, "entity/private-hidden"),
    "leaks-private-in-packs": on_memory(LeaksPrivateInPacks, "pack/private-hidden"),
    "leaks-private-in-deltas": on_memory(LeaksPrivateInDeltas, "delta/private-hidden"),
    "leaks-private-pages": on_memory(
        LeaksPrivatePages, "recall/private-page-hidden", "entity/private-page-hidden",
        "delta/private-page-hidden",
    ),
    "numbered-fact-ids": on_memory(
        NumberedFactIds, "recall/shape", "recall/round-trip", "forget/id-of-recall"
    ),
    "text-ids": on_memory(TextIds, "recall/shape"),
    "numbered-duplicates": on_memory(NumberedDuplicates, "remember/duplicate"),
    "forgets-once": on_memory(ForgetsOnce, "forget/idempotent", "remember/superseded"),
    "forgets-the-reason": on_memory(ForgetsTheReason, "forget/reason"),
    "forgets-nothing": on_memory(ForgetsNothing, "forget/expires", "remember/superseded"),
    "invalid-instead-of-unknown": on_memory(
        InvalidInsteadOfUnknown, "forget/unknown", "forget/odd-ids", "forget/private"
    ),
    "takes-blank-provenance": on_memory(TakesBlankProvenance, "remember/provenance-blank"),
    "tidies-provenance": on_memory(TidiesProvenance, "remember/provenance-verbatim"),
    "cuts-provenance": on_memory(CutsProvenance, "remember/provenance-length"),
    "takes-durations": on_memory(TakesDurations, "remember/ttl-duration"),
    "counts-months": on_memory(CountsMonths, "remember/ttl-shorthand"),
    "leaves-nulls-out": on_memory(LeavesNullsOut, "remember/inserted"),
    "inserts-twice": on_memory(InsertsTwice, "remember/duplicate"),
    "swallows-entities": on_memory(SwallowsKinds, "remember/no-duplicate"),
    "swallows-the-forgotten": on_memory(ReportsDead, "remember/expired-is-no-duplicate"),
    "only-ascii": on_memory(OnlyAscii, "remember/scripts-apart"),
    "cuts-texts": on_memory(CutsTexts, "pack/facts", "pack/fact-ids"),
    "ignores-limit": on_memory(IgnoresLimit, "recall/limit", "recall/limit-default"),
    "counts-everything": on_memory(CountsEverything, "recall/total", "recall/unknown-entity"),
    "double-budget": on_memory(DoubleBudget, "recall/budget-both-arms"),
    "advisory-budget": on_memory(
        AdvisoryBudget, "recall/budget-arithmetic", "recall/budget-both-arms", "recall/budget-too-small"
    ),
    "skips-to-fit": on_memory(SkipsToFit, "recall/budget-prefix"),
    "drops-silently": on_memory(DropsSilently, "recall/budget-arithmetic", "recall/budget-too-small"),
    "always-budgeted": on_memory(AlwaysBudgeted, "recall/budget-absent", "recall/budget-none"),
    "ignores-since": on_memory(
        IgnoresSince, "recall/since", "recall/since-forms", "recall/since-and-entity", "recall/since-bad"
    ),
    "mixes-entities": on_memory(MixesEntities, "recall/entity-scopes"),
    "results-always": on_memory(ResultsAlways, "recall/arms"),
    "own-evidence": on_memory(OwnEvidence, "recall/query-finds-pages"),
    "fails-on-quotes": on_memory(FailsOnQuotes, "recall/query-is-literal"),
    "wildcards": on_memory(Wildcards, "entity/literal"),
    "miss-is-an-error": on_memory(MissIsAnError, "entity/miss", "entity/miss-suggestions"),
    "title-first": on_memory(TitleFirst, "entity/precedence"),
    "oldest-first": on_memory(OldestFirst, "entity/ties"),
    "hides-runners-up": on_memory(HidesRunnersUp, "entity/runners-up"),
    "endless-threads": on_memory(EndlessThreads, "entity/open-threads"),
    "thin-cards": on_memory(ThinCards, "entity/card-is-whole"),
    "packs-everybody": on_memory(PacksEverybody, "pack/cap"),
    "forges-lines": on_memory(ForgesLines, "pack/one-line-an-item"),
    "packs-by-mood": on_memory(PacksByMood, "pack/deterministic"),
    "dishonest-text": on_memory(DishonestText, "delta/budget-is-honest", "pack/budget-is-honest"),
    "skips-facts": on_memory(SkipsFacts, "delta/facts-none-lost", "delta/facts-none-lost-stateless"),
    "forgets-the-rest": on_memory(
        ForgetsTheRest, "delta/page-does-not-hide-facts", "delta/facts-none-lost",
        "delta/facts-none-lost-stateless",
    ),
    "repeats-pages": on_memory(
        RepeatsPages, "delta/new-page", "delta/pages-none-lost", "delta/pages-none-lost-session"
    ),
    "skips-pages": on_memory(SkipsPages, "delta/pages-none-lost", "delta/pages-none-lost-session"),
    "newest-pages-first": on_memory(NewestPagesFirst, "delta/pages-in-order"),
    "one-cursor": on_memory(OneCursor, "delta/sessions-apart", "delta/pages-none-lost-session"),
    "echoes-since": on_memory(EchoesSince, "delta/since-normalised"),
    "since-the-beginning": on_memory(SinceTheBeginning, "delta/needs-a-start"),
    "fakes-answers": on_memory(FakesAnswers, "synthesize/honest"),
    "two-blocks": on_wire(TwoBlocks, "envelope/one-text-block", "envelope/errors-in-band"),
    "warns-in-blocks": on_wire(WarnsInBlocks, "envelope/one-text-block", "envelope/unknown-parameters-named"),
    "structured": on_wire(Structured, "envelope/unstructured"),
    "no-suggestion": on_wire(NoSuggestion, "envelope/suggestion-populated", "envelope/error-shape"),
    "no-version-on-errors": on_wire(NoVersionOnErrors, "envelope/version-on-errors"),
    "other-version": on_wire(
        OtherVersion, "envelope/version-everywhere", "entity/miss", "entity/card-is-whole"
    ),
    "wordless-errors": on_wire(Wordless, "envelope/error-shape"),
    "refuses-unknown": on_wire(
        RefusesUnknown, "envelope/unknown-parameters", "envelope/unknown-parameters-named"
    ),
    "internal-on-nul": on_wire(InternalOnNul, "envelope/never-internal"),
    "coerces": on_wire(Coerces, "envelope/wrong-types"),
    "six-verbs": on_wire(SixVerbs, "envelope/seven-tools"),
    "cheap": on_wire(Cheap, "envelope/expensive-is-marked"),
    "hangs": on_wire(
        HangsOnUnknownTools, "envelope/unknown-tool", "envelope/unknown-tool-in-band", seconds=4.0
    ),
    "dies": on_wire(DiesOnUnknownTools, "envelope/unknown-tool", "envelope/unknown-tool-in-band"),
    "chatters": on_wire(Chatters, "envelope/ping"),
    "garbles": on_wire(Garbles, "envelope/ping"),
    "answers-in-prose": on_wire(
        AnswersInProse, "synthesize/honest", "synthesize/blank", "synthesize/bad-window"
    ),
    "errors-out-of-band": on_wire(ErrorsOutOfBand, "envelope/errors-in-band"),
    "dies-of-noise": on_wire(DiesOfNoise, "envelope/noise-survived"),
    "reversed-hints": on_wire(Reversed, "envelope/annotations"),
}  # fmt: skip
