"""Words in charts: lines of one or two words, many of them one after the other, and nothing else."""

from __future__ import annotations

from core.ocr.chart_words import LEAST_LINES, chart_spans, is_inside

LABELS = "\n".join(["1990", "Q1 3.5", "Q2", "40 %", "Output", "in tons"])


def test_labels_line_after_line_are_a_chart():
    assert len(LABELS.splitlines()) == LEAST_LINES
    text = f"The output of the plant fell in every year.\n{LABELS}\nSource: the ministry of trade, 1994."
    [(start, end)] = chart_spans(text)
    assert text[start:end] == LABELS
    assert is_inside(text.index("Q2"), text.index("Q2") + 2, [(start, end)])
    assert not is_inside(0, 3, [(start, end)])


def test_blank_lines_do_not_end_a_chart_and_sentences_do():
    assert len(chart_spans(LABELS.replace("\n", "\n \n"))) == 1
    assert chart_spans(LABELS.replace("Q2", "The second quarter was better")) == []


def test_text_and_short_lists_are_none():
    assert chart_spans("") == []
    assert chart_spans("Dear Sir\n\nThe pump stopped at two.\n\nYours\nA. Keller") == []


def test_two_charts_on_a_page_are_two():
    assert len(chart_spans(f"{LABELS}\nA line of text stands here.\n{LABELS}")) == 2
