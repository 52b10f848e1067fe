"""Texts that nobody speaks, read to the decoder beside other speech. What the untouched model expects after each of their tokens is
kept, so that words which do not occur in the few hours replayed stay as likely as they were."""
from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tokens import Tokens

LONGEST = 40


@dataclass
class Read:
    inputs: np.ndarray  # [n, length]
    places: np.ndarray  # of all n · length those after which something of the text follows

    def rows(self, first: int, last: int) -> Read:
        width = self.inputs.shape[1]
        chosen = (self.places >= first * width) & (self.places < last * width)
        return Read(self.inputs[first:last], self.places[chosen] - first * width)


class Reading:
    """One sentence a line in `en.txt` and `zh.txt`."""

    def __init__(self, folder: Path, tokens: Tokens, seed: int):
        self._random = np.random.default_rng(seed)
        self._tokens = tokens
        self._lines = {name: (folder / f"{name}.txt").read_text(encoding="utf-8").splitlines() for name in ("zh", "en")}

    def reseed(self, seed: int) -> None:
        self._random = np.random.default_rng(seed)

    def draw(self, languages: list[str]) -> Read:
        texts = [self._draw_text(language) for language in languages]
        width = max((len(text) for _, text in texts), default=1)
        inputs = np.full((len(texts), width), self._tokens.end, dtype=np.int64)
        places = [np.zeros(0, dtype=np.int64)]
        for row, (first, text) in enumerate(texts):
            inputs[row, : len(text)] = text
            places.append(np.arange(row * width + first, row * width + len(text)))
        return Read(inputs, np.concatenate(places))

    def _draw_text(self, language: str) -> tuple[int, list[int]]:
        """Where in the tokens the prompt ends, and the tokens."""
        line = self._lines[language][self._random.integers(len(self._lines[language]))]
        prompt = self._tokens.prompt(language, timestamps=False)
        words = self._tokens.encode(" " + line if language == "en" else line)
        return len(prompt) - 1, [*prompt, *words[:LONGEST]]
