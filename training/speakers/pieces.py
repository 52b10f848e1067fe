"""Speech by speaker: labels for the packed set, speakers held out, and batches of random pieces, in bulk on the device."""
from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from sounds import ROOM_SAMPLES, Surroundings, distort
from speech import SAMPLE_RATE, SpeechSet, load_set

#: Speed and formants of the copies that are learnt as speakers of their own (speed, warp).
VARIANTS = ((1.0, 1.0), (0.9, 1.0), (1.1, 1.0), (1.0, 0.9), (1.0, 1.1))


@dataclass
class Voices:
    speech: SpeechSet
    names: list[str]  # of each sentence's speaker

    def of(self, speakers: list[str]) -> list[np.ndarray]:
        """The sentences of each speaker."""
        names = np.array(self.names)
        return [np.flatnonzero(names == speaker) for speaker in speakers]


def load_voices(parts: Path, manifest: Path, device: torch.device) -> Voices:
    """The packed set has lost the speakers' names; the manifest it was made from has them, line for line."""
    with manifest.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    speech = load_set(parts, "train-speakers", device)
    if len(speech) > len(rows) or any(speech.texts[index] != (rows[index]["text"] or "").strip() for index in range(len(speech))):
        raise ValueError(f"{manifest} is not what the speech in {parts} was packed from")
    return Voices(speech, [row["speaker"] for row in rows[: len(speech)]])


def hold_out(names: list[str], share: float, seed: int = 7) -> tuple[list[str], list[str]]:
    """Speakers to learn and speakers to test on, the same share of every source (the letters before the number)."""
    random = np.random.default_rng(seed)
    tested: list[str] = []
    speakers = sorted(set(names))
    for source in sorted({name[:2] for name in speakers}):
        own = [name for name in speakers if name[:2] == source]
        tested += [str(name) for name in random.choice(own, max(2, round(len(own) * share)), replace=False)]
    return [name for name in speakers if name not in tested], sorted(tested)


class PieceSampler:
    """Random pieces of random speakers. A piece longer than its sentence goes round in it."""

    def __init__(self, voices: Voices, speakers: list[str], device: torch.device, seed: int = 1):
        self._speech, self._device = voices.speech, device
        sentences = voices.of(speakers)
        self._sentences, self._counts = np.concatenate(sentences), np.array([len(own) for own in sentences])
        # No real noise and no real rooms come with this set.
        self._surroundings = Surroundings(torch.zeros(0, device=device), torch.zeros(0, ROOM_SAMPLES, device=device))
        self._random = np.random.default_rng(seed)
        self._device_random = torch.Generator(device=device).manual_seed(seed)
        self.classes = len(speakers) * len(VARIANTS)

    def batch(self, count: int, seconds: float) -> tuple[Tensor, Tensor, Tensor]:
        """Sound [n, samples], how to warp its formants [n, 2], and its class [n]."""
        random, speech = self._random, self._speech
        speaker = random.integers(len(self._counts), size=count)
        variant = random.choice(len(VARIANTS), size=count, p=(0.4, 0.15, 0.15, 0.15, 0.15))
        before = np.cumsum(self._counts)[speaker] - self._counts[speaker]
        sentence = self._sentences[before + (random.random(count) * self._counts[speaker]).astype(int)]
        start, end = speech.voice_start[sentence], speech.voice_end[sentence]
        first = random.random(count) * (end - start)
        tensor = lambda values: torch.from_numpy(np.asarray(values)).to(self._device)
        speed = tensor([VARIANTS[each][0] for each in variant]).double()[:, None]
        samples = round(seconds * SAMPLE_RATE)
        place = tensor(first)[:, None] + torch.arange(samples, device=self._device, dtype=torch.float64) * speed
        length = tensor(end - start)[:, None]
        whole = place.floor()
        share = (place - whole).float()
        at = lambda index: speech.samples[tensor(start)[:, None] + index.long() % length].float() / 32768
        sound = at(whole) * (1 - share) + at(whole + 1) * share
        sound = self._with_others(sound, speaker)
        recorded = torch.full((count,), samples, device=self._device)
        warp = tensor([(VARIANTS[each][1], 0) for each in variant]).float()
        babble = lambda rows, _: sum(sound.roll(shift, 0)[rows] for shift in (1, 2, 3))
        distorted = distort(sound, recorded, self._surroundings, babble, self._device_random)
        return distorted, warp, tensor(speaker * len(VARIANTS) + variant)

    def _with_others(self, sound: Tensor, speaker: np.ndarray) -> Tensor:
        """Behind some pieces another voice is heard, 4 to 20 dB softer, over a part of the time."""
        count, samples = sound.shape
        draw = lambda: torch.rand(count, 1, device=self._device, generator=self._device_random)
        level = lambda x: x.square().mean(1, keepdim=True).clamp(min=1e-10).sqrt()
        other = sound.roll(1, 0)
        gain = level(sound) / level(other) * 10 ** (-(4 + 16 * draw()) / 20) * (draw() < 0.3)
        time = torch.arange(samples, device=self._device) / samples
        begin = draw() * 1.5 - 0.5
        during = ((time > begin) & (time < begin + 0.2 + 0.6 * draw())).float()
        return sound + other * gain * during
