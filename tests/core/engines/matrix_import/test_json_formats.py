"""Matrices in the program's own JSON."""

from __future__ import annotations

import json

import pytest

from core.errors import BadInput, SeveralMatrices
from tests.core.engines import matrix_material as material
from tests.core.engines.matrix_import.test_dispatch import grades, ratings, read


class TestJson:
    def test_several_must_be_chosen_from(self):
        data = material.as_json({"matrices": [material.own_json("a"), material.own_json("b")]})
        with pytest.raises(SeveralMatrices) as caught:
            read(data, "worked.json")
        assert caught.value.details["choices"].splitlines() == ["a\tPump two", "b\tPump two"]
        assert len(read(data, "worked.json", "b").rows) == 4

    def test_one_in_a_list_needs_no_choice(self):
        assert len(read(material.as_json([material.own_json()])).rows) == 4

    def test_graded_numbers_become_levels_and_are_told(self):
        data = material.own_json()
        for item in data["evidence"]:
            item |= {"credibility": None, "relevance": None, "credibility_num": 0.2, "relevance_num": 1}
        matrix = read(material.as_json(data))
        assert grades(matrix) == [("L", "H")] * 4
        assert "credibility 0.2" in matrix.rows[0].note
        assert matrix.problems

    def test_a_weight_stands_for_relevance(self):
        data = material.own_json()
        data["evidence"][3]["w"] = 0.9
        assert read(material.as_json(data)).rows[3].relevance == "H"

    def test_a_rating_against_no_hypothesis_is_told(self):
        data = material.own_json()
        data["evidence"][0]["ratings"]["H9"] = "C"
        assert "H9" in read(material.as_json(data)).problems[0].what

    @pytest.mark.parametrize(
        "change",
        [
            {"hypotheses": None}, {"hypotheses": []}, {"evidence": {}}, {"evidence": ["a"]}, {"hypotheses": [7]},
            {"hypotheses": ["H1: a"]},
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
