"""The proof page: every path the program uses, what its engines are kept from, and that no connection is open now."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QGridLayout, QScrollArea, QVBoxLayout, QWidget

from core import paths, settings
from core.domain import Changes
from core.runtime import launch
from gui_app.session import CaseSession
from gui_app.shared.formatting import file_size
from gui_app.shared.header import Header
from gui_app.shared.labels import line, plain
from gui_app.shared.layout import vbox
from gui_app.shared.screen import Screen
from gui_app.tasks import Task


@dataclass(frozen=True, slots=True)
class UsedPath:
    """A path the program reads or writes, with what it is for."""

    what: str
    path: Path
    writes: bool

    @property
    def state(self) -> str:
        """Return whether it is there, and how large it is."""
        try:
            if self.path.is_dir():
                return "folder"
            return file_size(self.path.stat().st_size)
        except OSError:
            return "missing"


def used_paths(case: Path | None) -> list[UsedPath]:
    """List everything the window and its engines read or write, besides the files a person adds."""
    current = settings.load()
    rows = []
    if case is not None:
        from core.workbench import backups  # loaded with the case

        rows.append(UsedPath("This case", case, True))
        beside, own_folder = backups.folders(case)
        rows.append(UsedPath("Its backups", beside, True))
        rows.append(UsedPath("Its backups, if that folder cannot be written", own_folder, True))
    rows.append(UsedPath("Model for search by meaning", current.embedder_folder, False))
    rows.append(UsedPath("Judging model", launch.judge_file(current) or paths.reader(), False))
    for what, path in (
        ("Second reader", current.second_reader),
        ("Model that writes drafts", current.text_model),
        ("Model that ranks passages", current.reranker),
        ("Model that suggests names", current.names_model),
    ):
        if path:
            rows.append(UsedPath(what, Path(path), False))
    data = paths.user_data()
    rows += [
        UsedPath("Settings", data / "settings.json", True),
        UsedPath("Added language models", data / "added-models", True),
        UsedPath("Their list, speeds and exams", data / "models.json", True),
        UsedPath("Recent cases", data / "recent.json", True),
        UsedPath("Typed text not saved yet, encrypted if its case is", data / "typed", True),
        UsedPath("Size and place of the window", data / "window.ini", True),
        UsedPath("Log (no text from documents)", data / "disconfirm.log", True),
        UsedPath("Icons, fonts, report template", paths.RESOURCES, False),
    ]
    return rows


def open_connections() -> int | None:
    """Network sockets (IPv4 and IPv6) of this process and its children, read from /proc; None if that is unknown."""
    if not sys.platform.startswith("linux"):
        return None
    inodes: set[str] = set()
    for table in ("tcp", "tcp6", "udp", "udp6", "raw", "raw6"):
        try:
            rows = Path("/proc/self/net", table).read_text("ascii").splitlines()[1:]
        except OSError:
            continue
        inodes |= {row.split()[9] for row in rows if len(row.split()) > 9}
    return sum(1 for process in _family(os.getpid()) for inode in _sockets(process) if inode in inodes)


def _family(root: int) -> list[int]:
    """List this process and everything it started."""
    children: dict[int, list[int]] = {}
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            fields = (folder / "stat").read_text("utf-8", "replace").rpartition(")")[2].split()
        except OSError:
            continue
        children.setdefault(int(fields[1]), []).append(int(folder.name))
    processes = [root]
    for process in processes:
        processes.extend(children.get(process, []))
    return processes


def _sockets(process: int) -> list[str]:
    inodes = []
    try:
        for handle in Path(f"/proc/{process}/fd").iterdir():
            target = str(handle.readlink())
            if target.startswith("socket:["):
                inodes.append(target[8:-1])
    except OSError:
        return inodes
    return inodes


class OfflineScreen(Screen):
    """A list of paths that can be copied, and a count of connections that ought to be none."""

    name = "Offline"
    icon = "offline"
    concerns = Changes()
    needs_case = False

    def __init__(self, session: CaseSession, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        column = vbox(self, spacing=0)
        self.header = Header("Offline")
        self.header.count.setText("Nothing leaves this computer")
        words = "Start every engine and ask what it cannot do"
        self.header.add(self.command("Check engines", None, self._ask, tip=words))
        self.header.add(self.command("Refresh", "F5", self.refresh))
        self.header.add(self.command("Copy the list", "Ctrl+Shift+C", self._copy))
        column.addWidget(self.header)
        column.addWidget(line())
        self._scroll = QScrollArea()
        self._scroll.setWidgetResizable(True)
        self._scroll.setStyleSheet("QScrollArea { background: transparent; border: none; }")
        self._scroll.setAccessibleName("Paths the program uses")
        column.addWidget(self._scroll, 1)
        self._text = ""
        self._states: dict[str, launch.EngineState] = {}
        session.opened.connect(self._opened)

    def refresh(self) -> None:
        """Read the paths and count the connections again."""
        bench = self.session.workbench
        used_files = used_paths(bench.path if bench is not None else None)
        inside = QWidget()
        column = vbox(inside, margins=(24, 16, 24, 24), spacing=16)
        number = open_connections()
        if number is None:
            sentence = "This system does not tell programs which connections are open."
        elif number == 0:
            sentence = "Open network connections of this program and its engines: 0, counted just now."
        else:
            sentence = f"Open network connections of this program and its engines: {number}. There should be none."
        self.connections = plain(sentence, "heading", wrap=True)
        column.addWidget(self.connections)
        column.addWidget(
            plain(
                "The program has no code that opens a connection. These are all the files and folders it uses; "
                "originals you add are read once and stored in the case.",
                "muted",
                wrap=True,
            )
        )
        grid = QGridLayout()
        grid.setHorizontalSpacing(24)
        grid.setVerticalSpacing(12)
        grid.setColumnMinimumWidth(0, 184)
        grid.setColumnStretch(1, 1)
        states = [row.state for row in used_files]  # asked of the disk once
        for index, (row, state) in enumerate(zip(used_files, states, strict=True)):
            top = Qt.AlignmentFlag.AlignTop
            grid.addWidget(plain(row.what, "muted"), index, 0, top)
            grid.addWidget(plain(str(row.path), "", wrap=True, selectable=True), index, 1)
            grid.addWidget(plain(state, "muted"), index, 2, top | Qt.AlignmentFlag.AlignRight)
            grid.addWidget(plain("read and written" if row.writes else "read", "muted"), index, 3, top)
        column.addLayout(grid)
        engines = self._engines(column)
        column.addStretch(1)
        self._scroll.setWidget(inside)
        rows = [f"{row.what}: {row.path} ({state})" for row, state in zip(used_files, states, strict=True)]
        self._text = "\n".join([sentence, *rows, *engines])

    def _engines(self, column: QVBoxLayout) -> list[str]:
        """Add a line for each engine on what it cannot do; return the same lines as text."""
        column.addWidget(plain("What each engine cannot do", "heading"))
        words = (
            "Documents are read, pages drawn and models run in separate processes. Where the operating system can, it "
            "denies them whatever they do not need, so that a hostile file that takes one over finds nothing "
            "to steal and nowhere to send it. Each reports what is in force when it starts."
        )
        column.addWidget(plain(words, "muted", wrap=True))
        grid = QGridLayout()
        grid.setHorizontalSpacing(24)
        grid.setVerticalSpacing(12)
        grid.setColumnMinimumWidth(0, 184)
        grid.setColumnStretch(1, 1)
        lines = []
        top = Qt.AlignmentFlag.AlignTop
        for row, state in enumerate(launch.engine_states(self.session.engines)):
            name = state.purpose.capitalize()
            restrictions, detail = self._restrictions_of(state)
            grid.addWidget(plain(name, "muted"), row, 0, top)
            cell = vbox(spacing=0)
            cell.addWidget(plain(restrictions, wrap=True, selectable=True))
            if detail:
                cell.addWidget(plain(detail, "small", wrap=True, selectable=True))
            grid.addLayout(cell, row, 1)
            lines.append(f"{name}: {restrictions}{f' ({detail})' if detail else ''}")
        column.addLayout(grid)
        return lines

    def _restrictions_of(self, state: launch.EngineState) -> tuple[str, str]:
        if not state.here:
            return "Not on this computer", ""
        if state.sandbox is None:
            answer = self._states.get(state.name)
            if answer is not None and answer.problem:
                return "Did not start", answer.problem
            return "Not started yet; it starts when it is first needed", ""
        cannot = state.sandbox.cannot
        if not cannot:
            return "No restrictions: it runs with your rights", state.sandbox.detail
        return "Cannot {}".format("; ".join(cannot)), state.sandbox.detail

    def _ask(self) -> None:
        engines = self.session.engines

        def over(task: Task) -> None:
            if task.state == "done":
                self._states = {state.name: state for state in task.result}
            self.refresh()

        self.session.tasks.start("Checking the engines", lambda _: launch.engine_states(engines, start=True), over)

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._text)
        self.session.tell("Copied")

    def _opened(self) -> None:
        self._dirty = True
