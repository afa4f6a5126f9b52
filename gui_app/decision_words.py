"""What the decisions in the log of a case are called in menus and toasts."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from core.case.service import Undone

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
    "keep results": "kept results",
    "resolve": "decision on a conflict or finding",
    "remove results": "removal of a result",
    "build sample": "building of the sample case",
}


def verb_in_words(verb: str) -> str:
    """Name a logged decision for menus and toasts."""
    plain = verb.removeprefix("undo ")
    return f"{'undo ' * (plain != verb)}{_VERBS.get(plain, plain)}"


# The table whose rows a decision names, and how it is said of one row and of several.
_NAMED = {
    "rate": ("rating", "rating of {0}", "ratings of {0} cells"),
    "annotate": ("rating", "note on {0}", "notes on {0} cells"),
    "accept": ("proposal", "acceptance of {0}", "acceptance of {0} proposals"),
    "accept row": ("proposal", "acceptance of {0}", "acceptance of {0} proposals"),
    "reject": ("proposal", "rejection of {0}", "rejection of {0} proposals"),
    "edit hypothesis": ("hypothesis", "edit of {0}", "edit of {0} hypotheses"),
    "mark hypothesis": ("hypothesis", "kind of {0}", "kind of {0} hypotheses"),
    "state likelihood": ("likelihood", "likelihood of {0}", "likelihood of {0} hypotheses"),
    "grade": ("evidence", "grade of {0}", "grade of {0} rows"),
    "describe": ("evidence", "description of {0}", "description of {0} rows"),
}
_CAME_OR_WENT = {
    "add evidence": "evidence",
    "remove evidence": "evidence",
    "add hypothesis": "hypothesis",
    "remove hypothesis": "hypothesis",
}


def thing_in_words(decision: Undone) -> str:
    """Return what a decision taken back or done again was about: 'rating of E2 against H3', 'E3 is back'."""
    if table := _CAME_OR_WENT.get(decision.verb):
        keys = [key for table_of_row, key, became in decision.rows if table_of_row == table and became != "changed"]
        back = any(table_of_row == table and became == "there" for table_of_row, _key, became in decision.rows)
        if keys:
            subject = f"{keys[0]} is" if len(keys) == 1 else f"{len(keys)} rows are"
            return f"{subject} {'back' if back else 'removed again'}"
    table, singular, several = _NAMED.get(decision.verb, ("", "", ""))
    keys = [key for table_of_row, key, _became in decision.rows if table_of_row == table]
    if len(keys) == 1:
        first, *hypothesis = keys[0].split("/")
        return singular.format(f"{first} against {hypothesis[0]}" if table == "rating" else first)
    return several.format(len(keys)) if keys else verb_in_words(decision.verb)
