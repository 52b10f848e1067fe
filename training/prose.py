"""English sentences out of plain text."""
from __future__ import annotations

import re
from pathlib import Path

SHORTEST_LETTERS, LONGEST_LETTERS = 20, 240


def lines_of(paths: list[Path]) -> list[str]:
    for path in paths:
        if not path.is_file():
            raise SystemExit(f"{path} is not there: give a file with one sentence a line, as quotations.py and phrases.py print them")
    return [line for path in paths for line in path.read_text(encoding="utf-8").splitlines()]


def english_sentences(text: str) -> list[str]:
    """Of prose with line ends anywhere: sentences that hold hardly anything but words."""
    paragraphs = (" ".join(paragraph.split()) for paragraph in re.split(r"\n%\n|\n\s*\n", text))
    sentences = (sentence for paragraph in paragraphs for sentence in re.split(r"(?<=[.!?])\s+", paragraph))
    return [each for each in sentences if is_prose(each)]


def is_prose(sentence: str) -> bool:
    letters = sum(letter.isascii() and (letter.isalpha() or letter in " ,.'?!") for letter in sentence)
    return SHORTEST_LETTERS <= len(sentence) <= LONGEST_LETTERS and letters >= 0.98 * len(sentence)


def word_runs(text: str, length: int = 6) -> set[str]:
    """Every so many words that follow each other: two texts that share one are likely the same."""
    words = re.findall(r"[a-z']+", text.lower())
    return {" ".join(words[first : first + length]) for first in range(len(words) - length + 1)}
