"""Formulas keep raised figures and fractions apart from the numbers beside them."""

from __future__ import annotations

import pytest
from lxml import etree

from core.engines.readers import office_math


def run(words: str) -> str:
    return f"<m:r><m:t>{words}</m:t></m:r>"


def part(tag: str, **arguments: str) -> str:
    return f"<m:{tag}>{''.join(f'<m:{name}>{inside}</m:{name}>' for name, inside in arguments.items())}</m:{tag}>"


def line(inside: str, text_before: str = "") -> str:
    return office_math.text(etree.fromstring(f'<m:oMath xmlns:m="m">{inside}</m:oMath>'), text_before)


HALF = part("f", num=run("1"), den=run("2"))


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        (HALF, "1/2"),
        (run("12") + HALF + run("7"), "12 1/2 7"),
        (part("sSup", e=run("10"), sup=run("3")), "10³"),
        (part("sSup", e=run("10"), sup=run("−3")), "10⁻³"),
        (part("sSup", e=run("2"), sup=run("x+1")), "2^(x+1)"),
        (part("sSup", e=run("x"), sup=run("y")), "x^y"),
        (part("sSup", e=HALF, sup=run("2")), "(1/2)²"),
        (part("sSup", e=run("2"), sup=part("sSup", e=run("3"), sup=run("2"))), "2^(3²)"),
        (part("sSup", e=part("sSup", e=run("10"), sup=run("2")), sup=run("3")), "(10²)³"),
        (part("sSup", e=run("10"), sup=HALF), "10^(1/2)"),
        (part("sSup", e=run("x"), sup=run("′")), "x′"),
        (part("sSub", e=run("CO"), sub=run("2")), "CO₂"),
        (part("sSubSup", e=run("x"), sub=run("1"), sup=run("2")), "x₁²"),
        (part("rad", deg="", e=run("2")), "√(2)"),
        (part("d", e=run("a,b")), "(a,b)"),
        (part("nary", sub=run("i=1"), sup=run("n"), e=run("i")), "∫_(i=1)ⁿ i"),
        (part("func", fName=run("sin"), e=run("x")), "sin x"),
        (part("f", num=run("a+b"), den=run("2")), "(a+b)/2"),
    ],
)
def test_formulas(formula: str, expected: str) -> None:
    assert line(formula) == expected


def test_a_fraction_stands_apart_from_the_number_before_the_formula() -> None:
    assert line(HALF, "12") == " 1/2"


def test_deep_formulas_end() -> None:
    deep = run("5")
    for _ in range(100):
        deep = part("sSup", e=run("1"), sup=deep)
    assert "5" in line(deep)


def test_mathml_of_open_document() -> None:
    xml = (
        "<math><mrow><mn>12</mn><mfrac><mn>1</mn><mn>2</mn></mfrac><mo>+</mo><msup><mn>10</mn><mn>6</mn></msup></mrow>"
        "<annotation>x</annotation></math>"
    )
    assert office_math.mathml(etree.fromstring(xml)) == "12 1/2+10⁶"
