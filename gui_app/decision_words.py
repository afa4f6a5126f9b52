"""What the decisions in the log of a case are called in menus and toasts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.case.decision_words import verb_in_words

if TYPE_CHECKING:
    from core.case.service import Undone

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
