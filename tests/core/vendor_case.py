"""A small case on a pump and its vendor, for the services that search."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from core.ports import Engines
from core.workbench import Workbench
from tests.core.store.material import clock

TEXTS = {
    "log.txt": "The control log says that the dosing pump stopped at 02:36. Ruben Aske was on duty at Weir Lane. ",
    "note1.txt": "The guard of Weir Lane saw nobody at the door. The door was locked.",
    "mail.txt": "Ruben Aske wrote that the vendor had been at the pump. Klara Bost of the vendor denied it.",
    "note2.txt": "The vendor was not on the list of visitors that night, says Klara Bost.",
    "report.txt": "The seal of the dosing pump was worn. It had not been maintained for two years.",
    "note3.txt": "The pump was maintained in March, according to the book of the works.",
    "weather.txt": "It rained all night. The river rose by a foot and fell again.",
    "note4.txt": "The road along the river was under water until the morning.",
}


@contextmanager
def opened(folder: Path, engines: Engines) -> Iterator[Workbench]:
    """The case, with three hypotheses and eight documents."""
    with Workbench.create(folder / "a.disconfirm", engines, title="Pump", who="Ann", now=clock()) as bench:
        for text in ("The vendor stopped the pump.", "The pump was not maintained.", "Nobody stopped the pump."):
            bench.hypotheses.add(text)
        for name, text in TEXTS.items():
            (folder / name).write_text(text, "utf-8")
        bench.documents.add([folder / name for name in TEXTS])
        yield bench
