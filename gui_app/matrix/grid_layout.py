"""Which columns the grid shows and how wide they are: plain arithmetic on pixels, without a widget."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from gui_app.matrix.grid_painter import Column, Kind
from gui_app.shared import theme

ARROW = 14  # pixels from the left edge that turn the arrow of copies
CHECK = 32  # pixels that the check boxes of a what-if take

# Columns that are only nice to have, in the order in which they are given up last to first, and the width in units of
# 8 pixels from which they are shown although the hypotheses have to be scrolled.
_ROOM_FOR: dict[Kind, int] = {"source": 90, "grade": 120, "date": 130}
_ROOM_FOR_EMPTY = 120  # units of room from which columns without any value are shown, to be filled in
LEAST, MOST = 40, 1_200  # pixels at the usual text size: how wide a person can make a column


def side_columns(
    room: int,
    hypotheses: int,
    *,
    hidden_kinds: Collection[str],
    pinned_kinds: Collection[str],
    empty_kinds: Collection[str] = (),
    widths: Mapping[str, int] | None = None,
) -> list[tuple[Kind, int]]:
    """List the columns between the evidence and the hypotheses, with how wide they want to be.

    What there is no ``room`` for is left out, unless the person asked for it; so is what has no value in any row.
    ``widths`` are those a person chose, in pixels at the usual text size.
    """
    unit = theme.px(8)
    small = round(unit * 5)
    wide: dict[Kind, int] = {
        "source": unit * 14,
        "date": unit * 11,
        "grade": round(unit * 5.5),
        "credibility": small,
        "relevance": small,
    }
    wide |= {kind: theme.px(width) for kind, width in (widths or {}).items() if kind in wide}
    for kind in ("date", "grade", "credibility", "relevance"):
        if kind in empty_kinds and kind not in pinned_kinds and room < unit * _ROOM_FOR_EMPTY:
            del wide[kind]
    least = unit * (38 + 11 * hypotheses) + 2 * small  # what evidence, hypotheses and the last column want
    for kind, from_width in _ROOM_FOR.items():
        if kind not in wide:
            continue
        fits = room >= least + wide[kind]
        scrolls = room < unit * (26 + 8 * hypotheses) and room > unit * from_width
        if kind in pinned_kinds or ((fits or scrolls) and kind not in hidden_kinds):
            least += wide[kind]
        else:
            del wide[kind]
    return [(kind, width) for kind, width in wide.items() if kind not in hidden_kinds or kind in pinned_kinds]


def lay_out(
    room: int,
    beside: list[tuple[Kind, int]],
    hypotheses: int,
    *,
    indent: int,
    hidden_kinds: Collection[str],
    widths: Mapping[str, int] | None = None,
) -> list[Column]:
    """Lay the columns out over ``room`` pixels: hypotheses share what the evidence leaves, within what can be read.

    ``beside`` are the columns of ``side_columns``; ``indent`` is what the check boxes take of the evidence. ``widths``
    are those a person chose, in pixels at the usual text size: of 'evidence', 'cell' (all hypotheses), 'diagnosticity'.
    """
    unit = theme.px(8)
    chosen_widths = {kind: theme.px(width) for kind, width in (widths or {}).items()}
    diagnosticity = 0 if "diagnosticity" in hidden_kinds else chosen_widths.get("diagnosticity", round(unit * 9.5))
    others_width = sum(width for _kind, width in beside) + diagnosticity
    count, least = max(1, hypotheses), unit * 8
    cell_units, most_units = (11, 48) if theme.density() == "compact" else (12, 36)  # hypotheses need room as well
    ideal = room - others_width - count * unit * cell_units
    evidence = max(room - others_width - count * unit * 18, min(ideal, unit * most_units), unit * 26 + indent)
    evidence = min(evidence, room - others_width - count * least, unit * 60 + indent)
    if evidence < unit * 24:  # the hypotheses have to be scrolled anyway: what they are rated by stays readable
        evidence = min(unit * 32, round(room * 0.28)) + indent
    evidence = min(max(evidence, unit * 18 + indent), max(unit * 18, room // 2))
    if "cell" in chosen_widths and "evidence" not in chosen_widths:
        evidence = min(max(room - others_width - count * chosen_widths["cell"], unit * 18 + indent), unit * 60 + indent)
    elif "evidence" in chosen_widths:
        evidence = min(chosen_widths["evidence"] + indent, max(unit * 18, room - 2 * least))
    cell_width = chosen_widths.get("cell") or max(least, min(unit * 18, (room - evidence - others_width) // count))
    columns = [Column("evidence", 0, evidence)]
    left = evidence
    for kind, width in beside:
        columns.append(Column(kind, left, width))
        left += width
    for index in range(hypotheses):
        columns.append(Column("cell", left, cell_width, index))
        left += cell_width
    if diagnosticity:
        columns.append(Column("diagnosticity", left, diagnosticity))
    return columns
