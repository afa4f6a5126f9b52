"""What a text file says of itself in its first lines, from its import to the report."""

from __future__ import annotations

from core.engines.readers.dispatch import FileReader
from core.ports import Engines
from core.report import rows
from core.workbench import Workbench
from tests.fakes import HashEmbedder

ARTICLE = (
    "Homeland Illumination\n\nFERRY SINKS AS RIVER RISES\n\nBy Jane Doe\n\n1994/09/24\n\n"
    "ABILA, Kronos -- The ferry sank at its berth when the river "
    "rose above the dam on Monday night, the mayor said. Nobody was hurt.\n"
)


def test_an_article_is_listed_with_its_headline_and_the_date_of_the_analyst_overrules_its_own(tmp_path):
    path = tmp_path / "0.txt"
    path.write_text(ARTICLE, "utf-8")
    with Workbench.create(tmp_path / "case.disconfirm", Engines(FileReader(), HashEmbedder())) as bench:
        bench.documents.add([path])
        document = bench.documents.get("D1")
        assert (document.title, document.date) == ("FERRY SINKS AS RIVER RISES", "1994-09-24")
        assert document.author == "Jane Doe, Homeland Illumination"
        assert [date.earliest for date, _ in bench.timeline.documents()] == ["1994-09-24"]
        assert "FERRY SINKS AS RIVER RISES" in rows.document_remarks(document, bench.reports.data())
        bench.documents.describe(["D1"], dated="1994-09-26")
        assert (bench.documents.get("D1").date, bench.documents.get("D1").dated) == ("1994-09-24", "1994-09-26")
        assert [date.earliest for date, _ in bench.timeline.documents()] == ["1994-09-26"]
