"""Take the pictures in resources/screenshots: every screen with the sample case, light and dark.

The matrix with its analysis also in high contrast, on a copy of the case that a second analyst has rated; documents
beside each other, hidden text, versions compared, and files that could not be read; the dialogs for a passphrase, and
what the window shows of a damaged case.

    .venv/bin/python packaging/screenshots.py CASE [FOLDER] [--only viewer documents ...]
    .venv/bin/python packaging/screenshots.py CASE --handbook [--only matrix ...]

CASE is a built sample case (`disconfirm demo`); FOLDER defaults to resources/screenshots. --only takes the pictures
whose names begin with these words. --handbook takes those of the handbook, smaller and of fewer colours, on a copy of
the case: NAME.png and NAME-dark.png in resources/handbook/pictures. Works without a display.
"""

from __future__ import annotations

import argparse
import dataclasses
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PIL import Image
from PySide6.QtWidgets import QLabel

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from core import paths, settings  # noqa: E402
from core.domain import Evidence, Rating  # noqa: E402
from core.passphrase import Passphrase  # noqa: E402
from core.ports import Engines  # noqa: E402
from core.workbench import Workbench  # noqa: E402
from gui_app.documents.screen import DocumentsScreen  # noqa: E402
from gui_app.matrix.analysis_panel import GROUP, RULES, SENSITIVITY, TIME  # noqa: E402
from gui_app.matrix.screen import MatrixScreen  # noqa: E402
from gui_app.review.screen import ReviewScreen  # noqa: E402
from gui_app.search.screen import SearchScreen  # noqa: E402
from gui_app.shared.labels import ElidedLabel  # noqa: E402
from gui_app.shared.screen import Screen  # noqa: E402

HANDBOOK_COLOURS, HANDBOOK_BYTES = (40, 32, 26, 20), 64_000  # the first with which a picture is small enough
QUESTION = "The internet connection of the water works was cut"
# What is audited for the picture: true sentences beside one with another figure, and one that nobody says.
AUDIT_TEXT = """# What happened at Weir Lane

Dosing pump 2 stopped at 02:41 on 13 March 2025. The replacement relay proved faulty at 61 degrees. The power supply
of the water works was steady and unbroken for the whole night. The mayor was informed at midnight.

"I pressed start three times and the relay only clicked and let go again," the operator said.
"""


def main() -> int:
    """Take the pictures that the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("case", type=Path)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--size")
    parser.add_argument("--only", nargs="+", default=())
    parser.add_argument("--handbook", action="store_true")
    options = parser.parse_args()
    width, height = map(int, (options.size or ("1100x700" if options.handbook else "1440x900")).split("x"))
    pictures = ROOT / "resources" / ("handbook/pictures" if options.handbook else "screenshots")
    options.folder = options.folder or pictures
    options.folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="disconfirm-") as home:
        # A user folder of its own, so that neither recent cases nor settings of the person get into a picture, nor
        # where the models lie.
        models = Path(home) / "models"
        models.symlink_to(paths.models(), target_is_directory=True)
        os.environ["DISCONFIRM_HOME"], os.environ["DISCONFIRM_MODELS"] = home, str(models)
        from gui_app import app

        settings.save(dataclasses.replace(settings.load(), theme="light", analyst="Sample analyst"))
        running = app.start([])
        window = running.window
        window.resize(width, height)

        def wait(seconds: float) -> None:
            until = time.monotonic() + seconds
            while time.monotonic() < until:
                running.app.processEvents()
                time.sleep(0.01)

        def wanted(name: str) -> bool:
            return not options.only or any(name.startswith(word) for word in options.only)

        def grab(name: str, theme: str, part: Any = window) -> None:
            if wanted(name):
                file = options.folder / (
                    f"{name}.png" if options.handbook and theme == "light" else f"{name}-{theme}.png"
                )
                part.grab().save(str(file))
                for colours in HANDBOOK_COLOURS if options.handbook else (256,):
                    reduce_colours(file, colours)  # a third of the size, and nobody sees it
                    if file.stat().st_size <= HANDBOOK_BYTES:
                        break

        if options.handbook:
            handbook(running, window, options.case, Path(home), wait, wanted, grab)
            window.close()
            return 0
        for theme in ("dark", "light"):  # before a case is open: its place on this computer is nobody's business
            window.commands.set_theme(theme)
            wait(1)
            grab("start", theme)
            if wanted("models"):
                window.go("Models")
                wait(2)
                hide_folders(window)
                grab("models", theme)
                window.go("Start")
        if wanted("passphrase") or wanted("recovery"):
            trust(running, window, options.case, Path(home), wait, grab)
        running.session.open(options.case.resolve())
        wait(2)
        bench = running.session.workbench
        if bench is None:
            print(f"The case {options.case} could not be opened.", file=sys.stderr)
            return 1
        evidence = quoted_in_pdf(bench)
        for theme in ("light", "dark"):
            window.commands.set_theme(theme)
            wait(0.5)
            for name in ("Documents", "Hypotheses", "Search", "Review", "Matrix", "Viewer", "Report"):
                if not wanted(name.lower()):
                    continue
                window.go(name)
                wait(0.5)
                if name == "Viewer":
                    window.open_source(evidence.document, evidence.page, evidence.start, evidence.end)
                    wait(4)
                elif name == "Search":
                    window.search_for("control system at night")
                    wait(12 if theme == "light" else 2)  # the first search starts the search model
                    window.search_for("Who could reach the control system at night?")
                    wait(3)
                    grab_search(window.current(), lambda view, theme=theme: grab(f"search-{view}", theme), wait)
                elif name == "Review":
                    wait(2.5)
                    grab_review(window.current(), lambda view, theme=theme: grab(f"review-{view}", theme), wait)
                else:
                    wait(2.5)
                grab(name.lower(), theme)
        ids = {document.name: document.id for document in bench.documents.all()}
        for theme in ("light", "dark"):
            window.commands.set_theme(theme)
            if wanted("viewer"):
                beside(window, ids, wait, lambda name, theme=theme: grab(name, theme), evidence)
            if wanted("documents"):
                window.go("Documents")
                screen = window.current()
                assert isinstance(screen, DocumentsScreen)
                screen.comparison.show(ids["press-release-0930.pdf"], ids["press-release-1640.pdf"])
                while not screen.comparison.view.isVisible():
                    wait(0.5)
                wait(4)
                grab("documents-versions", theme)
                screen.comparison.leave()
        running.session.close_case()
        second_case = Path(home) / "shared.disconfirm"
        shutil.copyfile(options.case, second_case)
        rate_as_second_analyst(second_case, running.session.engines)
        running.session.open(second_case)
        wait(2)
        if wanted("documents"):
            unread = unreadable_files(Path(home) / "incoming")
            running.session.do(lambda bench: bench.documents.add([unread]))
            window.go("Documents")
            wait(2)
            screen = window.current()
            assert isinstance(screen, DocumentsScreen)
            for theme in ("light", "dark"):
                window.commands.set_theme(theme)
                screen.tabs.setCurrentIndex(2)
                screen.failed_list.select({screen.failed_list.model.rows[-1].id})  # the one with a password
                wait(1)
                grab("documents-failed", theme)
        if wanted("matrix"):
            analysis(running, window, wait, grab)
        if not wanted("ocr"):
            window.close()
            return 0
        running.session.run("Reading scans", lambda bench, progress: bench.ocr.read(None, progress))
        until = time.monotonic() + 300
        wait(2)
        while running.session.tasks.busy() and time.monotonic() < until:
            wait(0.5)
        for theme in ("light", "dark"):
            window.commands.set_theme(theme)
            window.go("OCR")
            wait(4)
            grab("ocr", theme)
        window.close()
        wait(0.5)
    return 0


def hide_folders(window: Any) -> None:
    """Leave out of the window where this checkout lies: it is nobody's business."""
    for label in window.findChildren(QLabel):
        if str(ROOT) in label.text():
            label.setText(label.text().replace(f"{ROOT}/", ""))


def reduce_colours(file: Path, colours: int) -> None:
    """Keep so many colours of a picture."""
    with Image.open(file) as picture:
        small = picture.convert("RGB").quantize(colours, dither=Image.Dither.NONE)
    small.save(file, optimize=True)


def handbook(
    running: Any,
    window: Any,
    case: Path,
    home: Path,
    wait: Callable[[float], None],
    wanted: Callable[[str], bool],
    grab: Callable[[str, str], None],
) -> None:
    """Take the pictures of the handbook, each in light and dark colours, on a copy of the case."""
    bench_tasks = running.session.tasks

    def settle(seconds: float = 1.5) -> None:
        wait(seconds)
        until = time.monotonic() + 300
        while bench_tasks.busy() and time.monotonic() < until:
            wait(0.2)
        wait(seconds)

    def both(name: str) -> None:
        for theme in ("dark", "light"):
            window.commands.set_theme(theme)
            wait(1)
            hide_folders(window)
            grab(name, theme)

    both("start")
    if wanted("models"):
        window.go("Models")
        settle()
        both("models")
        window.go("Start")
    copy = home / "sample.disconfirm"
    shutil.copyfile(case, copy)
    running.session.open(copy)
    settle()
    bench = running.session.workbench
    ids = {document.name: document.id for document in bench.documents.all()}
    evidence = quoted_in_pdf(bench)
    for name in ("Documents", "Hypotheses", "Search", "Review", "Matrix", "Viewer", "Report", "Accuracy"):
        if not wanted(name.lower()):
            continue
        window.go(name)
        if name == "Viewer":
            window.open_source(evidence.document, evidence.page, evidence.start, evidence.end)
            wait(4)
        elif name == "Search":
            window.search_for(QUESTION)
            settle(4)  # the first search starts the search model
            window.search_for(QUESTION + " ")
        settle(3)
        both(name.lower())
    if wanted("matrix-sensitivity"):
        window.go("Matrix")
        window.current().bar.analysis_button.click()
        window.current().analysis.show_tab(SENSITIVITY)
        settle()
        both("matrix-sensitivity")
        window.current().bar.analysis_button.click()
    if wanted("viewer-hidden"):
        window.open_source(ids["supplier-statement.pdf"], 1, 0, 0)
        window.screen_named("Viewer")._show_beside("both")
        settle(3)
        both("viewer-hidden")
        window.screen_named("Viewer")._show_beside("")
    if wanted("documents-versions"):
        window.go("Documents")
        window.current().comparison.show(ids["press-release-0930.pdf"], ids["press-release-1640.pdf"])
        settle(3)
        both("documents-versions")
        window.current().comparison.leave()
    if wanted("ask"):
        window.go("Ask")
        window.current().ask_for("When was the internet connection lost?")
        settle(3)
        both("ask")
    if wanted("conflicts"):
        window.go("Conflicts")
        window.current().look()
        settle(3)
        both("conflicts")
    if wanted("audit"):
        report = home / "What happened at Weir Lane.md"
        report.write_text(AUDIT_TEXT, "utf-8")
        window.go("Audit")
        window.current().audit(report)
        settle(3)
        both("audit")
    if wanted("ocr"):
        running.session.run("Reading scans", lambda bench, progress: bench.ocr.read(None, progress))
        settle(2)
        window.go("OCR")
        settle(2)
        both("ocr")


def grab_review(screen: Screen | None, grab: Callable[[str], None], wait: Callable[[float], None]) -> None:
    """Show a verdict whose explanation has something to mind, how far people and model agree, a proposal, a passage."""
    assert isinstance(screen, ReviewScreen)
    screen.show_passages(False)
    marked_rows = [index for index, row in enumerate(screen.queue.rows) if " Mind: " in row.explanation]
    screen._go_to(marked_rows[0] if marked_rows else 0)
    wait(2)
    bar = screen.card.verticalScrollBar()
    bar.setValue(bar.maximum())
    wait(1)
    grab("verdict")
    screen.show_agreement()
    wait(1)
    grab("agreement")
    screen._leave_agreement()
    screen._go_to(0)
    wait(2)
    grab("proposal")
    screen.show_passages(True)
    wait(2)


def grab_search(screen: Screen | None, grab: Callable[[str], None], wait: Callable[[float], None]) -> None:
    """Show the views of the search one by one, its operators, then the passages again."""
    assert isinstance(screen, SearchScreen)
    for view in ("groups", "themes", "timeline", "apart", "names"):
        screen.show_part(view)
        if view == "names":
            screen.views.names.suggest_action.trigger()
        wait(6 if view in ("themes", "apart") else 3)
        grab(view)
    screen.show_part("passages")
    query = screen.field.text()
    screen.search_for('login "control system" -telephone after:2025-03')
    wait(2)
    grab("conditions")
    screen.show_operators()
    wait(0.5)
    grab("operators")
    screen.operators.dismiss()
    screen.search_for(query)
    wait(2)


def analysis(running: Any, window: Any, wait: Callable[[float], None], grab: Callable[[str, str], None]) -> None:
    """Show the matrix with each page of its analysis, and what if."""
    window.go("Matrix")
    wait(2)
    matrix = window.current()
    assert isinstance(matrix, MatrixScreen)
    if not matrix.analysis.isVisible():
        matrix.bar.analysis_button.click()
    pins = running.session.workbench.matrix.compute().linchpins if running.session.workbench is not None else ()
    weighty = [pin.evidence for pin in pins if pin.change == "remove"][:1]
    for theme in ("light", "dark", "contrast"):
        window.commands.set_theme(theme)
        for tab, name in ((SENSITIVITY, "sensitivity"), (GROUP, "group"), (TIME, "time")):
            if name == "time" and theme != "light":
                continue
            matrix.analysis.show_tab(tab)
            wait(2.5)
            grab(f"matrix-{name}", theme)
        matrix.analysis.show_tab(RULES)
        matrix.what_if_strip.toggle()
        matrix.grid.set_aside.emit(weighty)
        wait(2)
        grab("matrix-what-if", theme)
        matrix.what_if_strip.toggle()
        wait(1)


def trust(
    running: Any,
    window: Any,
    case: Path,
    home: Path,
    wait: Callable[[float], None],
    grab: Callable[..., None],
) -> None:
    """Show the dialogs for a passphrase, and the page for a damaged case, on a copy that has a backup."""
    copy = home / "Weir Lane.disconfirm"
    shutil.copyfile(case, copy)
    running.session.open(copy)
    wait(2)

    def dialogs(name: str) -> None:
        for theme in ("light", "dark"):
            window.commands.set_theme(theme)
            dialog = running.app.activeModalWidget()
            for label in dialog.findChildren(ElidedLabel):
                if str(home) in label.text():  # where it lies is nobody's business
                    label.setText(copy.name)
            wait(0.5)
            grab(name, theme, dialog)
        running.app.activeModalWidget().reject()
        wait(0.5)

    window.commands.show_passphrase()
    dialogs("passphrase-set")
    running.session.backups.change_passphrase(Passphrase("four unrelated words here"), "keep")
    while running.session.tasks.busy():
        wait(0.5)
    wait(1)
    window.commands.show_passphrase()
    dialogs("passphrase-change")
    running.session.backups.make()
    while running.session.tasks.busy():
        wait(0.5)
    running.session.close_case()
    running.session.open(copy)
    wait(1)
    dialogs("passphrase-open")
    data = bytearray(copy.read_bytes())
    data[len(data) // 2 :] = bytes(len(data) - len(data) // 2)
    copy.write_bytes(data)
    running.session.open(copy)
    wait(1)
    dialog = running.app.activeModalWidget()
    dialog.field.setText("four unrelated words here")
    dialog.open_button.click()
    wait(4)
    for theme in ("light", "dark"):
        window.commands.set_theme(theme)
        wait(1)
        for label in window.current().findChildren(ElidedLabel):
            if str(home) in label.text():
                label.setText(copy.name)
        wait(0.5)
        grab("recovery", theme)
    window.go("Start")


def beside(
    window: Any,
    ids: dict[str, str],
    wait: Callable[[float], None],
    grab: Callable[[str], None],
    evidence: Evidence,
) -> None:
    """Show the viewer with two documents, the text beside its page, and hidden text in both readings."""
    viewer = window.screen_named("Viewer")
    window.open_source(ids["press-release-0930.pdf"], 1, 0, 0)
    viewer._show_beside("document")
    wait(1)
    viewer.beside.second.open(ids["press-release-1640.pdf"], 1, 0, 0)
    until = time.monotonic() + 60
    wait(4)
    while not viewer.beside.second.page_view.picture_scale() and time.monotonic() < until:
        wait(0.5)
    grab("viewer-two")
    window.open_source(evidence.document, evidence.page, evidence.start, evidence.end)
    viewer._show_beside("text")
    wait(4)
    grab("viewer-text")
    window.open_source(ids["supplier-statement.pdf"], 1, 0, 0)
    viewer._show_beside("both")
    wait(4)
    grab("viewer-hidden")
    viewer._show_beside("")


def unreadable_files(folder: Path) -> Path:
    """Make files as they come: one with a password, a damaged one, an empty one, one of a kind that is not read."""
    import pymupdf

    folder.mkdir()
    document = pymupdf.open()
    document.new_page().insert_text((72, 72), "The pump was repaired in the night.")
    document.save(folder / "repair-bill.pdf", encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="pump", owner_pw="pump")
    (folder / "camera-stills.pdf").write_bytes(b"%PDF-1.7\n" + bytes(range(256)) * 40)
    (folder / "minutes.txt").touch()
    (folder / "old-contract.doc").write_bytes(bytes.fromhex("d0cf11e0a1b11ae1") + bytes(4096))
    (folder / "alarm.mp3").write_bytes(b"ID3\x03\x00" + bytes(2000))
    return folder


def quoted_in_pdf(bench: Workbench) -> Evidence:
    """Return the first evidence that quotes a PDF, whose pages can be drawn."""
    pdfs = {document.id for document in bench.documents.all() if document.name.endswith(".pdf")}
    return next(item for item in bench.evidence.all() if item.document in pdfs)


def rate_as_second_analyst(case: Path, engines: Engines) -> None:
    """Rate as somebody who agrees in most cells, takes some a step milder, and says how likely each hypothesis is."""
    milder: dict[Rating, Rating] = {"II": "I", "I": "N", "CC": "C", "C": "N", "N": "C", "NA": "NA"}
    with Workbench.open(case, engines, who="Second analyst") as bench:
        first = bench.evidence.assessments()
        bench.evidence.rate_many(
            [(a.evidence, a.hypothesis, milder[a.rating] if n % 4 == 1 else a.rating) for n, a in enumerate(first)]
        )
        for hypothesis, value in zip(bench.hypotheses.all(), (0.6, 0.3, 0.3, 0.1), strict=False):
            bench.evidence.state_likelihood(hypothesis.id, value)


if __name__ == "__main__":
    raise SystemExit(main())
