"""Which of the few Taiwanese voices says what, guessed from pitch and the colour of the voice, so that one can be left out."""
from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from features import HOP, LogMel
from speech import SAMPLE_RATE, SpeechSet, gather_sounds
from stages import say

MOST_VOICES = 8
TESTED = 150
SECONDS = 2.5


def hold_out_voice(source: SpeechSet, seed: int) -> tuple[SpeechSet, list[SpeechSet]]:
    """The set without one voice; and to test on, sentences of that voice, and as many of the others, also left out."""
    voices = cluster(describe(source), seed)
    sizes = np.bincount(voices)
    # A voice with enough to test on, the loss of which leaves most of the speech.
    fitting = np.flatnonzero((sizes >= min(TESTED, len(source) // 20)) & (sizes <= 0.4 * len(source)))
    held = fitting[np.argmax(sizes[fitting])] if len(fitting) else np.argmin(sizes)
    say(f"voices found: {sizes.tolist()} sentences; number {held} is left out")
    random = np.random.default_rng(seed)
    of_voice, of_others = np.flatnonzero(voices == held), np.flatnonzero(voices != held)
    tested = random.permutation(of_voice)[:TESTED]
    control = random.permutation(of_others)[: len(tested)]
    rest = np.setdiff1d(of_others, control)
    return source.chosen(rest), [source.chosen(tested, "voice-left-out"), source.chosen(control, "voices-known")]


@torch.no_grad()
def describe(source: SpeechSet, batch: int = 256) -> np.ndarray:
    """Pitch (weighted most: it tells voices apart), and the mean and spread of 20 wide bands, without the level."""
    log_mel = LogMel(source.samples.device)
    middle = source.chosen(np.arange(len(source)))
    half = int(SECONDS * SAMPLE_RATE / 2)
    centre = (source.voice_start + source.voice_end) // 2
    middle.start, middle.end = np.maximum(source.voice_start, centre - half), np.minimum(source.voice_end, centre + half)
    rows = []
    for begin in range(0, len(source), batch):
        sound = gather_sounds(middle, np.arange(begin, min(len(source), begin + batch)), 2 * half)
        mel = log_mel(sound).unflatten(1, (20, 4)).mean(2)
        loud = (mel.mean(1, keepdim=True) > mel.mean((1, 2), keepdim=True)).float()
        mean = (mel * loud).sum(2) / loud.sum(2).clamp(min=1)
        rows.append(torch.cat([median_pitch(sound)[:, None].log2() * 4, 3 * (mean - mean.mean(1, keepdim=True))], 1).cpu())
    return torch.cat(rows).numpy()


def median_pitch(sound: Tensor) -> Tensor:
    """In hertz, by autocorrelation of 50 ms pieces; unvoiced ones do not count."""
    frames = sound.unfold(1, 800, 4 * HOP)
    frames = frames - frames.mean(-1, keepdim=True)
    power = torch.fft.rfft(frames, n=2048).abs().square()
    correlation = torch.fft.irfft(power)[..., : SAMPLE_RATE // 70]
    correlation = correlation / correlation[..., :1].clamp(min=1e-9)
    lowest_lag = SAMPLE_RATE // 400
    strength, lag = correlation[..., lowest_lag:].max(-1)
    pitch = SAMPLE_RATE / (lag + lowest_lag).float()
    voiced = (strength > 0.45) & (frames.square().mean(-1) > 0.1 * frames.square().mean((1, 2))[:, None])
    pitch = torch.where(voiced, pitch, torch.full_like(pitch, torch.nan))
    return torch.nan_to_num(pitch.nanmedian(1).values, nan=160.0)


def cluster(points: np.ndarray, seed: int) -> np.ndarray:
    """k-means at the number of voices that separates best, found on a sample (silhouette)."""
    random = np.random.default_rng(seed)
    points = (points - points.mean(0)) / points.std()
    sample = points[random.permutation(len(points))[:2000]]
    tries = []
    for count in range(2, min(MOST_VOICES, len(sample) // 2) + 1):
        centres = min((_k_means(sample, count, random) for _ in range(4)), key=lambda each: _distances(sample, each).min(1).sum())
        found = _distances(sample, centres).argmin(1)
        tries.append((_silhouette(sample, found), centres))
        say(f"  {count} voices: silhouette {tries[-1][0]:.3f}, sizes {np.bincount(found, minlength=count).tolist()}")
    return _distances(points, max(tries, key=lambda each: each[0])[1]).argmin(1)


def _k_means(points: np.ndarray, count: int, random: np.random.Generator) -> np.ndarray:
    centres = points[random.choice(len(points), count, replace=False)]
    for _ in range(30):
        nearest = _distances(points, centres).argmin(1)
        centres = np.stack([points[nearest == each].mean(0) if (nearest == each).any() else centres[each] for each in range(count)])
    return centres


def _distances(points: np.ndarray, centres: np.ndarray) -> np.ndarray:
    return ((points[:, None] - centres) ** 2).sum(-1)


def _silhouette(points: np.ndarray, labels: np.ndarray) -> float:
    distances = np.sqrt(((points[:, None] - points) ** 2).sum(-1))
    names = np.unique(labels)
    if len(names) < 2:
        return -1.0
    to_cluster = np.stack([distances[:, labels == name].mean(1) for name in names], 1)
    own = to_cluster[np.arange(len(points)), np.searchsorted(names, labels)]
    to_cluster[np.arange(len(points)), np.searchsorted(names, labels)] = np.inf
    other = to_cluster.min(1)
    return float(((other - own) / np.maximum(own, other)).mean())
