"""The commands that search for hypotheses: plans and effort, what tells hypotheses apart, names, themes, what was
missed."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Protocol

from core.domain import ROLES, Chunk
from core.errors import AppError, BadInput, Problem
from core.plans import elusion as missing
from core.ports import Engines
from core.progress import Progress
from core.runtime import launch
from core.settings import Settings
from core.text import columns
from core.workbench import Workbench

Json = dict[str, Any]
_BY = {"form": "", "model": "\tonly by the model", "both": "\tby the model"}


def _place(chunk: Chunk) -> Json:
    return {
        "passage": chunk.id,
        "document": chunk.document,
        "name": chunk.name,
        "page": chunk.page,
        "start": chunk.start,
        "end": chunk.end,
        "text": chunk.text,
    }


def _one(given: Sequence[str], what: str) -> Sequence[str]:
    """What was given, which is one. Raises BadInput."""
    if len(given) != 1:
        raise BadInput(reason=f"One {what} is needed, and {len(given)} were given.", remedy=f"Give one {what}.")
    return given


def _shown(chunk: Chunk, most: int = 160) -> str:
    text = " ".join(chunk.text.split())
    return f"{chunk.document} p. {chunk.page}\t{text[:most]}{'…' if len(text) > most else ''}"


class Output(Protocol):
    """Where results and messages go."""

    def result(self, document: Json, text: Callable[[], str | Sequence[str]]) -> None: ...
    def problems(self, problems: Sequence[Problem]) -> int: ...
    def progress(self) -> Progress: ...
    def warn(self, error: AppError) -> None: ...


class WithEngines:
    """The engines that commands ask, built when the first one does."""

    settings: Settings
    _engines: Engines | None = None

    @property
    def engines(self) -> Engines:
        if self._engines is None:
            self._engines = launch.build_engines(self.settings)
        return self._engines


class SearchCommands(WithEngines):
    """One method a command; each returns the exit code."""

    a: argparse.Namespace
    out: Output
    _open: Callable[[], Workbench]

    def plan(self) -> int:
        with self._open() as bench:
            if self.a.action == "make":
                bench.plans.make([self.a.hypothesis] if self.a.hypothesis else None)
            elif self.a.action == "draft":
                bench.drafts.plans([self.a.hypothesis] if self.a.hypothesis else None, self.out.progress())
            elif self.a.action == "add":
                if not (self.a.hypothesis and self.a.role and self.a.text):
                    raise BadInput(
                        reason="A planned search needs a hypothesis, a role and words.",
                        remedy='Use: disconfirm plan CASE add --hypothesis H1 --role against --text "...".',
                    )
                bench.plans.add(self.a.hypothesis, self.a.role, self.a.text)
            elif self.a.action == "remove":
                bench.plans.remove(*_one(self.a.ids, "planned search"))
            found = bench.plans.get(None if self.a.action == "remove" else self.a.hypothesis)
        self.out.result(
            {"plan": [asdict(query) for query in found]},
            lambda: [columns(q.id, q.hypothesis, q.role, q.origin, q.text) for q in found],
        )
        return 0

    def effort(self) -> int:
        with self._open() as bench:
            told, run = bench.plans.effort(), bench.plans.runs()
        self.out.result(
            {"effort": [asdict(one) for one in told], "searches": [asdict(one) for one in run]},
            lambda: [
                f"{e.hypothesis}\t{e.searches_for} searches for, {e.searches_against} against\t{e.passages} passages: "
                f"{e.supports} for, {e.contradicts} against, {e.neutral} neutral, {e.ambiguous} unsure"
                f"{'' if e.fair else f'  {e.uneven}'}"
                for e in told
            ],
        )
        return 0

    def discriminate(self) -> int:
        with self._open() as bench:
            found = bench.plans.discriminating(self.a.k, pair=tuple(self.a.pair) if self.a.pair else None)
        keys = ("pair", "leans", "strength", "effect", "judged")
        self.out.result(
            {"passages": [{**_place(one.passage), **{key: getattr(one, key) for key in keys}} for one in found]},
            lambda: [
                f"{one.effect:.2f}\t{' or '.join(one.pair)}: {one.leans}{'' if one.judged else '?'}"
                f"\t{_shown(one.passage)}"
                for one in found
            ],
        )
        return 0

    def names(self) -> int:
        if self.a.model is not None:
            folder = None if self.a.model == "none" else Path(self.a.model)
            self._engines, _ = launch.choose_names_model(self.engines, folder)
        with self._open() as bench:
            match self.a.action:
                case "suggest":
                    suggested, wrong = bench.entities.suggested(self.out.progress())
                    problems = [Problem.at("the model for names", wrong)] if wrong is not None else []
                    model = bench.engines.names.fingerprint if bench.engines.names and not problems else ""
                    self.out.result(
                        {"suggested": [asdict(one) for one in suggested], "model": model},
                        lambda: [
                            f"{n.name}\t{n.kind}\t{n.passages or n.mentions} in {n.documents} documents{_BY[n.by]}"
                            for n in suggested
                        ],
                    )
                    return self.out.problems(problems)
                case "mentions":
                    (entity,) = _one(self.a.names, "name")
                    places = bench.entities.mentions(entity)
                    self.out.result(
                        {"mentions": [{**_place(one.passage), "places": one.places} for one in places]},
                        lambda: [_shown(one.passage) for one in places],
                    )
                    return 0
                case "together":
                    pairs = bench.entities.co_occurrences()
                    called = {entity.id: entity.name for entity in bench.entities.all()}
                    self.out.result(
                        {"together": [asdict(pair) for pair in pairs]},
                        lambda: [columns(p.passages, called[p.one], called[p.other]) for p in pairs],
                    )
                    return 0
                case "add":
                    if not self.a.names:
                        raise BadInput(reason="No name was given.", remedy="Write it after add.")
                    bench.entities.add(self.a.names[0], kind=self.a.kind or "", aliases=self.a.names[1:])
                case "remove":
                    bench.entities.remove(*_one(self.a.names, "name"))
                case "reject":
                    for name in self.a.names:
                        bench.entities.add(name, status="rejected")
            kept = bench.entities.all()
        self.out.result(
            {"names": [asdict(entity) for entity in kept]},
            lambda: [columns(e.id, e.status, e.kind, ", ".join((e.name, *e.aliases))) for e in kept],
        )
        return 0

    def themes(self) -> int:
        with self._open() as bench:
            found = bench.search.themes(self.a.question)
            drafts = bench.drafts.hypotheses(self.a.question, found, self.out.progress()) if self.a.draft else ()
        worded = [draft.text for draft in drafts] or [""] * len(found)
        self.out.result(
            {
                "themes": [
                    {
                        "label": theme.label,
                        "sentence": theme.sentence,
                        "document": theme.passage.document,
                        "page": theme.passage.page,
                        "start": theme.start,
                        "end": theme.end,
                        "documents": theme.documents,
                        "passages": [_place(chunk) for chunk in theme.passages],
                        "draft": draft,
                    }
                    for theme, draft in zip(found, worded, strict=True)
                ]
            },
            lambda: [
                f"{', '.join(theme.label)}\t{len(theme.passages)} passages in {theme.documents} documents"
                f"\t{theme.sentence}" + (f"\tdraft: {draft}" if draft else "")
                for theme, draft in zip(found, worded, strict=True)
            ],
        )
        return 0

    def dates(self) -> int:
        with self._open() as bench:
            passages = bench.search.find(self.a.text, k=self.a.k).passages if self.a.text else None
            found = bench.timeline.date_mentions(passages, progress=self.out.progress())
        keys = ("text", "earliest", "latest", "precision", "doubt")
        self.out.result(
            {
                "dates": [
                    {
                        **{key: getattr(one.date, key) for key in keys},
                        "document": one.passage.document,
                        "page": one.passage.page,
                        "start": one.passage.start + one.date.start,
                        "end": one.passage.start + one.date.end,
                    }
                    for one in found
                ]
            },
            lambda: [
                f"{one.date.earliest}\t{one.date.latest}\t{one.date.text}{' (?)' if one.date.doubt else ''}"
                f"\t{_shown(one.passage, 80)}"
                for one in found
            ],
        )
        return 0

    def missed(self) -> int:
        with self._open() as bench:
            for chunk in self.a.relevant:
                bench.plans.judge_relevance(self.a.hypothesis, chunk, True)
            for chunk in self.a.irrelevant:
                bench.plans.judge_relevance(self.a.hypothesis, chunk, False)
            told = bench.plans.elusion(self.a.hypothesis)
            sample = bench.plans.elusion_sample(self.a.hypothesis, self.a.sample) if self.a.sample else []
        self.out.result(
            {
                **asdict(told),
                "hypothesis": self.a.hypothesis,
                "words": missing.words(self.a.hypothesis, told),
                "sample": [_place(chunk) for chunk in sample],
            },
            lambda: [
                missing.words(self.a.hypothesis, told),
                *(f"{chunk.id}\t{_shown(chunk)}" for chunk in sample),
            ],
        )
        return 0


def declare(command: Callable[[str, str], argparse.ArgumentParser], counted: Callable[[str], int]) -> None:
    """Add the grammar of these commands."""
    sub = command("plan", "the searches planned for each hypothesis, as many against it as for it")
    sub.add_argument("action", nargs="?", default="list", choices=("list", "make", "draft", "add", "remove"))
    sub.add_argument("ids", nargs="*", metavar="S1", help="planned searches to remove")
    sub.add_argument("--hypothesis", metavar="H1")
    sub.add_argument("--role", choices=tuple(ROLES))
    sub.add_argument("--text", metavar="WORDS")
    command("effort", "how much was searched and looked at for each hypothesis, for and against")
    sub = command("discriminate", "the passages that best discriminate between hypotheses")
    sub.add_argument("-k", type=counted, default=30, metavar="N", help="how many passages")
    sub.add_argument("--pair", nargs=2, metavar=("H1", "H2"), help="only between these two")
    sub = command(
        "names", "the names of the case: list, suggest, add NAME ALIAS..., reject, remove, mentions, together"
    )
    actions = ("list", "suggest", "add", "reject", "remove", "mentions", "together")
    sub.add_argument("action", nargs="?", default="list", choices=actions)
    sub.add_argument("names", nargs="*", metavar="NAME")
    sub.add_argument("--kind", choices=("person", "organisation", "place", "thing"))
    sub.add_argument(
        "--model", metavar="FOLDER", help="let this spaCy pipeline find names too from now on; none: stop using a model"
    )
    sub = command("themes", "what the documents say on a question, as a start for hypotheses")
    sub.add_argument("question")
    sub.add_argument("--draft", action="store_true", help="with a hypothesis drafted by the model that writes drafts")
    sub = command("dates", "the dates that passages mention, in order")
    sub.add_argument("text", nargs="?", metavar="SEARCH", help="only in the results of this search")
    sub.add_argument("-k", type=counted, default=200, metavar="N", help="how many passages of the search")
    sub = command("missed", "how many relevant passages were probably missed for a hypothesis")
    sub.add_argument("hypothesis", metavar="H1")
    sub.add_argument(
        "--sample", type=counted, default=0, metavar="N", help="show N passages nobody has looked at, for you to judge"
    )
    sub.add_argument("--relevant", type=counted, nargs="+", default=[], metavar="PASSAGE")
    sub.add_argument("--irrelevant", type=counted, nargs="+", default=[], metavar="PASSAGE")
