"""Whether a search plan finds more than the plain statement does, looking at as many passages.

    python -m tests.eval.plans [FOLDER] [--keep FOLDER] [--claims N] [--documents N] [--judge]

Part one is the sample case, whose expected passages are known: for each hypothesis the share of them among the 30
passages that its plan looks at, and among the 30 that the plain statement finds; and which of the passages that the
sample's own ratings set for one hypothesis and against another are among the ten that tell hypotheses apart best, with
``--judge`` also after a model has judged. Part two takes claims of science as hypotheses (FOLDER holds the set scifact)
and the abstracts that people judged to bear on them. A role is weighed on every second claim (fit); figures are stated
on the others (held). ``--keep`` keeps vectors from run to run. Fails where the plan finds fewer than 95 % in the sample
case, where a separating passage is missing, or where three runs differ.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from core import paths, settings
from core.domain import Chunk, Hypothesis
from core.plans import queries as planning
from core.plans.service import PASSAGES, PlanResult
from core.runtime import launch
from core.search import ranking
from core.workbench import Workbench
from tests.eval.retrieval import Keeping, build, load

SAMPLE = paths.RESOURCES / "sample_case"
ENOUGH = 0.95
Ranked = list[tuple[str, tuple[int, ...]]]  # for each search its role and what it found


def flat(text: str) -> str:
    return " ".join(text.split())


def holds(chunk: Chunk, wanted: Mapping[str, Any]) -> bool:
    """Whether a passage holds a known quote, or lies within it; a copy of it in another document is as good."""
    passage, quote = flat(chunk.text), flat(wanted["quote"])
    return quote in passage or passage in quote


# --- the sample case -------------------------------------------------------------------------------------------------


def sample(engines: launch.Engines, *, judge: bool) -> list[str]:
    """Prints the tables; what is worse than it should be."""
    plan = json.loads((SAMPLE / "case.json").read_text("utf-8"))
    truth = json.loads((SAMPLE / "expected.json").read_text("utf-8"))
    faults: list[str] = []
    with (
        tempfile.TemporaryDirectory() as place,
        Workbench.create(Path(place) / "sample.disconfirm", engines, title=plan["title"]) as bench,
    ):
        bench.documents.add([SAMPLE / "documents"])
        for hypothesis in plan["hypotheses"]:
            bench.hypotheses.add(hypothesis["text"], hypothesis.get("note", ""))
        bench.plans.make()
        print(f"Sample case: {bench.store.counts()['chunks']} passages; share of the expected ones in {PASSAGES}")
        results = bench.plans.run(passages=PASSAGES)
        shares = []
        for hypothesis, result in zip(bench.hypotheses.all(), results, strict=True):
            wanted = [expected for expected in truth["passages"] if expected["hypothesis"] == hypothesis.id]
            plain = bench.search.passages_for(hypothesis.text, k=PASSAGES).passages
            hits = {}
            for name, chunks in (("plan", [p.chunk for p in result.passages]), ("plain", [p.chunk for p in plain])):
                passages = bench.store.pages.chunks(chunks).values()
                hits[name] = [any(holds(chunk, expected) for chunk in passages) for expected in wanted]
            shares.append((hypothesis.id, len(wanted), *(sum(hits[n]) / len(wanted) for n in ("plan", "plain"))))
            print(f"  {hypothesis.id}  of {len(wanted):2}  plan {shares[-1][2]:.3f}  plain {shares[-1][3]:.3f}")
            if shares[-1][2] < ENOUGH:
                faults.append(f"{hypothesis.id}: the plan finds {shares[-1][2]:.3f} of what is expected")
        repeats = [_bytes(bench.plans.run(passages=PASSAGES)) for _ in range(3)]
        faults += [] if set(repeats) == {_bytes(results)} else ["Three runs of the plans differ."]
        apart(bench, truth["passages"], "before anything is judged")
        if judge:
            bench.review.propose(passages=PASSAGES)
            faults += apart(bench, truth["passages"], "after the judge")
    return faults


def apart(bench: Workbench, wanted: Sequence[Mapping[str, Any]], when: str) -> list[str]:
    """Where the passages that are known to speak for one hypothesis and against another come among the best ten."""
    best = bench.plans.discriminating(10)
    faults = [] if all(bench.plans.discriminating(10) == best for _ in range(2)) else [f"Three runs differ {when}."]
    separating = []
    for chunk in bench.store.pages.chunks(bench.store.pages.every_chunk()).values():
        stances = {(expected["hypothesis"], expected["stance"]) for expected in wanted if holds(chunk, expected)}
        if {stance for _, stance in stances} == {"supports", "contradicts"} and len({h for h, _ in stances}) > 1:
            separating.append((chunk, sorted(stances)))
    bearing = sum(any(holds(row.passage, expected) for expected in wanted) for row in best)
    print(f"Told apart {when}: {bearing} of the best ten hold a passage that is known to bear on a hypothesis")
    for chunk, stances in separating:
        place = next((n for n, row in enumerate(best, start=1) if row.passage.id == chunk.id), None)
        words = ", ".join(f"{stance} {hypothesis}" for hypothesis, stance in stances)
        print(f"  place {place or '-':>2}  {words}: {chunk.name}, {flat(chunk.text)[:60]}")
        if place is None:
            faults.append(f"Not among the ten best {when}: {chunk.name}, {flat(chunk.text)[:60]}")
    return faults


def _bytes(results: Sequence[PlanResult]) -> str:
    return hashlib.sha256(
        repr([(r.hypothesis, r.searches, r.passages, r.origins) for r in results]).encode()
    ).hexdigest()


# --- claims of science -----------------------------------------------------------------------------------------------


def rankings(bench: Workbench, claims: Mapping[str, str]) -> dict[str, Ranked]:
    """What each search of each claim's plan finds, one passage a document: the plans are run side by side."""
    planned = []
    for name, text in claims.items():
        words = ranking.terms(text)
        queries = planning.default_queries(
            Hypothesis("H1", text), [], words=words, frequency=bench.store.words.document_frequency(words)
        )
        planned += [(name, query) for query in queries]
    results = bench.search.search_many([query.text for _, query in planned], k=PASSAGES, per_document=1)
    lists: dict[str, Ranked] = defaultdict(list)
    for (name, query), result in zip(planned, results, strict=True):
        lists[name].append((query.role, tuple(p.chunk for p in result.passages)))
    return lists


def recall(chunks: Collection[int], stem: Callable[[int], str], wanted: Mapping[str, int]) -> float:
    return len({stem(chunk) for chunk in chunks} & set(wanted)) / len(wanted)


def claims(folder: Path, engines: launch.Engines, limit: int, documents_most: int) -> list[str]:
    documents, queries, grades, _ = load(folder, "scifact")
    chosen = [query for query in queries if grades.get(query)][:limit]
    abstracts = {name for query in chosen for name in grades[query]}
    abstracts |= set([name for name in documents if name not in abstracts][: max(0, documents_most - len(abstracts))])
    with tempfile.TemporaryDirectory() as place, Workbench.create(Path(place) / "claims.disconfirm", engines) as bench:
        build(bench, {name: documents[name] for name in documents if name in abstracts}, Path(place) / "inbox")
        print(f"Claims: {len(chosen)}, {len(abstracts)} abstracts, {bench.store.counts()['chunks']} passages")
        ranked = rankings(bench, {query: queries[query] for query in chosen})
        names = bench.store.pages.chunks(sorted({c for lists in ranked.values() for _, ids in lists for c in ids}))
        stems = {chunk: Path(document.name).stem for chunk, document in names.items()}
    return weigh({query: ranked[query] for query in chosen}, grades, stems.__getitem__)


def weigh(
    ranked: Mapping[str, Ranked], grades: Mapping[str, Mapping[str, int]], stem: Callable[[int], str]
) -> list[str]:
    roles = [role for role in planning.FOR + planning.AGAINST if any(role == r for r, _ in next(iter(ranked.values())))]

    def plan(lists: Ranked, without: str = "") -> list[int]:
        return [hit.chunk for hit in planning.merge([(r, ids) for r, ids in lists if r != without], PASSAGES)]

    ways: dict[str, Callable[[Ranked], Sequence[int]]] = {
        "plain statement": lambda lists: next(ids for role, ids in lists if role == "statement"),
        "plan": plan,
    }
    ways |= {f"plan without “{role}”": (lambda lists, role=role: plan(lists, role)) for role in roles}  # type: ignore[misc]
    print(f"  {'':26} recall@10 fit  held   recall@{PASSAGES} fit  held")
    held_out: dict[str, float] = {}
    for way, find in ways.items():
        figures = []
        for limit in (10, PASSAGES):
            for half in (0, 1):
                queries = list(ranked)[half::2]
                figures.append(sum(recall(find(ranked[q])[:limit], stem, grades[q]) for q in queries) / len(queries))
        held_out[way] = figures[-1]
        print(f"  {way:26} {figures[0]:13.3f} {figures[1]:5.3f} {figures[2]:15.3f} {figures[3]:5.3f}")
    if held_out["plan"] < held_out["plain statement"]:
        return [
            f"The plan finds less than the plain statement: {held_out['plan']:.4f} of {held_out['plain statement']:.4f}"
        ]
    return []


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?", default=Path("../shared/data/retrieval"))
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--claims", type=int, default=100, help="0 leaves the claims out")
    parser.add_argument("--documents", type=int, default=6_000)
    parser.add_argument("--judge", action="store_true")
    options = parser.parse_args()
    engines = launch.build_engines(settings.load())
    used = engines
    if options.keep and engines.embedder is not None:
        used = replace(engines, embedder=Keeping(engines.embedder, options.keep))
    try:
        faults = sample(used, judge=options.judge)
        if options.claims and options.folder.is_dir():
            faults += claims(options.folder, used, options.claims, options.documents)
    finally:
        launch.close(engines)
    print("\n".join(faults) or "The plans find what they should.")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
