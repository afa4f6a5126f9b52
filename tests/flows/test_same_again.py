"""The same case asked the same in another process gives the same bytes, whatever order its sets and dictionaries are
kept in."""

from __future__ import annotations

import pytest

from core.workbench import Workbench
from tests.core.store.material import clock
from tests.flows import three_processes

WORDS = ("pump", "valve", "vendor", "guard", "door", "river", "alarm", "seal", "night", "power")
ASK = """
import dataclasses, json, sys
from pathlib import Path
from core.ports import Engines
from core.workbench import Workbench
from tests.fakes import HashEmbedder, PlainReader, PlainWriter, ScriptedJudge

def told(value):
    if dataclasses.is_dataclass(value):
        # How long it took is no part of the answer.
        return {f.name: told(getattr(value, f.name)) for f in dataclasses.fields(value) if f.name != "seconds"}
    if isinstance(value, dict):
        return [[told(key), told(each)] for key, each in value.items()]
    if isinstance(value, (list, tuple)):
        return [told(each) for each in value]
    return value

engines = Engines(reader=PlainReader(), embedder=HashEmbedder(), judge=ScriptedJudge(), writer=PlainWriter())
with Workbench.open(Path(sys.argv[1]), engines, who="Ann") as bench:
    hits = bench.search.find('the pump stopped -zebra name:"Dana Reyes"', k=40)
    answers = [
        bench.search.search_many(["the pump stopped at night", "who was at the door", "vendor"], k=40),
        hits, bench.search.find("when:2024-03..2024-05"), bench.search.similar(hits.passages[0].chunk),
        bench.plans.get(), bench.plans.run(passages=12), bench.plans.discriminating(20),
        bench.search.themes("What happened?", least=2), bench.search.grouped(hits.passages),
        bench.entities.suggested(), bench.entities.co_occurrences(), bench.entities.counts(),
    bench.timeline.date_mentions(), bench.plans.elusion_sample("H1", 9),
        bench.review.propose(passages=8).proposals, bench.plans.effort(), bench.plans.discriminating(20),
    ]
sys.stdout.buffer.write(json.dumps(told(answers), ensure_ascii=False).encode("utf-8"))
"""


@pytest.fixture
def case(tmp_path, engines):
    inbox = tmp_path / "inbox"
    inbox.mkdir()
    for n in range(24):
        one, two, three = (WORDS[(n * step + step) % len(WORDS)] for step in (1, 3, 7))
        (inbox / f"note{n}.txt").write_text(
            f"On {n % 28 + 1} March 2024 Dana Reyes saw the {one} near the {two}. Tom Hale of Weir Lane denied it.\n\n"
            f"The {three} stopped at night, {'as' if n % 3 else 'though not as'} the {two} shows. {one} {two} {three}.",
            "utf-8",
        )
    (inbox / "again.txt").write_text((inbox / "note3.txt").read_text("utf-8") + " ", "utf-8")
    made = tmp_path / "case.disconfirm"
    with Workbench.create(made, engines, title="Pump", who="Ann", now=clock()) as bench:
        for text in ("The vendor stopped the pump.", "The power failed at night.", "Nobody was at the door."):
            bench.hypotheses.add(text)
        bench.documents.add([inbox])
        bench.entities.add("Dana Reyes", kind="person", aliases=["Reyes"])
        bench.entities.add("Tom Hale", kind="person")
        bench.plans.make()
    return made


def test_three_processes_give_the_same_bytes(case, tmp_path):
    answers = [told for _, told in three_processes.each(ASK, case, tmp_path)]
    assert len(answers[0]) > 50_000
    assert answers[0] == answers[1] == answers[2]
