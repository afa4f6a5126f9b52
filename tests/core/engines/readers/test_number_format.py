"""Numbers, dates and times as their format shows them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.engines.readers.number_format import code_of, general, iso_shown, shown, text_shown

ACCOUNTING = '_(* #,##0.00_);_(* \\(#,##0.00\\);_(* "-"??_);_(@_)'


@pytest.mark.parametrize(
    ("number", "code", "words"),
    [
        ("0.125", "0.0%", "12.5%"),
        ("1234.5", '"$"#,##0.00', "$1,234.50"),
        ("1234", "00000", "01234"),
        ("-1500", "#,##0;(#,##0)", "(1,500)"),
        ("30", '0 "days"', "30 days"),
        ("2.5", "[Red]0.0", "2.5"),
        ("45", 'General "d"', "45 d"),
        ("7", '"Day" 0', "Day 7"),
        ("-1234.5", '#,##0.00\\ "€";[Red]\\-#,##0.00\\ "€"', "-1,234.50 €"),
        ("1.5", "[$€-407] #,##0.00", "€ 1.50"),
        ("-1500", ACCOUNTING, "(1,500.00)"),
        ("0", ACCOUNTING, "-"),
        ("0.5", "# ?/?", "1/2"),
        ("12.5", "# ?/?", "12 1/2"),
        ("2", "# ?/?", "2"),
        ("0.75", "# ?/8", "6/8"),
        ("1234567", "0.00E+00", "1.23E+06"),
        ("0.00012", "0.0E+0", "1.2E-4"),
        ("1234567", "#,##0,", "1,235"),
        ("1000000", '#,##0.0,,"M"', "1.0M"),
        ("123456789", "000-00-0000", "123-45-6789"),
        ("5551234567", "[<=9999999]###-####;(###) ###-####", "(555) 123-4567"),
        ("5551234", "[<=9999999]###-####;(###) ###-####", "555-1234"),
        ("0.5", "#.##", ".5"),
        ("2.675", "0.00", "2.68"),
        ("-0.004", "0.00", "0.00"),
        ("-5", "0", "-5"),
        ("2", '"yes";"no"', "yes"),
        ("-1", "0;;;@", ""),
        ("1e300", "0", "1" + "0" * 300),
        ("45363", "yyyy\\-mm\\-dd", "2024-03-12"),
        ("45363", "mmm yy", "Mar 24"),
        ("45363", "[$-409]d mmm yyyy;@", "12 Mar 2024"),
        ("45363.5872", "dd/mm/yyyy hh:mm", "12/03/2024 14:05"),
        ("45356", "dddd, mmmm d, yyyy", "Tuesday, March 5, 2024"),
        ("45356", "[$-F800]dddd, mmmm dd, yyyy", "2024-03-05"),
        ("1.25", "[h]:mm", "30:00"),
        ("0.5", "h:mm AM/PM", "12:00 PM"),
        ("0.0006", "mm:ss.0", "00:51.8"),
        ("44927.999999", "yyyy-mm-dd hh:mm:ss", "2023-01-02 00:00:00"),
        ("60", "d-mmm-yy", "29-Feb-00"),
        ("61", "d-mmm-yy", "1-Mar-00"),
        ("-1", "yyyy-mm-dd", "-1"),
        ("no number", "0.00", "no number"),
        ("12", "@", "12"),
        ("417", "", "417"),
    ],
)
def test_a_number_is_shown_as_its_format_says(number, code, words):
    assert shown(number, code) == words


def test_days_may_be_counted_from_1904():
    assert shown("0", "yyyy-mm-dd", since_1904=True) == "1904-01-01"


@pytest.mark.parametrize(
    ("number", "words"),
    [
        ("12345678901234567", "12345678901234567"),
        ("0.30000000000000004", "0.3"),
        ("1E-05", "0.00001"),
        ("1200.0", "1200"),
        ("1e20", "1E+20"),
        ("x", "x"),
    ],
)
def test_a_number_without_a_format_keeps_its_digits(number, words):
    assert general(number) == words


def test_texts_dates_and_numbered_formats():
    assert text_shown("7 b", '"Lot "@') == "Lot 7 b"
    assert text_shown("7 b", "0.00") == "7 b"
    assert iso_shown("2024-03-12T14:05:33", "d/m/yy h:mm") == "12/3/24 14:05"
    assert iso_shown("2024-03-12T14:05:33", "General") == "2024-03-12T14:05:33"
    assert code_of(9, {}) == "0%"
    assert code_of(14, {}) == "yyyy-mm-dd"
    assert code_of(170, {170: "0.0"}) == "0.0"
    assert code_of(999, {}) == "General"


@given(
    st.floats(allow_nan=True, allow_infinity=True) | st.integers(),
    st.text('0#?.,%/;E+-()[]hmsyd<>=$"\\_*@ :AMP1General', max_size=40),
)
def test_no_format_fails(number, code):
    assert isinstance(shown(repr(number), code), str)
