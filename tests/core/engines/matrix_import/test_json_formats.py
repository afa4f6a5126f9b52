"""Matrices in JSON: ArkhamMirror, radarist, and the program's own."""

from __future__ import annotations

import json

import pytest

from core.errors import BadInput, SeveralMatrices
from tests.core.engines import matrix_material as material
from tests.core.engines.matrix_import.test_dispatch import grades, ratings, read


class TestArkham:
    def test_reasons_and_confidence_of_a_cell(self):
        cell = read(material.as_json(material.arkham())).rows[0].cells[1]
        assert (cell.rating, cell.note, cell.confidence) == ("II", "as the log says", "medium")

    def test_ungraded_is_not_high(self):
        assert grades(read(material.as_json(material.arkham()))) == [(None, None)] * 4

    def test_graded_numbers_become_levels_and_are_told(self):
        matrix = read(material.as_json(material.arkham(credibility=0.2)))
        assert grades(matrix) == [("L", "H")] * 4
        assert "credibility 0.2" in matrix.rows[0].note
        assert matrix.problems

    def test_a_cell_that_is_rated_twice_and_differently_stays_open(self):
        data = material.arkham()
        data["ratings"].append({"evidence_id": "e-0", "hypothesis_id": "h-0", "rating": "++"})
        matrix = read(material.as_json(data))
        assert matrix.rows[0].cells[0].rating is None
        assert "twice" in matrix.problems[0].what

    def test_ratings_of_nothing_are_told(self):
        data = material.arkham()
        data["ratings"].append({"evidence_id": "gone", "hypothesis_id": "h-0", "rating": "++"})
        assert "1 ratings belong to no evidence" in read(material.as_json(data)).problems[0].what

    def test_what_the_stand_alone_tool_has_beside_the_matrix_is_named(self):
        matrix = read(material.as_json(material.arkham_alone()))
        assert any("milestones" in sentence for sentence in matrix.left_out)
        assert [row.credibility for row in matrix.rows] == ["H", "M", "L", "M"]
        assert matrix.rows[2].kind == "assumption"

    def test_the_older_program(self):
        matrix = read(material.as_json(material.arkham_older()))
        assert (matrix.title, matrix.format) == ("Pump two", "ArkhamMirror")
        assert [row.credibility for row in matrix.rows] == ["H", "M", "L", "M"]
        assert matrix.rows[2].note == "Left out of the scores in the file."
        assert matrix.problems == ()


class TestJson:
    def test_several_must_be_chosen_from(self):
        data = material.as_json({"matrices": [material.own_json("a"), material.own_json("b")]})
        with pytest.raises(SeveralMatrices) as caught:
            read(data, "worked.json")
        assert caught.value.details["choices"].splitlines() == ["a\tPump two", "b\tPump two"]
        assert len(read(data, "worked.json", "b").rows) == 4

    def test_one_in_a_list_needs_no_choice(self):
        assert len(read(material.as_json([material.own_json()])).rows) == 4

    def test_a_rating_against_no_hypothesis_is_told(self):
        data = material.own_json()
        data["evidence"][0]["ratings"]["H9"] = "C"
        assert "H9" in read(material.as_json(data)).problems[0].what

    @pytest.mark.parametrize(
        "change",
        [
            {"hypotheses": None}, {"hypotheses": []}, {"evidence": {}}, {"evidence": ["a"]}, {"hypotheses": [7]},
            {"hypotheses": [{"id": "H1", "text": "a"}, {"id": "H1", "text": "b"}]},
            {"evidence": [{"id": "E1", "text": "a", "ratings": ["C"]}]},
        ],
    )  # fmt: skip
    def test_what_does_not_fit_is_refused(self, change):
        with pytest.raises(BadInput):
            read(material.as_json({**material.own_json(), **change}))

    def test_values_of_any_type_never_break_it(self):
        data = material.own_json()
        odd = [None, 1, -1.5, True, [], {}, "", "\ud800", "x" * 100_000, 10**300]
        for field in (
            "text",
            "source",
            "date",
            "credibility",
            "relevance",
            "w",
            "weight",
            "note",
            "kind",
            "reliability",
        ):
            for value in odd:
                data["evidence"][0][field] = value
                matrix = read(json.dumps(data).encode())
                assert len(matrix.rows) == 4
                assert matrix.rows[0].text

    @pytest.mark.development_data
    def test_the_worked_matrices(self, development_data):
        data = (development_data / "ach" / "matrices.json").read_bytes()
        with pytest.raises(SeveralMatrices):
            read(data, "matrices.json")
        for given_matrix in json.loads(data)["matrices"]:
            matrix = read(data, "matrices.json", given_matrix["id"])
            order = [h["id"] for h in given_matrix["hypotheses"]]
            assert ratings(matrix) == [[item["ratings"].get(h) for h in order] for item in given_matrix["evidence"]]
            assert matrix.problems == ()
