"""CPU time a frame of the matrix grid while it scrolls, while the cursor moves, and while cells are rated; then the
same scrolling in a stock table view over a Python model, in the same run.

    python -m tests.bench.grid [--frames N] [--case]

Builds sheets of 500 x 10 and 5,000 x 30 with invented ratings, paints each frame into the window's own store, and
prints mean, median and worst CPU milliseconds. Targets: mean at most 4 ms, worst at most 16 ms; keystroke to paint
under 16 ms; a sort under 100 ms. A jump is cold: every text in it is broken into lines for the first time. With
``--case`` it also makes a case of 5,000 x 30 on disk and opens its matrix: under 1 s until the grid is painted.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QTableView, QWidget

from core.domain import RATINGS, Evidence, Hypothesis, Matrix, MatrixRow
from gui_app.matrix.grid import MatrixGrid, Standing
from gui_app.matrix.grid_model import (
    DISPUTED,
    NOTE,
    SORTS,
    SUGGESTED,
    UNSURE,
    Filter,
    Sheet,
    figure_of,
    grid_row,
    is_decided,
    rating_of,
    visible_rows,
)
from gui_app.shared import theme
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
WIDE, HIGH = 1920, 1080


def made_sheet(count: int, wide: int, rng: random.Random) -> Sheet:
    """A sheet with invented texts, ratings, marks and clusters."""
    rows = []
    for n in range(1, count + 1):
        text = " ".join(rng.choice(WORDS) for _ in range(rng.randint(8, 60)))
        item = Evidence(
            f"E{n}",
            text,
            f"report_{n % 40}.pdf",
            "corpus",
            rng.choice(("L", "M", "H", None)),
            None,
            page=n % 9 + 1,
            quote=text,
            date=f"20{n % 20 + 10}-0{n % 9 + 1}-11",
            reliability=rng.choice(("A", "B", "F", "")),
            information=rng.choice(("1", "2", "6", "")),
        )
        rows.append(grid_row(item))
    hypotheses = [Hypothesis(f"H{n}", "The account of the vendor was used at night") for n in range(1, wide + 1)]
    codes = bytes(rng.choice((0, *range(1, 2 * SUGGESTED + 1))) for _ in range(count * wide))
    sheet = Sheet(rows, hypotheses, codes, who="Bench")
    for place in range(0, count * wide, 11):
        sheet.marks[place] = rng.choice((NOTE, UNSURE, DISPUTED, NOTE | DISPUTED))
    scored = tuple(
        MatrixRow(
            row.id,
            {},
            diagnosticity=rng.random() * 2,
            flags=("uniform",) if n % 7 == 0 else (),
            cluster=f"E{n // 50 * 50 + 1}" if n % 50 < 3 else "",
        )
        for n, row in enumerate(rows)
    )
    sheet.score(Matrix((), scored, {}, {}, {}))
    return sheet


def timed(label: str, frames: int, step: Callable[[int], object], view: QWidget) -> float:
    """CPU of ``frames`` frames: the change, and the painting of the whole viewport that follows it. Gives the mean."""
    spent = []
    for frame in range(frames):
        began = time.process_time()
        step(frame)
        view.repaint()
        spent.append((time.process_time() - began) * 1000)
    ordered = sorted(spent)
    p99 = ordered[int(len(spent) * 0.99) - 1]
    print(
        f"  {label:<34} mean {statistics.fmean(spent):6.2f}  median {statistics.median(spent):6.2f}  "
        f"p99 {p99:6.2f}  worst {max(spent):6.2f} ms CPU a frame"
    )
    return statistics.fmean(spent)


class StockModel(QAbstractTableModel):
    """The same sheet for a stock table view: text, colours and alignment role by role."""

    def __init__(self, sheet: Sheet) -> None:
        super().__init__()
        self.sheet = sheet

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.sheet.rows)

    def columnCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else self.sheet.width + 2

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row, column = index.row(), index.column() - 1
        roles = Qt.ItemDataRole
        if 0 <= column < self.sheet.width:
            code = self.sheet.codes[row * self.sheet.width + column]
            rating = rating_of(code)
            if role == roles.DisplayRole:
                return rating or ""
            if role == roles.BackgroundRole and rating is not None and is_decided(code):
                return theme.tint(theme.rating_label(rating))
            if role == roles.ForegroundRole and rating is not None:
                return theme.tone(theme.rating_label(rating))
            return int(Qt.AlignmentFlag.AlignCenter) if role == roles.TextAlignmentRole else None
        if role == roles.DisplayRole:
            return self.sheet.rows[row].text if column < 0 else figure_of(self.sheet.diagnosticity(row))
        return QColor(theme.tokens().text) if role == roles.ForegroundRole else None


def stock(sheet: Sheet, frames: int, line: int) -> float:
    """The mean CPU of a frame of a stock table view of the same size, with as many rows in sight."""
    view = QTableView()
    view.setModel(StockModel(sheet))
    view.verticalHeader().hide()
    view.verticalHeader().setDefaultSectionSize(line)
    view.horizontalHeader().setDefaultSectionSize(64)
    view.setColumnWidth(0, 300)
    view.setVerticalScrollMode(QTableView.ScrollMode.ScrollPerPixel)
    view.resize(WIDE, HIGH)
    view.show()
    QApplication.processEvents()
    bar = view.verticalScrollBar()
    mean = timed(
        "stock table view, the same wheel step",
        frames,
        lambda frame: bar.setValue(frame * 52 % bar.maximum()),
        view.viewport(),
    )
    view.close()
    return mean


def bench_grid(count: int, wide: int, frames: int) -> None:
    """One size: every kind of frame, sorting, filtering, and the stock view beside it."""
    sheet = made_sheet(count, wide, random.Random(7))
    standings = [Standing("1=", "3.41")] * wide
    grid = MatrixGrid()
    grid.resize(WIDE, HIGH)
    grid.show()
    QApplication.processEvents()
    began = time.process_time()
    grid.show_sheet(sheet, list(range(count)), standings)
    grid.viewport().repaint()
    print(f"{count:,} x {wide}, viewport {grid.viewport().width()} x {grid.viewport().height()}:")
    print(f"  first showing                      {(time.process_time() - began) * 1000:6.1f} ms CPU")
    bar, side, view = grid.verticalScrollBar(), grid.horizontalScrollBar(), grid.viewport()
    own_seconds = timed("scroll by a wheel step", frames, lambda frame: bar.setValue(frame * 52 % bar.maximum()), view)
    timed("scroll by 7 pixels", frames, lambda frame: bar.setValue(frame * 7 % bar.maximum()), view)
    timed("jump a screen (cold)", min(frames, 100), lambda frame: bar.setValue(frame * 1040 % bar.maximum()), view)
    if side.maximum():
        timed("scroll sideways", frames, lambda frame: side.setValue(frame * 23 % side.maximum()), view)
    bar.setValue(0)
    timed("cursor down", frames, lambda _at: QTest.keyClick(grid, Qt.Key.Key_Down), view)
    grid.go_to("E1", "H1")
    keys = (Qt.Key.Key_1, Qt.Key.Key_4)
    timed("keystroke to painted (rate)", frames, lambda frame: QTest.keyClick(grid, keys[frame % 2]), view)
    grid.select_cells(0, grid.column_of("H1"), count - 1, grid.column_of(f"H{wide}"))
    bar.setValue(0)
    timed("keystroke, every cell selected", min(frames, 50), lambda _at: QTest.keyClick(grid, Qt.Key.Key_C), view)
    QTest.keyClick(grid, Qt.Key.Key_Escape)
    slowest = ("", 0.0)
    for sort in (*SORTS, "h:H2"):
        began = time.process_time()
        grid.show_sheet(sheet, visible_rows(sheet, sort=sort, reverse=True), standings)
        grid.viewport().repaint()
        slowest = max(slowest, (sort, (time.process_time() - began) * 1000), key=lambda pair: pair[1])
    print(f"  sort, show, paint: slowest is '{slowest[0]}' {slowest[1]:.1f} ms CPU")
    began = time.process_time()
    grid.show_sheet(sheet, visible_rows(sheet, conditions=Filter("vendor night", flags=("unrated", "note"))), standings)
    grid.viewport().repaint()
    print(f"  filter, show, paint                {(time.process_time() - began) * 1000:6.1f} ms CPU")
    grid.close()
    mean = stock(sheet, min(frames, 60), 52)
    print(f"  a frame of the stock table view costs {mean / own_seconds:.1f} times as much")


def case(folder: Path) -> None:
    """Make a case of 5,000 x 30 and open its matrix."""
    from core.ports import Engines
    from core.workbench import Workbench
    from gui_app.matrix.screen import MatrixScreen
    from gui_app.session import CaseSession
    from tests.fakes import PlainReader

    rng = random.Random(3)
    engines = Engines(reader=PlainReader())
    path = folder / "large.disconfirm"
    with Workbench.create(path, engines, title="Large", who="Bench") as bench:
        hypotheses = [bench.hypotheses.add(f"The account of vendor {n} was used at night").id for n in range(30)]
        ids = [
            bench.evidence.add(" ".join(rng.choice(WORDS) for _ in range(30)), f"report_{n % 40}.pdf").id
            for n in range(5_000)
        ]
        bench.evidence.rate_many([(e, h, rng.choice(RATINGS)) for e in ids for h in hypotheses])
    session = CaseSession(engines, who="Bench")
    assert session.open(path)
    screen = MatrixScreen(session)
    screen.resize(WIDE, HIGH)
    began, cpu = time.perf_counter(), time.process_time()
    screen.show()
    QApplication.processEvents()
    screen.grid.viewport().repaint()
    assert len(screen.grid.order) == 5_000
    print(
        f"opening the matrix of a case of 5,000 x 30: {time.perf_counter() - began:.2f} s until the grid is painted "
        f"({time.process_time() - cpu:.2f} s CPU)"
    )
    while not screen.grid.standings[0].rank:
        QApplication.processEvents()
        time.sleep(0.005)
    print(f"  ranks in the header after {time.perf_counter() - began:.2f} s")
    screen.close()
    session.shutdown()


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--frames", type=int, default=300)
    arguments.add_argument("--case", action="store_true", help="also open a large case")
    options = arguments.parse_args()
    app = QApplication([])
    theme.apply(app, "light")
    print(describe())
    for count, wide in ((500, 10), (5_000, 30)):
        bench_grid(count, wide, options.frames)
    if options.case:
        with tempfile.TemporaryDirectory() as folder:
            case(Path(folder))


if __name__ == "__main__":
    main()
