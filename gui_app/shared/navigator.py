"""What a screen may ask of the window around it. The shell fulfils it; no screen knows more of the window than this."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol


class Navigator(Protocol):
    """The window as its screens see it: ways to other screens, and the commands that belong to no screen."""

    def go(self, name: str, part: str | None = None) -> None:
        """Show a screen, or a part of it; where the person was stays reachable by Alt+Left."""

    def open_source(self, document: str, page: int, start: int, end: int) -> None:
        """Show a page with its quote (start == end: no quote)."""

    def search_for(self, text: str) -> None:
        """Search for what a person typed."""

    def search_words(self, text: str) -> None:
        """Search for words of a document, as they are there."""

    def begin_hypothesis(self, text: str) -> None:
        """Put words into the field of a new hypothesis."""

    def consider(self, paths: list[Path]) -> None:
        """Look at files before they are added to the case."""

    def describe_documents(self) -> None:
        """Put the cursor into the fields that describe the documents on show in the details."""

    def open_case(self) -> None:
        """Ask for a case and open it."""

    def open_sample(self) -> None:
        """Open the sample case."""

    def restore_backup(self, case: Path | None = None) -> None:
        """Show the backups of a case; None: of the one that is meant."""

    def show_handbook(self, page: str) -> None:
        """Show a page of the handbook."""
