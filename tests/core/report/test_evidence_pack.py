"""The evidence pack: pictures of the pages behind the cells."""

from __future__ import annotations

import base64
import hashlib
from html.parser import HTMLParser

from core.report import (
    Exhibit,
    render_json,
    render_pack,
)
from tests.core.report.cases import full_case, picture
from tests.core.report.test_report import PAYLOADS, POLICY, Seen, _poison


def exhibits() -> dict[str, Exhibit]:
    return {"E1": Exhibit(picture(), 120, 40), "E3": Exhibit(picture(grey=90), 120, 40)}


class Pack(HTMLParser):
    """Links, anchors and pictures of a pack, and whatever could reach out of it."""

    def __init__(self, page: bytes) -> None:
        super().__init__(convert_charrefs=True)
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.pictures: list[tuple[bytes, str]] = []
        self.wrong: list[str] = []
        self.policy = ""
        self.text: list[str] = []
        self.feed(page.decode("utf-8"))
        self.close()

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        if tag not in Seen.ALLOWED | {"img", "figure", "figcaption", "mark"}:
            self.wrong.append(tag)
        for name, value in values.items():
            if name not in Seen.ATTRIBUTES | {"src", "alt", "width", "height"}:
                self.wrong.append(f"{tag}[{name}]")
            if name == "content" and "default-src" in (value or ""):
                self.policy = value
        if "id" in values:
            self.anchors.add(values["id"])
        if tag == "a":
            self.links.append(values["href"])
        if tag == "img":
            kind, _, data = values["src"].partition(",")
            if kind != "data:image/png;base64":
                self.wrong.append(values["src"][:40])
            self.pictures.append((base64.b64decode(data), values["alt"]))

    def handle_data(self, data):
        self.text.append(data)


def test_a_pack_leads_from_each_cell_to_the_picture_and_back():
    data = full_case()
    pack = Pack(render_pack(data, exhibits()))
    assert pack.wrong == []
    assert pack.policy == POLICY
    assert all(link.startswith("#") and link[1:] in pack.anchors for link in pack.links)
    rated = sum(len(row.ratings) for row in data.matrix.rows)
    # From each rated cell and each id into the evidence, and from each piece of evidence back.
    assert len(pack.links) == rated + 2 * len(data.evidence)
    assert [png for png, _ in pack.pictures] == [picture(), picture(grey=90)]
    assert all("inspection_2021.pdf" in alt or "harrow" in alt for _, alt in pack.pictures)
    text = " ".join(" ".join(pack.text).split())
    for png, _ in pack.pictures:
        assert hashlib.sha256(png).hexdigest() in text
    for document in data.documents:
        assert document.sha256 in text
    assert hashlib.sha256(render_json(data)).hexdigest() in text
    assert "02:05 all quiet." in text  # the words around a quote that has no picture


def test_a_pack_says_which_pictures_are_missing():
    sentence = "3 of 5 page images are left out: this form holds at most 2 pictures."
    assert sentence in " ".join(Pack(render_pack(full_case(), exhibits(), left_out=sentence)).text)


def test_a_hundred_hostile_texts_stay_text_in_a_pack():
    for payload in PAYLOADS:
        pack = Pack(render_pack(_poison(full_case(), payload), {f"{payload} E1": Exhibit(picture(), 120, 40)}))
        assert pack.wrong == [], payload
        assert pack.policy == POLICY
        assert len(pack.pictures) == 1
