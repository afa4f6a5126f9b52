"""How fast the viewer shows a page: turning pages, zooming, jumping to a quote, turning to a page never seen.

    python -m tests.bench.viewer [FILE.pdf] [--turns 40]

Uses the real reader in its own process and the real window without a display. FILE defaults to a generated report of
60 pages. A time runs from the call to the moment when the picture at its final sharpness is painted; "first sight" is
the first painting with the highlight at its place. The picture of a page is compared with one drawn directly, and the
highlight with the boxes of its words, before anything is timed. There is no peer to compare with: viewers of other
programs have no such measure. The targets are a turn below 100 ms and a jump below 300 ms, both warm.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from tests.bench.machine import describe


def generated(path: Path) -> Path:
    """A report of 60 pages of text in two sizes."""
    import pymupdf

    document = pymupdf.open()
    for number in range(60):
        page = document.new_page()
        page.insert_text((60, 80), f"Chapter {number + 1}", fontsize=18)
        text = " ".join(
            f"In note {number * 70 + line} the guard wrote that van {line * 7} left the yard." for line in range(48)
        )
        page.insert_textbox((60, 100, 540, 790), text, fontsize=11, lineheight=1.3)
    document.save(path)
    return path


def print_times(label: str, times: list[float], target: float) -> None:
    times = sorted(times)
    p95 = times[min(len(times) - 1, int(len(times) * 0.95))]
    verdict = "ok" if statistics.median(times) < target else "TOO SLOW"
    print(
        f"{label:<44} {len(times):>4}  {statistics.median(times) * 1e3:>8.1f}  {p95 * 1e3:>8.1f}  "
        f"{times[-1] * 1e3:>8.1f}  {target * 1e3:>6.0f}  {verdict}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", nargs="?", type=Path)
    parser.add_argument("--turns", type=int, default=40)
    arguments = parser.parse_args()
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    scratch = Path(tempfile.mkdtemp(prefix="disconfirm-bench-"))
    os.environ["DISCONFIRM_HOME"] = str(scratch / "home")
    file = arguments.file or generated(scratch / "report.pdf")

    from PySide6.QtGui import QImage
    from PySide6.QtWidgets import QApplication

    from core.ports import Engines
    from core.workers.engines import ReaderClient
    from gui_app.session import CaseSession
    from gui_app.shared import theme
    from gui_app.shared.page_geometry import lines
    from gui_app.viewer.screen import ViewerScreen

    app = QApplication([])
    theme.apply(app, "light")
    engines = Engines(reader=ReaderClient(), viewer=ReaderClient())
    session = CaseSession(engines, who="Bench")
    session.create(scratch / "bench.disconfirm", title="Bench")
    bench = session.workbench
    assert bench is not None
    report = bench.documents.add([file])
    assert not report.problems, report.problems
    document = bench.documents.all()[0]
    screen = ViewerScreen(session)
    screen.resize(1440, 900)
    screen.show()
    view = screen.page_view

    def settled() -> bool:
        return view.picture_scale() == view.wanted_scale() and not view.missing_tiles()

    def until(done: Callable[[], bool], seconds: float = 20.0) -> None:
        end = time.perf_counter() + seconds
        while not done():
            app.processEvents()
            if time.perf_counter() > end:
                raise SystemExit("The picture did not come.")
            time.sleep(0.0005)

    def timed(action: Callable[[], object]) -> tuple[float, float]:
        """Seconds to the first painting, and to the painting at full sharpness."""
        began = time.perf_counter()
        action()
        view.viewport().repaint()
        first = time.perf_counter() - began
        until(settled)
        view.viewport().repaint()
        return first, time.perf_counter() - began

    def rest(seconds: float) -> None:
        end = time.perf_counter() + seconds
        while time.perf_counter() < end:
            app.processEvents()
            time.sleep(0.002)

    print(describe())
    size = f"{document.size / 1e6:.1f} MB"
    print(f"{document.name}: {document.pages} pages, {size}; window {screen.width()} x {screen.height()}")

    # What is shown is right: the picture is that of the page, the highlight that of the words.
    page = next(page for page in bench.documents.pages(document.id) if len(page.text) > 400)
    start, end = page.text.index(" ", 100) + 1, page.text.index(" ", 180)
    screen.open_source(document.id, page.number, start, end)
    until(settled)
    direct = QImage.fromData(bench.documents.picture(document.id, page.number, view.wanted_scale()).png)
    assert view.picture.image.size() == direct.size(), (view.picture.image.size(), direct.size())
    assert all(
        view.picture.image.pixel(x, y) == direct.pixel(x, y)
        for x in range(0, direct.width(), 29)
        for y in range(0, direct.height(), 31)
    )
    words = bench.documents.words(page.id).within(start, end)
    shape = lines(words)
    assert view.marks.shapes[view.marks.current or 0] == shape, "the highlight is not that of the words"

    print(f"{'':<44} {'n':>4}  {'median':>8}  {'p95':>8}  {'worst':>8}  {'target':>6}  (ms)")
    last = min(document.pages, arguments.turns + 2)
    screen.open_source(document.id, 1, 0, 0)
    until(settled)
    turns = []
    for _ in range(last - 2):
        rest(0.25)  # a person looks at a page; meanwhile its neighbours are fetched
        turns.append(timed(lambda: screen.turn(1))[1])
    print_times("turn to the next page, warm", turns, 0.1)

    screen.pictures.clear()
    screen.open_source(document.id, 1, 0, 0)
    until(settled)
    fast = [timed(lambda: screen.turn(1)) for _ in range(last - 2)]
    print_times("turn without a pause: first sight", [pair[0] for pair in fast], 0.1)
    print_times("turn without a pause: sharp", [pair[1] for pair in fast], 0.3)

    quotes = []
    for page in bench.documents.pages(document.id):
        if len(page.text) > 400 and len(quotes) < 30:
            quotes.append((page.number, page.text.index(" ", 100) + 1, page.text.index(" ", 180)))
    screen.pictures.clear()
    jumps = []
    for index in range(len(quotes)):
        number, start, end = quotes[(index * 7) % len(quotes)]
        jumps.append(timed(lambda n=number, s=start, e=end: screen.open_source(document.id, n, s, e)))
    print_times("jump to a quote, page never seen: first sight", [pair[0] for pair in jumps], 0.3)
    print_times("jump to a quote, page never seen: sharp", [pair[1] for pair in jumps], 0.3)
    near = quotes[:6]
    for number, start, end in near:
        timed(lambda n=number, s=start, e=end: screen.open_source(document.id, n, s, e))
    repeated = []
    for index in range(30):
        number, start, end = near[(index * 5) % len(near)]
        repeated.append(timed(lambda n=number, s=start, e=end: screen.open_source(document.id, n, s, e))[1])
    print_times("jump to a quote, page seen before", repeated, 0.3)

    screen.open_source(document.id, *quotes[0])
    until(settled)
    zooms = []
    for scale in (1.5, 2.0, 3.0, 4.5, 6.0, 4.0, 2.5, 1.2, 1.0) * 2:
        zooms.append(timed(lambda scale=scale: view.zoom_to(scale)))
    print_times("zoom: first sight", [pair[0] for pair in zooms], 0.1)
    print_times("zoom: all tiles sharp (120 ms of it waiting)", [pair[1] for pair in zooms], 0.5)
    screen.close()
    session.shutdown()


if __name__ == "__main__":
    main()
