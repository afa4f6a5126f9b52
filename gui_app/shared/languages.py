"""How the languages of OCR are called."""

from __future__ import annotations

# Names of languages that data is often installed for; others are shown by their letters.
_NAMES = {
    **{"ara": "Arabic", "ces": "Czech", "chi_sim": "Chinese, simplified", "dan": "Danish", "deu": "German"},
    **{"eng": "English", "fas": "Persian", "fin": "Finnish", "fra": "French", "heb": "Hebrew", "hin": "Hindi"},
    **{"hrv": "Croatian", "hun": "Hungarian", "ita": "Italian", "jpn": "Japanese", "kor": "Korean"},
    **{"nld": "Dutch", "nor": "Norwegian", "pol": "Polish", "por": "Portuguese", "ron": "Romanian"},
    **{"rus": "Russian", "spa": "Spanish", "srp": "Serbian", "swe": "Swedish", "tur": "Turkish"},
    "ukr": "Ukrainian",
}


def language_name(code: str) -> str:
    """Name a language by its code: 'German (deu)'."""
    return f"{_NAMES[code]} ({code})" if code in _NAMES else code
