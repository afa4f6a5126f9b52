"""Frequencies of the letters of languages, and the likelihood of a text in an old encoding by them.

The letters beyond ASCII of each language are in the order of their frequency; those of other alphabets with the most
frequent first, so that a rank gives a probability (Zipf). From common tables of letter frequencies.
"""

from __future__ import annotations

import math
from functools import cache

# Letters beyond ASCII, the most frequent first, and their share of all letters of a text.
LATIN: dict[str, tuple[str, float]] = {
    "cs": ("áíéěřýžčšůúťňďóö", 0.145), "sk": ("áíéýčžúšťľôňďäóĺŕ", 0.115), "pl": ("łęążóśćńź", 0.075),
    "hu": ("áéöóőíüúű", 0.125), "ro": ("ăîâșțşţ", 0.065), "hr": ("čšžćđ", 0.035), "tr": ("ıüşğçöİâÎî", 0.105),
    "de": ("üäößé", 0.022), "fr": ("éèàêçâîùôœûëïüæÿ", 0.04), "es": ("óíáéñúü¿¡", 0.03), "pt": ("ãçáéíóêõâúàôü", 0.05),
    "it": ("èàìùòé", 0.013), "sv": ("äåöé", 0.055), "da": ("åøæé", 0.03), "nl": ("éëïèöüóê", 0.004),
    "fi": ("äöåš", 0.055), "is": ("ðíáþæöéóýú", 0.12), "et": ("äõüöšž", 0.05), "lt": ("ėšįųžčūąę", 0.07),
    "lv": ("āīēšņūļžķģč", 0.115), "en": ("éèêïöçñáüàâ£", 0.001), "ca": ("àéèóòíçúïüŀ", 0.03),
}  # fmt: skip
_CYRILLIC = {
    "ru": "оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфёъ",
    "uk": "оанивіертслкдмупязьгбчйхжїцшюєщфґ",
    "bg": "аиоетнрсвлкдпмзгяуъчбцжщхшюфйь",
    "sr": "аоиенртјускмдпвлгзбчшжцћхђњљфџ",
    "be": "аніеырокслтдвпяуміьгзчбшйжцхюэёўф",
}  # fmt: skip
_OTHER = {
    "el": "αοιετσνρηυπκμλςγδίωόάέχφθήύβώξζψϊΐϋΰ",
    "he": "יוהלארמתבנשדעקכחפםגטסצזןךףץ",
    "ar": "الينمرتبوةعدسفهكقحجأصشضطخىغءزثذإئؤآظ",
    "fa": "اینردهمتسوبکشگلفخقزعجحچپطصآغضئثظذژ",
    "th": "านรกอเงมยลวดทสตะปบคหแจพชขใไโผซถณธศษฟภฉฝฎญฐฆฬฏฌฑฮิ่ัีู้์ุึืำ็ๆ",
}  # fmt: skip
# Signs of common Chinese and Japanese text; those after them in the tables of the standards are rare.
HAN = (
    "的一是不了在人有我他这这中大来上国个到说们为子和你地出道也时年得就那要下以生会自着去之过家学对可她里后小么心多天而能好都然没日于起还发成事只作当想看文无开手十用主行方又如前所本见经头面公同三已老从动两长知民样现分将外但身些与高意进把法此实回二理美点月明其种声全工己话儿者向情部正名定女问力机给等几很业最间新什打便位因重被走电四第门相次东政海口使教西再平真听世气信北少关并内加化由却代军产入先山五太水万市眼体别处总才场师书比住员九笑性通目华报立马命张活难神数件安表原车白应路期叫死常提感金何更反合放做系计或司利受光王果亲界及今京务制解各任至清物台象记边共风战干接它许八特觉望直服毛林题建南度统色字请交爱让认算论百吃义科怎元社术结六功指思非流每青管夫连远资队跟带花快条院变联言权往展该领传近留红治决周保达办运武半候七必城父强步完革深区即求品士转量空甚众技轻程告江语英基派满式李息写呢识极令黄德收脸钱党倒未持取设始版双历越史商千片容研像找友孩站广改议形委早房音火际则首单据导影失拿网香似斯专石若兵弟谁校读志飞观争究包组造落视济喜离虽坏坐"
    "會來國說們這時個對為過後學發當開無見經頭從動兩長現將與進實點聲話種間問機給幾業樣條電門東場師書員華報馬難數車應親務關體處邊戰記許覺題統請愛讓認論義術結連遠資隊帶變聯權該領傳紅決達辦運強區語滿寫識極黃臉錢黨雙歷"
    "のにをはがでとたしてなまれるいすこらりかもだよっきくせそちつんあうけさどみめわアイウエオカキクケコサシスセソタチツテトナニハフプマミムメモャュョラリルレロワンッー々止議員閉備予京東夜間中会"
)  # fmt: skip
_COMMON = frozenset(HAN)
_LOWEST = -12.0


@cache
def tables() -> tuple[dict[str, float], ...]:
    """Return the logarithms of the probabilities of letters, a table a language."""
    result = []
    ascii_letters = "etaoinshrdlcumwfgypbvkjxqz"
    for letters, share in LATIN.values():
        table = {letter: math.log((1 - share) * 0.8) + _zipf(rank, 26) for rank, letter in enumerate(ascii_letters)}
        table |= {letter: math.log(share * 0.8) + _zipf(rank, len(letters)) for rank, letter in enumerate(letters)}
        result.append(table)
    for letters in (*_CYRILLIC.values(), *_OTHER.values()):
        result.append({letter: math.log(0.8) + _zipf(rank, len(letters)) for rank, letter in enumerate(letters)})
    return tuple(result)


def _zipf(index: int, count: int) -> float:
    return -math.log(index + 2) - math.log(sum(1 / (rank + 2) for rank in range(count)))


_PUNCTUATION = {
    **dict.fromkeys("“”‘’„–—…«»", -6.5), **dict.fromkeys("€£§°·•™®©½¼¾²³", -8.0), "\xa0": -7.0, "¤": -18.0,
    **dict.fromkeys("、。，？！：；（）「」・　", -3.5),
}  # fmt: skip


_NOT_IN_WORDS = frozenset("“”„–…€£§°•™®©½¼¾²³¤")
_PLAIN = 24  # letters of ASCII that count: a text in another language may have a few names of this one


@cache
def _among() -> tuple[float, ...]:
    """Return for each table the logarithm of the probability that a letter is one of ASCII."""
    shares = [share for _, share in LATIN.values()]
    return tuple(math.log(1 - share) for share in [*shares, *[max(shares)] * (len(tables()) - len(shares))])


def likelihood(text: str) -> float:
    """Return the logarithm of the probability of the characters beyond ASCII, in the language that fits them best."""
    best = -math.inf
    score = 0.0
    plain = 0  # letters of ASCII, which say how many others a language would have among them
    counts: dict[str, int] = {}
    previous, second_last = " ", " "
    for char in text:
        if previous in _NOT_IN_WORDS and char.isalpha() and (second_last.isalpha() or previous in "½¼¾"):
            score -= 6.0
        elif previous.isdigit() and char.isalpha() and "\x80" < char < "\u3000":
            score -= 8.0
        if char >= "\x80":
            if "\u3040" <= char <= "\u9fff" or "\uac00" <= char <= "\ud7a3":
                if "\u3040" <= previous <= "\ud7a3" and (char >= "\uac00") != (previous >= "\uac00"):
                    score -= 3.0  # Korean and Chinese in one word
                if "\uac00" <= char <= "\ud7a3":
                    score += _syllable(char)
                else:
                    score += (-5.2 if char < "\u3100" else -5.8) if char in _COMMON else -10.0
            elif char in _PUNCTUATION:
                # A sign between two letters is hardly ever one.
                score += _PUNCTUATION[char]
            elif char.isalpha() or "\u0590" <= char <= "\u0e7f":
                lower = char.lower() if char != "İ" else char
                counts[lower] = counts.get(lower, 0) + 1
                # A capital is at the beginning of a word, or among capitals.
                if char != lower and previous.isalpha() and previous == previous.lower():
                    score += -6.0
                elif char != lower:
                    score += -1.5
            else:
                score += -11.0
            if previous.isalpha() and char.isalpha() and _alphabet(previous) != _alphabet(char):
                score += -6.0
        else:
            plain += char.isalpha()
            if char.isalpha() and previous >= "\x80" and not previous.isalpha() and previous not in _PUNCTUATION:
                score += -3.0
            elif char.isalpha() and previous.isalpha() and previous >= "\x80" and _alphabet(previous) != "latin":
                score += -6.0
        previous, second_last = char, previous
    plain = min(plain, _PLAIN)
    for index, table in enumerate(tables()):
        among = plain * _among()[index]
        best = max(best, among + sum(count * table.get(letter, _LOWEST) for letter, count in counts.items()))
    return (best if counts else 0.0) + score


def _alphabet(char: str) -> str:
    code = ord(char)
    if code < 0x250 or 0x1E00 <= code < 0x1F00:
        return "latin"
    if code < 0x400:
        return "greek"
    return (
        "cyrillic"
        if code < 0x530
        else "arabic"
        if 0x600 <= code < 0x780
        else "asian"
        if code >= 0x3000
        else str(code >> 8)
    )


def _syllable(char: str) -> float:
    """Return the logarithm of the probability of a Korean syllable, by how common its parts are."""
    number = ord(char) - 0xAC00
    onset, vowel, end = number // 588, number % 588 // 28, number % 28
    common = onset not in (1, 4, 8, 10, 13) and vowel in (0, 1, 4, 5, 6, 8, 13, 18, 20)
    return -5.6 if common and end in (0, 1, 4, 8, 16, 17, 19, 21) else -7.5
