"""Codes of languages."""

# ISO 639-1 as readers tell it, and the three letters of language data.
THREE_LETTERS = {
    **{"ar": "ara", "bg": "bul", "cs": "ces", "da": "dan", "de": "deu", "el": "ell", "en": "eng", "es": "spa"},
    **{"et": "est", "fa": "fas", "fi": "fin", "fr": "fra", "he": "heb", "hi": "hin", "hr": "hrv", "hu": "hun"},
    **{"it": "ita", "ja": "jpn", "ko": "kor", "lt": "lit", "lv": "lav", "nl": "nld", "no": "nor", "pl": "pol"},
    **{"pt": "por", "ro": "ron", "ru": "rus", "sk": "slk", "sl": "slv", "sr": "srp", "sv": "swe", "tr": "tur"},
    **{"uk": "ukr", "vi": "vie", "zh": "chi_sim"},
}
