"""Speech sets as flat 16-bit samples on the device, with where each sentence and the voice in it begin and end."""
from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

SAMPLE_RATE = 16_000
FRAME = 160
MARGIN_SECONDS = 0.1


@dataclass
class SpeechSet:
    name: str
    samples: Tensor  # int16, flat
    start: np.ndarray  # samples
    end: np.ndarray
    voice_start: np.ndarray  # samples, inside start … end
    voice_end: np.ndarray
    loudness: np.ndarray  # root mean square of the voiced part, −1 … 1
    languages: list[str]
    texts: list[str]
    rows: np.ndarray  # which recording of its set, counted from 0: a long one lies here in several pieces

    def __len__(self) -> int:
        return len(self.texts)

    def seconds(self) -> np.ndarray:
        return (self.end - self.start) / SAMPLE_RATE

    def chosen(self, indices: np.ndarray, name: str | None = None) -> SpeechSet:
        return SpeechSet(
            name or self.name,
            self.samples,
            *(each[indices] for each in (self.start, self.end, self.voice_start, self.voice_end, self.loudness)),
            [self.languages[index] for index in indices],
            [self.texts[index] for index in indices],
            self.rows[indices],
        )

    def trimmed(self) -> SpeechSet:
        """Sentences without the silence around them, so that what is spliced together has true times."""
        margin = round(MARGIN_SECONDS * SAMPLE_RATE)
        start = np.maximum(self.start, self.voice_start - margin)
        end = np.minimum(self.end, self.voice_end + margin)
        return replace(self, start=start, end=end)


def load_set(parts: Path, name: str, device: torch.device) -> SpeechSet:
    """`SET`, or `SET.TABLE` for other sentences in the sound of the same set."""
    sentences = json.loads((parts / "pcm" / f"{name}.json").read_text(encoding="utf-8"))
    sentences = [each for each in sentences if each["end"] - each["start"] > SAMPLE_RATE // 4]
    samples = torch.from_numpy(np.fromfile(parts / "pcm" / f"{name.partition('.')[0]}.s16", dtype="<i2")).to(device)
    start = np.array([each["start"] for each in sentences], dtype=np.int64)
    end = np.array([each["end"] for each in sentences], dtype=np.int64)
    voice_start, voice_end, loudness = find_voices(frame_powers(samples), start, end)
    languages, texts = [each["language"] for each in sentences], [each["text"] for each in sentences]
    rows = np.array([each.get("row", index) for index, each in enumerate(sentences)], dtype=np.int64)
    return SpeechSet(name, samples, start, end, voice_start, voice_end, loudness, languages, texts, rows)


def join_sets(sets: list[SpeechSet], name: str) -> SpeechSet:
    samples = torch.cat([each.samples for each in sets])
    shifts = np.cumsum([0, *(len(each.samples) for each in sets)])

    def shifted(field: str) -> np.ndarray:
        return np.concatenate([getattr(each, field) + shift for each, shift in zip(sets, shifts)])

    return SpeechSet(
        name,
        samples,
        *(shifted(field) for field in ("start", "end", "voice_start", "voice_end")),
        np.concatenate([each.loudness for each in sets]),
        [language for each in sets for language in each.languages],
        [text for each in sets for text in each.texts],
        np.concatenate([each.rows for each in sets]),
    )


def at_speed(source: SpeechSet, speed: float) -> SpeechSet:
    """The same faster or slower, pitch and all. It is called SPEED~SET."""
    samples = torch.nn.functional.interpolate(source.samples[None, None].float(), scale_factor=1 / speed, mode="linear")[0, 0].to(torch.int16)
    places = {name: (getattr(source, name) / speed).astype(np.int64) for name in ("start", "end", "voice_start", "voice_end")}
    return replace(source, name=f"{speed}~{source.name}", samples=samples, **places)


def frame_powers(samples: Tensor, chunk: int = 16_000_000) -> np.ndarray:
    """Mean square of every 10 ms."""
    whole = samples[: len(samples) // FRAME * FRAME]
    powers = [piece.float().div(32768).square().view(-1, FRAME).mean(1).cpu() for piece in whole.split(chunk)]
    return torch.cat(powers).numpy()


def find_voices(powers: np.ndarray, start: np.ndarray, end: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """First and last 30 ms that are clearly louder than the pauses of their sentence."""
    voice_start, voice_end = start.copy(), end.copy()
    loudness = np.full(len(start), 0.05)
    decibels = 10 * np.log10(powers + 1e-10)
    for index in range(len(start)):
        first, last = -(-start[index] // FRAME), min(len(powers), end[index] // FRAME)
        levels = decibels[first:last]
        if len(levels) < 10:
            continue
        quiet, loud = np.percentile(levels, (5, 95))
        threshold = max(loud - 35, min(quiet + 8, loud - 15))
        held = np.minimum(np.minimum(levels[:-2], levels[1:-1]), levels[2:])
        voiced = np.flatnonzero(held > threshold)
        if len(voiced) == 0:
            continue
        voice_start[index] = (first + voiced[0]) * FRAME
        voice_end[index] = (first + voiced[-1] + 3) * FRAME
        loudness[index] = np.sqrt(powers[first + voiced[0] : first + voiced[-1] + 3].mean()) + 1e-5
    return voice_start, voice_end, loudness


def gather_sounds(source: SpeechSet, indices: np.ndarray, samples: int, lead: int = 0) -> Tensor:
    """Sentences as they are, after `lead` samples of silence, [n, samples], with silence behind."""
    device = source.samples.device
    start = torch.from_numpy(source.start[indices]).to(device)[:, None]
    length = torch.from_numpy(source.end[indices] - source.start[indices]).to(device)[:, None]
    time = torch.arange(samples, device=device) - lead
    inside = (time >= 0) & (time < length)
    values = source.samples[(start + time).clamp(0, len(source.samples) - 1)]
    return torch.where(inside, values, torch.zeros_like(values)).float() / 32768
