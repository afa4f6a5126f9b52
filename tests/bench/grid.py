"""CPU time a frame of the matrix grid while it scrolls, while the cursor moves, and while cells are rated.

    python -m tests.bench.grid [--frames N]

Builds grids of 500 x 10 and 5,000 x 30 with invented ratings, paints each frame into the window's own store, and prints
mean, median and worst CPU milliseconds. Targets: mean at most 4 ms, worst at most 16 ms; a sort under 100 ms. The first
line of each scroll is cold: every text in it is broken into lines for the first time.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import time
from collections.abc import Callable

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from core.domain import RATINGS, Evidence, Hypothesis
from gui_app import look
from gui_app.models.grid import SUGGESTED, GridRow, arranged
from gui_app.widgets.matrix_grid import MatrixGrid, Standing
from tests.bench.machine import describe

WORDS = (
    "account",
    "badge",
    "denied",
    "invoice",
    "logged",
    "night",
    "office",
    "reader",
    "server",
    "the",
    "vendor",
    "was",
)


def rows(count: int, hypotheses: int, rng: random.Random) -> list[GridRow]:
    made = []
    for at in range(1, count + 1):
        text = " ".join(rng.choice(WORDS) for _ in range(rng.randint(8, 60)))
        cells = bytes(rng.choice((0, *range(1, 2 * SUGGESTED + 1))) for _ in range(hypotheses))
        item = Evidence(
            f"E{at}",
            text,
            f"report_{at % 40}.pdf",
            "corpus",
            rng.choice(("L", "M", "H", None)),
            None,
            page=at % 9 + 1,
            quote=text,
        )
        made.append(GridRow(item, text, f"report_{at % 40}.pdf, p. {at % 9 + 1}", cells, rng.random() * 2, at % 7 == 0))
    return made


def timed(label: str, frames: int, step: Callable[[int], object], grid: MatrixGrid) -> None:
    """CPU of ``frames`` frames: the change, and the painting of the whole viewport that follows it."""
    spent = []
    for at in range(frames):
        began = time.process_time()
        step(at)
        grid.viewport().repaint()
        spent.append((time.process_time() - began) * 1000)
    spent_sorted = sorted(spent)
    p99 = spent_sorted[int(len(spent) * 0.99) - 1]
    print(
        f"  {label:<34} mean {statistics.fmean(spent):6.2f}  median {statistics.median(spent):6.2f}  "
        f"p99 {p99:6.2f}  worst {max(spent):6.2f} ms CPU a frame"
    )


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--frames", type=int, default=300)
    frames = arguments.parse_args().frames
    app = QApplication([])
    look.apply(app, "light")
    print(describe())
    for count, wide in ((500, 10), (5_000, 30)):
        rng = random.Random(7)
        known = rows(count, wide, rng)
        hypotheses = [Hypothesis(f"H{at}", "The account of the vendor was used at night") for at in range(1, wide + 1)]
        grid = MatrixGrid()
        grid.resize(1920, 1080)
        grid.show()
        app.processEvents()
        grid.show_rows(known, hypotheses, [Standing("1=", "3.41")] * wide)
        grid.viewport().repaint()
        bar, side = grid.verticalScrollBar(), grid.horizontalScrollBar()
        print(f"{count:,} x {wide}, viewport {grid.viewport().width()} x {grid.viewport().height()}:")
        timed("scroll by a wheel step", frames, lambda at, bar=bar: bar.setValue(at * 52 % bar.maximum()), grid)
        timed("scroll by 7 pixels", frames, lambda at, bar=bar: bar.setValue(at * 7 % bar.maximum()), grid)
        timed(
            "jump a screen (all rows cold)",
            min(frames, 100),
            lambda at, bar=bar: bar.setValue(at * 1040 % bar.maximum()),
            grid,
        )
        if side.maximum():
            timed("scroll sideways", frames, lambda at, side=side: side.setValue(at * 23 % side.maximum()), grid)
        bar.setValue(0)
        timed("cursor down", frames, lambda at, grid=grid: QTest.keyClick(grid, Qt.Key.Key_Down), grid)
        grid.go_to("E1", "H1")
        timed(
            "keystroke to painted (rate)",
            frames,
            lambda at, grid=grid: QTest.keyClick(grid, Qt.Key.Key_1 if at % 2 else Qt.Key.Key_4),
            grid,
        )
        began = time.process_time()
        ordered = arranged(known, sort="diagnosticity", wanted="")
        grid.show_rows(ordered, hypotheses, [Standing("1=", "3.41")] * wide)
        grid.viewport().repaint()
        print(f"  sort, show and paint               {(time.process_time() - began) * 1000:6.1f} ms CPU")
        grid.close()
    assert len(RATINGS) == SUGGESTED


if __name__ == "__main__":
    main()
