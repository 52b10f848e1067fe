"""What the decoder is asked for in each example: tokens to read, and at which of their places what is to be learnt."""
from __future__ import annotations

from dataclasses import dataclass, field, fields

import numpy as np

from plans import Plan
from tokens import LANGUAGES, Tokens

KINDS = ("nan", "zh", "en", "timestamp", "end", "language", "none", "hearing", "reading")
LONGEST_TOKENS = 440
WITH_TIMESTAMPS = 0.55
#: From this share of Taiwanese on, the prompt says Taiwanese: it is the one that may mix in Mandarin.
TAIWANESE_FROM = 0.3
#: In so many of the examples without Taiwanese the prompt says Taiwanese all the same: where Mandarin is taken for it, it is still written as Mandarin.
MISTOLD = 0.12


@dataclass
class Sentences:
    """Everything that the targets need to know of the sentences, by their number."""

    languages: np.ndarray
    tokens: list[list[int]]
    bank_rows: np.ndarray
    misheard: np.ndarray  # Taiwanese, with what the untouched model takes it for when it is told to hear Mandarin
    voice_start: np.ndarray  # seconds into the sentence
    voice_end: np.ndarray
    seconds: np.ndarray


@dataclass
class Targets:
    """Places count through all examples, row by row of `inputs`. Lists while they are written, arrays after that."""

    inputs: np.ndarray
    hard_places: np.ndarray | list[int] = field(default_factory=list)
    hard_tokens: np.ndarray | list[int] = field(default_factory=list)
    hard_kinds: np.ndarray | list[int] = field(default_factory=list)
    soft_places: np.ndarray | list[int] = field(default_factory=list)
    soft_rows: np.ndarray | list[int] = field(default_factory=list)
    soft_tokens: np.ndarray | list[int] = field(default_factory=list)
    soft_kinds: np.ndarray | list[int] = field(default_factory=list)
    language_places: np.ndarray | list[int] = field(default_factory=list)
    language_shares: np.ndarray | list[list[float]] = field(default_factory=list)
    silent_places: np.ndarray | list[int] = field(default_factory=list)
    silent_rows: np.ndarray | list[int] = field(default_factory=list)

    def in_arrays(self) -> Targets:
        """Lists are slow to send, to another process or to the device."""
        numbers = (getattr(self, each.name) for each in fields(self)[1:])
        return Targets(self.inputs, *(np.array(each, dtype=np.float32 if each and isinstance(each[0], list) else np.int64) for each in numbers))


class TargetWriter:
    def __init__(self, sentences: Sentences, tokens: Tokens, seed: int):
        self._sentences, self._tokens = sentences, tokens
        self._random = np.random.default_rng(seed)
        self._marks = {tuple(tokens.encode(mark)) for mark in ".,?!。，？！、"}
        self._marks |= {(tokens.encode("a" + mark)[-1],) for mark in ".,?!"}

    def reseed(self, seed: int) -> None:
        self._random = np.random.default_rng(seed)

    def write(self, plan: Plan) -> Targets:
        examples = [self._write_example(plan, row) for row in range(len(plan.seconds))]
        width = min(LONGEST_TOKENS, max(len(text) for text, _ in examples))
        targets = Targets(np.full((len(examples), width), self._tokens.end, dtype=np.int64))
        for row, (text, lessons) in enumerate(examples):
            targets.inputs[row, : len(text)] = text[:width]
            self._place(targets, row, width, text, lessons)
        return targets.in_arrays()

    def _write_example(self, plan: Plan, row: int) -> tuple[list[int], list]:
        """Tokens, and for each place after the prompt (kind, bank row or −1); the language's shares or a bank row first."""
        known, random = self._sentences, self._random
        chosen = plan.sentence[row][plan.used[row]]
        if known.languages[chosen[0]] == "none":
            return [self._tokens.start], [("none", int(known.bank_rows[chosen[0]]))]
        durations = {name: 0.0 for name in LANGUAGES}
        for sentence in chosen:
            durations[known.languages[sentence]] += known.seconds[sentence]
        shares = np.array(list(durations.values())) / sum(durations.values())
        language = LANGUAGES[random.choice(len(LANGUAGES), p=shares)]
        if language == "zh" and shares[LANGUAGES.index("nan")] >= TAIWANESE_FROM:
            language = "nan"
        if known.misheard[chosen[0]]:
            shares = np.array([float(name == "nan") for name in LANGUAGES])
        elif random.random() < MISTOLD and language == "zh":
            language = "nan"
        timestamps = random.random() < WITH_TIMESTAMPS
        text = self._tokens.prompt(language, timestamps)
        lessons: list = [("language", shares.tolist())]
        self._write_sentences(plan, row, chosen, timestamps, text, lessons)
        return text, lessons

    def _write_sentences(self, plan: Plan, row: int, chosen: np.ndarray, timestamps: bool, text: list[int], lessons: list) -> None:
        known, tokens = self._sentences, self._tokens
        latest = tokens.first_timestamp
        for slot, sentence in enumerate(chosen):
            start, speed = plan.start[row, slot], plan.speed[row, slot]
            is_first, is_last = slot == 0, slot == len(chosen) - 1
            if timestamps and (is_first or not plan.tight[row]):
                time = max(latest, tokens.timestamp(start + known.voice_start[sentence] / speed - 0.04))
                text.append(time)
                lessons.append(("timestamp", -1))
            words = known.tokens[sentence]
            if plan.tight[row] and not is_last and len(words) > 1 and tuple(words[-1:]) in self._marks:
                words = words[:-1]
            first_row = int(known.bank_rows[sentence])
            text.extend(words)
            kind = known.languages[sentence]
            lessons.extend((kind, -1 if first_row < 0 else first_row + place) for place in range(len(words)))
            if timestamps and (is_last or not plan.tight[row]):
                latest = max(latest + 1, tokens.timestamp(start + known.voice_end[sentence] / speed + 0.06))
                text.append(latest)
                lessons.append(("timestamp", -1))
        lessons.append(("end", -1))

    def _place(self, targets: Targets, row: int, width: int, text: list[int], lessons: list) -> None:
        first = row * width
        kind, content = lessons[0]
        if kind == "none":
            targets.silent_places.append(first)
            targets.silent_rows.append(content)
            return
        targets.language_places.append(first)
        targets.language_shares.append(content)
        # A lesson sits at the place before its token. The last one is the end, which no input token stands for.
        prompt = len(text) - (len(lessons) - 2)
        wanted = [*text[prompt:], self._tokens.end]
        for place, token, (kind, bank_row) in zip(range(prompt - 1, width), wanted, lessons[1:]):
            if bank_row < 0:
                targets.hard_places.append(first + place)
                targets.hard_tokens.append(token)
                targets.hard_kinds.append(KINDS.index(kind))
            else:
                targets.soft_places.append(first + place)
                targets.soft_rows.append(bank_row)
                targets.soft_tokens.append(token)
                targets.soft_kinds.append(KINDS.index(kind))
