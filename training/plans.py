"""Which sentences are spliced into which example, how fast, with what gaps and after how much silence: numbers only, no sound."""
from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

SLOTS = 4
LONGEST_SECONDS = 29.0
LONGEST_ALONE_SECONDS = 29.8
LONGEST_SPLICED_SECONDS = 10.0
COUNTS = (0.57, 0.28, 0.11, 0.04)
LANGUAGE_SHARES = {"nan": 0.39, "zh": 0.36, "en": 0.25}
#: Of the Mandarin examples of one sentence, how many are Taiwanese that is misheard.
MISHEARD = 0.2
#: How often an example keeps the voices of its recordings; else one of the others is taken for all of it.
OWN_VOICE = 0.4
#: Played so much slower or faster, pitch and all.
SPEEDS = (0.84, 1.18)
PAIRS = (("zh", "nan"), ("zh", "en"), ("en", "nan"))
PAIR_SHARES = (0.37, 0.4, 0.23)
#: Of the spliced examples, how many are spoken without a pause and written as one sentence.
TIGHT = 0.4
#: Of the examples with English beside another language, in how many it is a few words instead of sentences, mostly without a pause; and
#: of those with Mandarin beside English.
PHRASES = {"en": 0.6, "zh": 0.5}
TIGHT_PHRASES = 0.85
WITHOUT_SPEECH = 0.03


@dataclass
class Plan:
    """Arrays of one row an example and one column a slot; `used` says which slots hold a sentence."""

    sentence: np.ndarray
    used: np.ndarray
    speed: np.ndarray
    start: np.ndarray  # seconds into the example
    tight: np.ndarray  # one row an example: spoken as one sentence
    seconds: np.ndarray  # until the last sentence ends
    voice: np.ndarray  # one row an example: which of revoice.py's voices speaks

    def rows(self, rows: np.ndarray) -> Plan:
        return Plan(*(getattr(self, field.name)[rows] for field in fields(self)))


class Pool:
    """Sentences to draw from, each as often as its weight says."""

    def __init__(self, sentences: np.ndarray, weights: np.ndarray):
        self._sentences = sentences
        self._bounds = np.cumsum(weights[sentences])

    def __len__(self) -> int:
        return len(self._sentences)

    def draw(self, count: int, random: np.random.Generator) -> np.ndarray:
        places = np.searchsorted(self._bounds, random.random(count) * self._bounds[-1], side="right")
        return self._sentences[np.minimum(places, len(self._sentences) - 1)]


class Planner:
    def __init__(self, languages: np.ndarray, kinds: np.ndarray, seconds: np.ndarray, weights: np.ndarray, voices: int, seed: int):
        """Of every sentence; a language that has none is never asked for. Misheard ones always stand alone, phrases never do."""
        self._random = np.random.default_rng(seed)
        self._seconds, self._voices = seconds, voices
        whole, short = ~np.isin(kinds, ("misheard", "phrase")), seconds <= LONGEST_SPLICED_SECONDS

        def pool(chosen: np.ndarray) -> Pool:
            return Pool(np.flatnonzero(chosen), weights)

        self._pools = {name: pool((languages == name) & whole) for name in (*LANGUAGE_SHARES, "none")}
        self._misheard = pool(kinds == "misheard")
        self._phrases = {name: pool((languages == name) & (kinds == "phrase")) for name in PHRASES}
        shorter = {name: pool((languages == name) & whole & short) for name in self._pools}
        self._short = {name: shorter[name] if len(shorter[name]) else self._pools[name] for name in self._pools}
        self._present = [name for name in LANGUAGE_SHARES if len(self._pools[name])]
        shares = np.array([LANGUAGE_SHARES[name] for name in self._present])
        self._shares = shares / shares.sum()

    def reseed(self, seed: int) -> None:
        self._random = np.random.default_rng(seed)

    def draw(self, count: int) -> Plan:
        random = self._random
        sentences = 1 + random.choice(SLOTS, size=count, p=COUNTS)
        names = self._draw_languages(count, sentences)
        sentence = self._draw_sentences(names, sentences)
        has_phrase = self._put_phrases(sentence, names, sentences)
        speed = np.where(random.random((count, SLOTS)) < 0.4, 1.0, random.uniform(*SPEEDS, (count, SLOTS)))
        tight = random.random(count) < np.where(has_phrase, TIGHT_PHRASES, TIGHT)
        gaps = np.where(tight[:, None], random.uniform(0, 0.12, (count, SLOTS)), random.uniform(0, 0.8, (count, SLOTS)))
        leads = self._draw_leads(count)
        first = self._seconds[sentence[:, 0]]
        too_long = leads + first / speed[:, 0] > LONGEST_ALONE_SECONDS
        speed[:, 0] = np.where(too_long, np.maximum(1, first / LONGEST_ALONE_SECONDS), speed[:, 0])
        spoken = self._seconds[sentence] / speed
        start = np.where(too_long, 0, leads)[:, None] + np.cumsum(spoken + gaps, 1) - spoken - gaps
        used = (np.arange(SLOTS) < sentences[:, None]) & (start + spoken <= LONGEST_SECONDS)
        used[:, 0] = True
        used = np.logical_and.accumulate(used, 1)
        end = np.where(used, start + spoken, 0).max(1)
        voice = np.where(random.random(count) < OWN_VOICE, 0, random.integers(0, self._voices, count))
        return Plan(sentence, used, speed, start, tight & (used.sum(1) > 1), end, voice)

    def _draw_languages(self, count: int, sentences: np.ndarray) -> np.ndarray:
        random = self._random
        names = np.array(self._present, dtype=object)[random.choice(len(self._present), size=count, p=self._shares)]
        grid = np.repeat(names[:, None], SLOTS, 1)
        switches = (sentences > 1) & (random.random(count) < 0.55)
        pairs = np.array(PAIRS, dtype=object)[random.choice(len(PAIRS), size=count, p=PAIR_SHARES)]
        turn = (np.arange(SLOTS) + random.integers(0, 2, count)[:, None]) % 2
        grid = np.where(switches[:, None], np.take_along_axis(pairs, turn, 1), grid)
        grid = np.where(np.isin(grid, self._present), grid, self._present[0])
        if len(self._pools["none"]):
            silent = random.random(count) < WITHOUT_SPEECH
            grid[silent] = "none"
            sentences[silent] = 1
        return grid

    def _draw_sentences(self, names: np.ndarray, sentences: np.ndarray) -> np.ndarray:
        drawn = np.zeros(names.shape, dtype=np.int64)
        alone = np.repeat(sentences[:, None] == 1, SLOTS, 1)
        for name in np.unique(names.astype(str)):
            for pool, chosen in ((self._pools[name], alone), (self._short[name], ~alone)):
                places = (names == name) & chosen
                if places.any():
                    drawn[places] = pool.draw(places.sum(), self._random)
        if len(self._misheard):
            swapped = (names[:, 0] == "zh") & (sentences == 1) & (self._random.random(len(names)) < MISHEARD)
            drawn[swapped, 0] = self._misheard.draw(swapped.sum(), self._random)
        return drawn

    def _put_phrases(self, sentence: np.ndarray, names: np.ndarray, sentences: np.ndarray) -> np.ndarray:
        """In place of English sentences beside another language, and of Mandarin ones beside English; says in which examples."""
        spoken = np.arange(SLOTS) < sentences[:, None]
        english, others = spoken & (names == "en"), spoken & (names != "en")
        has_both = english.any(1) & others.any(1)
        has_phrase = np.zeros(len(names), dtype=bool)
        for name, pool in self._phrases.items():
            chosen = has_both & (self._random.random(len(names)) < PHRASES[name]) & (len(pool) > 0)
            places = spoken & (names == name) & chosen[:, None]
            if places.any():
                sentence[places] = pool.draw(places.sum(), self._random)
            has_phrase |= places.any(1)
        return has_phrase

    def _draw_leads(self, count: int) -> np.ndarray:
        """The product puts some silence first, and what it cut out begins up to 0.2 s before the voice; none should do as well."""
        random = self._random
        kind = random.random(count)
        little, usual = random.uniform(0.02, 0.2, count), random.uniform(0.35, 0.65, count)
        return np.select([kind < 0.15, kind < 0.3, kind < 0.8], [0.0, little, usual], random.uniform(0, 0.75, count))
