"""Names of documents where their words are shown."""

from __future__ import annotations


class Titled:
    """A value with the name of a document's file and with its title."""

    __slots__ = ()
    name: str
    title: str

    @property
    def label(self) -> str:
        """The title with the file's name, 'Ferry sinks (0.txt)'; the name alone where the title says no more."""
        says_more = self.title not in ("", self.name, self.name.rpartition(".")[0])
        return f"{self.title} ({self.name})" if says_more else self.name
