"""Whisper's tokens: byte-level pairs for text, and the ids that steer the decoder."""
from __future__ import annotations

import json
import re
from pathlib import Path

# `\p{L}` of the published pattern is `[^\W\d_]` here: Python's own module knows no properties.
_WORDS = re.compile(r"'s|'t|'re|'ve|'m|'ll|'d| ?[^\W\d_]+| ?\d+| ?[^\s\w]+|\s+(?!\S)|\s+")
#: Javanese, which the product does not serve, lends its token to Taiwanese.
TAIWANESE_TOKEN = "<|jw|>"
LANGUAGES = ("zh", "en", "nan")


class Tokens:
    def __init__(self, folder: Path):
        generation = json.loads((folder / "generation_config.json").read_text(encoding="utf-8"))
        self._ids = json.loads((folder / "vocab.json").read_text(encoding="utf-8"))
        self._spellings = {number: spelling for spelling, number in self._ids.items()}
        merges = (folder / "merges.txt").read_text(encoding="utf-8").split("\n")[1:]
        self._ranks = {tuple(line.split(" ")): rank for rank, line in enumerate(merges) if " " in line}
        self._letters = _byte_letters()
        self._bytes = {letter: byte for byte, letter in enumerate(self._letters)}
        self._known: dict[str, list[int]] = {}

        self.end = generation["eos_token_id"]
        self.start = generation["decoder_start_token_id"]
        self.transcribe = generation["task_to_id"]["transcribe"]
        self.no_timestamps = generation["no_timestamps_token_id"]
        self.no_speech = self.no_timestamps - 1
        self.first_timestamp = self.no_timestamps + 1
        self.count = self.first_timestamp + 1501
        spoken = generation["lang_to_id"]
        self.languages = {"zh": spoken["<|zh|>"], "en": spoken["<|en|>"], "nan": spoken[TAIWANESE_TOKEN]}
        self.suppressed = [*generation["suppress_tokens"], self.no_timestamps]
        self.suppressed_at_start = generation["begin_suppress_tokens"]

    def encode(self, text: str) -> list[int]:
        return [token for word in _WORDS.findall(text) for token in self._encode_word(word)]

    def decode(self, tokens: list[int]) -> str:
        spelling = "".join(self._spellings.get(token, "") for token in tokens if token < self.end)
        return bytes(self._bytes[letter] for letter in spelling).decode("utf-8", "ignore")

    def prompt(self, language: str, timestamps: bool) -> list[int]:
        prompt = [self.start, self.languages[language], self.transcribe]
        return prompt if timestamps else [*prompt, self.no_timestamps]

    def timestamp(self, seconds: float) -> int:
        return self.first_timestamp + min(1500, max(0, round(seconds * 50)))

    def _encode_word(self, word: str) -> list[int]:
        if word not in self._known:
            pieces = [self._letters[byte] for byte in word.encode("utf-8")]
            while len(pieces) > 1:
                pairs = list(zip(pieces, pieces[1:]))
                best = min(pairs, key=lambda pair: self._ranks.get(pair, 1 << 30))
                if best not in self._ranks:
                    break
                at = pairs.index(best)
                pieces[at : at + 2] = ["".join(best)]
            self._known[word] = [self._ids[piece] for piece in pieces]
        return self._known[word]


def written_taiwanese(text: str) -> str:
    """What the decoder may write: quotation marks are among the tokens that it never gives."""
    return re.sub(r"[「」『』（）()\[\]《》〈〉─…]+", "", text.replace("\u3000", "")).strip()


def _byte_letters() -> list[str]:
    """Each byte as one printable character (GPT-2's alphabet)."""
    letters, following = [], 256
    for byte in range(256):
        printable = 33 <= byte <= 126 or 161 <= byte <= 172 or byte >= 174
        letters.append(chr(byte if printable else following))
        following += not printable
    return letters
