"""Errors as evaluation/scoring.ts counts them: Han characters and words of other scripts, Traditional folded to Simplified."""
from __future__ import annotations

import json
import re
import unicodedata
from pathlib import Path

import numpy as np

from number_folding import HAN, fold_numbers

_UNIT = re.compile(rf"[{HAN}]|(?:(?![{HAN}])(?:[^\W_]|[\u0300-\u036f]))+")


class Scoring:
    def __init__(self, table: Path):
        self._simplified = str.maketrans(json.loads(table.read_text(encoding="utf-8")))

    def units(self, text: str, numbers_folded: bool = False) -> list[str]:
        folded = re.sub("['’‘ʼ]", "", unicodedata.normalize("NFKC", text).lower()).translate(self._simplified)
        return fold_numbers(folded) if numbers_folded else _UNIT.findall(folded)

    def errors(self, reference: str, hypothesis: str, numbers_folded: bool = False) -> tuple[int, int]:
        """Errors, and the units of the reference."""
        said, heard = self.units(reference, numbers_folded), self.units(hypothesis, numbers_folded)
        return distance(said, heard), len(said)


def distance(reference: list, hypothesis: list) -> int:
    row = list(range(len(hypothesis) + 1))
    for expected in reference:
        diagonal, row[0] = row[0], row[0] + 1
        for column, heard in enumerate(hypothesis, 1):
            cost = diagonal + (heard != expected)
            diagonal = row[column]
            row[column] = min(cost, diagonal + 1, row[column - 1] + 1)
    return row[-1]


def loops(tokens: list[int], limit: int) -> bool:
    """Whether a text ran into its limit, or repeats a stretch as often as src/speech/text/repetition.ts calls a loop."""
    if len(tokens) >= limit:
        return True
    text = np.array(tokens)
    for period in range(1, min(30, len(text) // 3) + 1):
        copies = 6 if period <= 2 else 4 if period <= 5 else 3
        breaks = np.flatnonzero(text[period:] != text[:-period])
        runs = np.diff(np.concatenate([[-1], breaks, [len(text) - period]])) - 1
        if runs.max() >= (copies - 1) * period:
            return True
    return False
