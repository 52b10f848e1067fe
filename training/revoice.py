"""The same sentences in other voices: time is stretched without moving the pitch (WSOLA, Verhelst and Roelands 1993), and whoever plays that
back faster or slower by as much hears another pitch at the old pace. The colour of the voice is moved apart from it (features.py)."""
from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from speech import SpeechSet

FRAME = 512
HOP = FRAME // 2
#: So far from where it should be taken, in samples, a frame may be taken for a better fit: a period of a low voice.
REACH = 160
TAPS = 63
MOST_SAMPLES = 250_000_000


@dataclass
class Voices:
    """Where each sentence lies in each voice, [voices, sentences], and how fast each voice is to be played. The first is the recording's own."""

    samples: Tensor  # int16, flat
    start: Tensor
    length: Tensor
    speed: Tensor  # [voices]


def make_voices(source: SpeechSet, pitches: list[float]) -> Voices:
    device = source.samples.device
    start, length = (torch.from_numpy(each).to(device) for each in (source.start, source.end - source.start))
    sounds, starts, lengths = [source.samples], [start], [length]
    for pitch in pitches:
        stretched, at, count = stretch(source, pitch)
        starts.append(at + sum(len(each) for each in sounds))
        sounds.append(stretched)
        lengths.append(count)
    speed = torch.tensor([1.0, *pitches], dtype=torch.float64, device=device)
    return Voices(torch.cat(sounds), torch.stack(starts), torch.stack(lengths), speed)


@torch.no_grad()
def stretch(source: SpeechSet, factor: float) -> tuple[Tensor, Tensor, Tensor]:
    """Every sentence as many times as long: flat samples, and where each begins and how long it is."""
    device = source.samples.device
    length = source.end - source.start
    order = np.argsort(length, kind="stable")
    new_length = torch.from_numpy(np.ceil(length * factor).astype(np.int64)).to(device)
    pieces, start = [], torch.zeros(len(length), dtype=torch.int64, device=device)
    begin = position = 0
    while begin < len(order):
        end = begin + 1
        while end < len(order) and (end + 1 - begin) * length[order[end]] * factor < MOST_SAMPLES:
            end += 1
        rows = torch.from_numpy(order[begin:end]).to(device)
        longest = int(length[order[end - 1]])
        time = torch.arange(longest, device=device)
        at = torch.from_numpy(source.start[order[begin:end]]).to(device)[:, None] + time
        inside = time < torch.from_numpy(length[order[begin:end]]).to(device)[:, None]
        sound = torch.where(inside, source.samples[at.clamp(max=len(source.samples) - 1)], torch.zeros((), dtype=torch.int16, device=device))
        made = _lowered(_stretched(sound.float(), factor), factor).clamp(-32768, 32767).to(torch.int16)
        kept = torch.arange(made.shape[1], device=device) < new_length[rows][:, None]
        pieces.append(made[kept])
        counts = new_length[rows]
        start[rows] = position + torch.cumsum(counts, 0) - counts
        position += int(counts.sum())
        begin = end
    return torch.cat(pieces), start, new_length


def _stretched(sound: Tensor, factor: float) -> Tensor:
    """[n, samples] → [n, about samples · factor]: frames laid over each other, each taken where it continues the one before it best."""
    count, samples = sound.shape
    sound = F.pad(sound, (REACH, REACH + 2 * FRAME))
    frames = -(-int(np.ceil(samples * factor)) // HOP) + 1
    window = torch.hann_window(FRAME, device=sound.device)
    made = torch.zeros(count, (frames + 1) * HOP, device=sound.device)
    places = torch.arange(FRAME, device=sound.device)
    last = torch.full((count, 1), REACH, device=sound.device)
    for frame in range(frames):
        wanted = min(int(frame * HOP / factor), samples)
        if frame > 0:
            goes_on = sound.gather(1, (last + HOP + places).clamp(max=sound.shape[1] - 1))
            around = sound[:, wanted : wanted + FRAME + 2 * REACH]
            last = wanted + _best_fit(around, goes_on)
        made[:, frame * HOP : frame * HOP + FRAME] += window * sound.gather(1, last + places)
    return made


def _best_fit(around: Tensor, goes_on: Tensor) -> Tensor:
    """[n, 1]: at which of its places `around` is most like `goes_on`."""
    size = 1 << (around.shape[1] - 1).bit_length()
    likeness = torch.fft.irfft(torch.fft.rfft(around, n=size) * torch.fft.rfft(goes_on, n=size).conj(), n=size)[:, : 2 * REACH + 1]
    energy = F.pad(around.square().cumsum(1), (1, 0))
    energy = energy[:, FRAME : FRAME + 2 * REACH + 1] - energy[:, : 2 * REACH + 1]
    return (likeness / (energy.clamp(min=0) + 1e3).sqrt()).argmax(1, keepdim=True)


def _lowered(sound: Tensor, factor: float) -> Tensor:
    """Without what would be above half the sample rate when it is played faster."""
    if factor <= 1:
        return sound
    time = torch.arange(TAPS, device=sound.device) - TAPS // 2
    kernel = torch.sinc(time / factor) * torch.hann_window(TAPS, periodic=False, device=sound.device)
    return F.conv1d(sound[:, None], (kernel / kernel.sum())[None, None], padding=TAPS // 2)[:, 0]
