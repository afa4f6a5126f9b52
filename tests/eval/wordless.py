"""Short texts without sentences, made at random: lists of names, tables of codes, logs, sizes, addresses.

None is in any language, but for English where ``is_english`` says that its headings are. Half of the kinds are for
choosing a threshold, the others for checking it.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator


def _words(text: str) -> list[str]:
    return text.split()


def _phrases(text: str) -> list[str]:
    return text.split("; ")


FIRST = _words(
    "Anna Bernd Claire Dmitri Elif Farah Giulia Håkon Inês Jovan Kateřina László Małgorzata Niamh Oisín Petra "
    "Quentin Réka Søren Tomáš Uwe Věra Wiebke Ximena Yusuf Zsófia Ama Kwame Nguyễn Linh Siti Budi Aino Pekka Eglė "
    "Mindaugas Liis Rait Dace Jānis Gwen Dafydd Mirjam Sander Ilse Bojan Ljubica Andreea Vlad Arta Besnik Nino "
    "Giorgi"
)
LAST = _words(
    "Andersen Björkman Costa Dvořák Eriksson Fernández Grünwald Horváth Ivanova Jovanović Kowalski Lindqvist "
    "Müller Novák O’Brien Pereira Quist Rossi Szabó Thevenet Ünal Virtanen Wójcik Xhaka Yılmaz Zieliński Popescu "
    "Ionescu Kazlauskas Tamm Bērziņš Jones Llewellyn Bakker Smit Mensah Owusu Tran Pham Wijaya Santoso Korhonen "
    "Nagy Kiss Hoxha Gashi Beridze Kapanadze Le-Roux Vandenberghe Petrov"
)
CITIES = _words(
    "Aarhus Bergen Brno Cádiz Dresden Eger Faro Gdańsk Hasselt Iași Jelgava Kaunas Lund Metz Nîmes Oulu Pécs "
    "Rennes Split Tartu Umeå Varna Würzburg Ystad Zadar Izmir Huế Malmö Porto Sliema Ghent Kotor Tirana Batumi "
    "Cork Swansea"
)
STREETS = (
    "{} utca",
    "ulica {}",
    "rue {}",
    "{}straat",
    "{}gatan",
    "via {}",
    "calle {}",
    "{}straße",
    "{} sok.",
    "{}gate",
)
UNITS = ("mm", "kg", "l/min", "kW", "bar", "rpm", "pcs", "m³/h", "Nm", "°C", "V", "dB(A)")
PARTS = _words(
    "pump flange gasket rotor stator valve bearing seal hose clamp bolt washer filter sensor relay fuse motor bracket"
)
SPECIES = _phrases(
    "Quercus robur; Fagus sylvatica; Pinus nigra; Larus argentatus; Salmo trutta; Vulpes vulpes; Corvus corax; "
    "Ulmus minor; Bombus terrestris; Apis mellifera; Lutra lutra; Cervus elaphus; Sorbus aucuparia; Prunus avium; "
    "Rana temporaria"
)
DRUGS = _words(
    "amoxicillin metformin omeprazole atorvastatin lisinopril bisoprolol ramipril simvastatin pantoprazole "
    "ibuprofen paracetamol diclofenac enalapril furosemide spironolactone warfarin apixaban citalopram sertraline "
    "risperidone"
)
CHEMICALS = _phrases(
    "natrii chloridum; acidum citricum; magnesii sulfas; kalii nitras; ethanolum; glycerolum; zinci oxidum; "
    "calcii carbonas; sodium hydroxide; 2-propanol; n-hexane; toluene; dichloromethane; methyl ethyl ketone"
)
DISHES = _words(
    "gulyás pierogi tiramisù köttbullar baklava bouillabaisse paella schnitzel borscht ćevapi pastéis stroopwafel "
    "smørrebrød phở nasi goreng knedlíky zeppelinai sarma börek risotto ratatouille"
)
HANDLES = _words("night_owl mika.r zoe77 tomek_k lars-o fanny.b dr.novak k8e sunfl0wer jan_de_w ele.na pavel42 oz")
MODULES = _words("core net auth cache queue disk sched proxy parse index store worker session")
EVENTS = _words("start stop retry ok fail timeout open close sync flush drop bind")


def _name(rng: random.Random) -> str:
    return f"{rng.choice(FIRST)} {rng.choice(LAST)}"


def _code(rng: random.Random) -> str:
    letters = "".join(rng.choice("ABCDEFGHJKLMNPRSTUVWXYZ") for _ in range(rng.randint(1, 3)))
    return f"{letters}-{rng.randint(10, 9999)}{rng.choice(['', '/a', '-x', '.b', 'bis'])}"


def _iban(rng: random.Random) -> str:
    return f"{rng.choice(['DE', 'PL', 'NO', 'LT'])}{rng.randint(10, 99)} " + " ".join(
        f"{rng.randint(0, 9999):04d}" for _ in range(4)
    )


Line = Callable[[random.Random], str]

# By kind: a line of it, and whether its headings or words are English.
TUNING: dict[str, tuple[Line, bool]] = {
    "names": (_name, False),
    "names and handles": (lambda rng: f"{_name(rng)} @{rng.choice(HANDLES)}", False),
    "capital names": (lambda rng: f"{rng.choice(LAST).upper()}, {rng.choice(FIRST)}", False),
    "codes": (lambda rng: "  ".join(_code(rng) for _ in range(3)), False),
    "hashes": (lambda rng: f"{rng.getrandbits(96):024x}  {rng.choice(HANDLES)}.bin", False),
    "species": (lambda rng: rng.choice(SPECIES), False),
    "key=value": (
        lambda rng: f"{rng.choice(MODULES)}.{rng.choice(EVENTS)}={rng.randint(0, 99)} pid={rng.randint(100, 9999)}",
        True,
    ),
    "addresses": (
        lambda rng: f"{rng.choice(STREETS).format(rng.choice(LAST))} {rng.randint(1, 99)}, {rng.choice(CITIES)}",
        False,
    ),
    "drugs": (lambda rng: f"{rng.choice(DRUGS)} {rng.choice([5, 10, 20, 40, 100])} mg", False),
    "mail addresses": (
        lambda rng: f"{rng.choice(HANDLES)}@{rng.choice(CITIES).lower()}.{rng.choice(['de', 'pl', 'fr', 'hu', 'se'])}",
        False,
    ),
    "names with titles": (
        lambda rng: f"{rng.choice(['dr.', 'mgr', 'ing.', 'dott.', 'prof.', 'mr'])} {_name(rng)}",
        False,
    ),
    "isbn": (
        lambda rng: f"{rng.choice(LAST)} {rng.randint(1950, 2024)}: {rng.randint(1, 400)}–{rng.randint(401, 800)}",
        False,
    ),
}
CHECKING: dict[str, tuple[Line, bool]] = {
    "parts": (lambda rng: f"{_code(rng)} {rng.choice(PARTS)} {rng.randint(1, 90)} {rng.choice(UNITS)}", True),
    "part numbers": (lambda rng: f"{_code(rng)} {rng.randint(1, 900)},{rng.randint(0, 9)} {rng.choice(UNITS)}", False),
    "names and cities": (lambda rng: f"{_name(rng)}, {rng.choice(CITIES)}", False),
    "names in commas": (lambda rng: ", ".join(_name(rng) for _ in range(3)) + ",", False),
    "small names": (lambda rng: _name(rng).lower(), False),
    "cities": (lambda rng: " - ".join(rng.choice(CITIES) for _ in range(3)), False),
    "ibans": (lambda rng: f"{_name(rng)} {_iban(rng)}", False),
    "chemicals": (lambda rng: f"{rng.choice(CHEMICALS)} {rng.randint(1, 99)} %", False),
    "dishes": (lambda rng: f"{rng.choice(DISHES)} {rng.randint(3, 20)},-", False),
    "paths": (lambda rng: f"/{rng.choice(MODULES)}/{rng.choice(HANDLES)}/{rng.getrandbits(32):08x}.log", False),
    "handles": (lambda rng: " ".join(rng.sample(HANDLES, 4)), False),
    "log lines": (
        lambda rng: (
            f"2024-0{rng.randint(1, 9)}-1{rng.randint(0, 9)}T02:{rng.randint(10, 59)} {rng.choice(MODULES)} "
            f"{rng.choice(EVENTS)} {rng.getrandbits(24):06x}"
        ),
        True,
    ),
    "sorted surnames": (lambda rng: " ".join(sorted(rng.sample(LAST, 3))), False),
    "passengers": (
        lambda rng: (
            f"{rng.randint(1, 40)}{rng.choice('ABCDEF')} {rng.choice(LAST).upper()}/{rng.choice(FIRST).upper()}MR"
        ),
        False,
    ),
}


def texts(kinds: dict[str, tuple[Line, bool]], count: int = 40) -> Iterator[tuple[str, bool, str]]:
    """Yield kind, whether it may be English, and text: ``count`` of 2 to 20 lines of each kind."""
    for kind, (line, is_english) in kinds.items():
        rng = random.Random(kind)
        for _ in range(count):
            yield kind, is_english, "\n".join(line(rng) for _ in range(rng.randint(2, 20)))
