"""What a person calls the decisions in the log of a case: in menus, toasts and the report."""

from __future__ import annotations

# What the log calls a decision -> what a person would call it.
_VERBS = {
    "set included": "scope change",
    "include": "scope change",
    "accept": "accept proposal",
    "reject": "reject proposal",
    "grade": "grade evidence",
    "rate": "rate cell",
    "annotate": "note on a cell",
    "describe": "describe evidence",
    "suggest": "suggest rating",
    "state likelihood": "likelihood",
    "mark hypothesis": "kind of hypothesis",
    "set priors": "priors",
    "add consideration": "add note",
    "edit consideration": "edit note",
    "remove consideration": "remove note",
    "change settings": "case settings",
    "set title": "title of the case",
    "supersede": "newer version",
    "describe documents": "description of documents",
    "remove documents": "removal of documents",
    "restore documents": "restoring documents",
    "erase documents": "erasing of documents",
    "forget passwords": "forgetting of passwords",
    "discard import": "discarding the rest of an import",
    "rewrite file": "rewriting of the file",
    "check words": "words of scans",
    "refresh quote": "updating a quote",
    "read descriptions": "reading of titles and dates",
    "recognise languages": "recognised languages",
    "open without unsaved changes": "opened without unsaved changes",
    "leave text": "keeping a text as it is",
    "plan searches": "plan of the searches",
    "plan search": "planned search",
    "remove planned search": "removal of a planned search",
    "judge passage": "judgement of a passage",
    "accept row": "accept passage",
    "join rows": "joining of rows",
    "split row": "splitting of a row",
    "sign ratings": "name under the ratings",
    "suggest ratings": "suggested ratings",
    "name records": "naming of the records",
    "keep results": "saved answers, conflicts or audits",
    "resolve": "decision on a conflict or finding",
    "remove results": "removal of a result",
    "build sample": "building of the sample case",
}


def verb_in_words(verb: str) -> str:
    """Name a logged decision for menus and toasts."""
    plain = verb.removeprefix("undo ")
    return f"{'undo ' * (plain != verb)}{_VERBS.get(plain, plain)}"
