"""Numbers in one form, whether written in digits or in words: bench/number-folding.ts says why, and this is the same in Python."""
from __future__ import annotations

import re
from dataclasses import dataclass

HAN = r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af\u3005\u3007"
_SYNONYMS = {"percent": "%", "mr": "mister", "mrs": "missus", "dr": "doctor", "ok": "okay"}
_HAN_DIGITS = "零一二三四五六七八九"
_UP_TO_NINETEEN = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
).split()
_UP_TO_NINETEENTH = (
    "zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth "
    "sixteenth seventeenth eighteenth nineteenth"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_TENTHS = "twentieth thirtieth fortieth fiftieth sixtieth seventieth eightieth ninetieth".split()
_CARDINALS = {
    **{digit: value for value, digit in enumerate(_HAN_DIGITS)},
    **{"两": 2, "幺": 1},
    **{word: value for value, word in enumerate(_UP_TO_NINETEEN)},
    **{word: 20 + 10 * index for index, word in enumerate(_TENS)},
}
_ORDINALS = {
    **{word: value for value, word in enumerate(_UP_TO_NINETEENTH)},
    **{word: 20 + 10 * index for index, word in enumerate(_TENTHS)},
}
_MULTIPLIERS = {
    **{"十": 10, "百": 100, "千": 1000, "万": 10_000, "亿": 100_000_000},
    **{"hundred": 100, "thousand": 1000, "million": 1_000_000, "billion": 1_000_000_000},
}
_TOKEN = re.compile(rf"\d+(?:\.\d+)?(?:(?:st|nd|rd|th)(?![^\W\d_]))?|%|[{HAN}]|(?:(?![{HAN}])[^\W\d_])+")


@dataclass
class Numeral:
    value: float
    text: str
    is_ordinal: bool


def fold_numbers(text: str) -> list[str]:
    """The units of simplified, lower-case text."""
    tokens = _merge_decimals(_tokenise(text))
    units: list[str] = []
    position = 0
    while position < len(tokens):
        token = tokens[position]
        is_percentage = "".join(tokens[position : position + 3]) == "百分之"
        number = _read_number(tokens, position + 3 if is_percentage else position)
        if number:
            units += number[0] + (["%"] if is_percentage else [])
            position = number[1]
            continue
        follows_digit = bool(units) and any(character.isdigit() for character in units[-1])
        is_zero = token in ("o", "oh") and follows_digit and _read_numeral(_at(tokens, position + 1))
        units.append("0" if is_zero else _SYNONYMS.get(token, token))
        position += 1
    return units


def _tokenise(text: str) -> list[str]:
    text = re.sub(r"(?<=\d),(?=\d{3})", "", text)
    text = re.sub(r"\bper cent\b", "percent", text, flags=re.ASCII).replace("百分之百", "100%").replace("〇", "零")
    return _TOKEN.findall(text)


def _merge_decimals(tokens: list[str]) -> list[str]:
    merged: list[str] = []
    position = 0
    while position < len(tokens):
        whole = _read_numeral(tokens[position])
        end = position + 2
        while _is_digit(_at(tokens, end)):
            end += 1
        has_point = whole and not whole.is_ordinal and _at(tokens, position + 1) in ("点", "point")
        if has_point and end > position + 2 and _at(tokens, end) != "十":
            merged.append(f"{whole.text}." + "".join(_read_numeral(token).text for token in tokens[position + 2 : end]))
            position = end
        else:
            merged.append(tokens[position])
            position += 1
    return merged


def _at(tokens: list[str], position: int) -> str:
    return tokens[position] if 0 <= position < len(tokens) else ""


def _is_digit(token: str) -> bool:
    return bool(re.fullmatch(r"\d", token)) or _CARDINALS.get(token, 10) < 10


def _read_numeral(token: str) -> Numeral | None:
    written = re.fullmatch(r"(\d+(?:\.\d+)?)(\D*)", token)
    if written:
        return Numeral(float(written[1]), written[1], written[2] != "")
    value = _CARDINALS.get(token, _ORDINALS.get(token))
    return None if value is None else Numeral(value, str(value), token in _ORDINALS)


def _read_number(tokens: list[str], start: int) -> tuple[list[str], int] | None:
    """The longest number that starts at a token. A term is [value, scale]; `last` is None after a multiplier."""
    terms: list[list[float]] = []
    last: Numeral | None = None
    end = start
    while end < len(tokens) and not (last and last.is_ordinal):
        before, token, after = _at(tokens, end - 1), tokens[end], _at(tokens, end + 1)
        scale, top = _MULTIPLIERS.get(token), terms[-1] if terms else None
        if scale is not None:
            if not _multiply(terms, scale, token == "十"):
                break
            last = None
            end += 1
            continue
        if top and not last and token in ("零", "and") and _read_numeral(after):
            end += 1
            continue
        numeral = _read_numeral("1") if token == "a" and after in _MULTIPLIERS else _read_numeral(token)
        if not numeral:
            break
        continues_tens = before in _TENS and 0 < numeral.value < 10
        continues_multiplier = top and not last and numeral.value < top[1] and _MULTIPLIERS.get(after) != top[1]
        if top and not continues_tens and not continues_multiplier:
            break
        # 一百二 is 120: a last digit right after a multiplier counts tenths of it.
        is_shortened = (
            top and top[1] >= 100 and token in _HAN_DIGITS and before in _MULTIPLIERS and after not in _MULTIPLIERS
        )
        terms.append([numeral.value * (top[1] / 10 if is_shortened else 1), 1])
        last = numeral
        end += 1
    if not terms:
        return None
    text = last.text if last and end == start + 1 else f"{sum(value for value, _ in terms):.15g}"
    return [*text[:-1], text[-1] + "th"] if last and last.is_ordinal else list(text), end


def _multiply(terms: list[list[float]], scale: float, is_ten: bool) -> bool:
    """A multiplier takes up every smaller term before it: 三千 and 万, "one hundred twenty" and "thousand"."""
    kept = max((index + 1 for index, (value, _) in enumerate(terms) if value >= scale), default=0)
    multiplied = sum(value for value, _ in terms[kept:])
    is_bare_ten = is_ten and multiplied == 0 and (kept == 0 or terms[kept - 1][1] > scale)
    if multiplied == 0 and not is_bare_ten:
        return False
    terms[kept:] = [[(multiplied or 1) * scale, scale]]
    return True
