"""What lies between a voice and the microphone, for many examples at once: rooms, noise, other voices, telephone lines, poor codecs; and
sound without speech."""
from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor

SAMPLE_RATE = 16_000
ROOM_SAMPLES = 12_800
#: How often each is heard beside a voice, and between which ratios, in decibels: nothing, noise that is made up, real noise, other voices.
NOISES = ((0.25, 40, 40), (0.25, 2, 35), (0.25, 3, 30), (0.25, 4, 25))
#: In so many examples there is none of all that.
PLAIN = 0.35
TELEPHONE, CODEC, ROOM = 0.2, 0.15, 0.4


@dataclass
class Surroundings:
    """Real noise and real rooms. Where there is none, what is made up stands in for it."""

    noise: Tensor  # flat, −1 … 1
    rooms: Tensor  # [rooms, ROOM_SAMPLES], each beginning with the direct sound at 1


def distort(
    sound: Tensor, recorded: Tensor, surroundings: Surroundings, babble: Callable[[Tensor, int], Tensor], device_random: torch.Generator
) -> Tensor:
    """[n, samples]; after its first `recorded` samples an example is digital silence, as the product pads it. `babble` gives other voices for
    some of the examples."""
    count, samples = sound.shape
    size = smooth_length(samples + ROOM_SAMPLES)
    draw = _Draws(count, sound.device, device_random)
    hertz = torch.arange(size // 2 + 1, device=sound.device) * (SAMPLE_RATE / size)
    plain = draw.chance(PLAIN)
    in_telephone = draw.chance(TELEPHONE) & ~plain
    line = _telephone_bands(draw, hertz, in_telephone)
    rooms = torch.fft.rfft(_room_responses(draw, surroundings.rooms, draw.chance(ROOM) & ~plain), n=size)
    voice = torch.fft.irfft(torch.fft.rfft(sound, n=size) * rooms * line, n=size)[:, :samples]
    noise, ratio = _noises(draw, hertz, size, samples, surroundings, babble)
    ratio = torch.where(plain, 40.0, ratio)
    noise = torch.fft.irfft(torch.fft.rfft(noise, n=size) * line, n=size)[:, :samples]
    power = voice.square().sum(1) / (sound != 0).sum(1).clamp(min=1)
    noise = noise * (power / noise.square().mean(1).clamp(min=1e-12) / 10 ** (ratio / 10)).sqrt()[:, None]
    mixed = (voice + noise * (ratio < 40)[:, None]) * (10 ** draw.between(-0.8, 0.3))[:, None]
    mixed = torch.where(in_telephone[:, None], _companded(mixed), mixed)
    coded = (draw.chance(CODEC) & ~plain).nonzero()[:, 0]
    if len(coded):
        mixed[coded] = _through_codec(mixed[coded], _Draws(len(coded), sound.device, device_random))
    time = torch.arange(samples, device=sound.device)
    return torch.where(time < recorded[:, None], mixed, torch.zeros_like(mixed)).clamp(-1, 1)


class _Draws:
    def __init__(self, count: int, device: torch.device, generator: torch.Generator):
        self.count, self.device, self.generator = count, device, generator

    def between(self, low: float, high: float) -> Tensor:
        return low + (high - low) * torch.rand(self.count, device=self.device, generator=self.generator)

    def chance(self, share: float) -> Tensor:
        return torch.rand(self.count, device=self.device, generator=self.generator) < share

    def normal(self, *shape: int) -> Tensor:
        return torch.randn(self.count, *shape, device=self.device, generator=self.generator)


def _room_responses(draw: _Draws, real: Tensor, chosen: Tensor) -> Tensor:
    """The direct sound, and for those chosen a tail: of decaying noise (reverberation times of 0.15 to 0.9 s), or of a real room, nearer or farther."""
    time = torch.arange(ROOM_SAMPLES, device=draw.device) / SAMPLE_RATE
    decay = torch.exp(-6.9 * time / draw.between(0.15, 0.9)[:, None])
    tail = draw.normal(ROOM_SAMPLES) * decay * (time > 0.0025)
    if len(real):
        number = (draw.between(0, 1) * len(real)).long().clamp(max=len(real) - 1)
        tail = torch.where(draw.chance(0.35)[:, None], real[number] * (time > 0), tail)
    tail = tail / tail.square().sum(1, keepdim=True).sqrt().clamp(min=1e-6)
    direct_over_tail = draw.between(-3, 15)
    tail = tail * (10 ** (-direct_over_tail / 20) * chosen)[:, None]
    tail[:, 0] += 1
    return tail


def _telephone_bands(draw: _Draws, hertz: Tensor, chosen: Tensor) -> Tensor:
    low, high = draw.between(200, 350)[:, None], draw.between(3100, 3900)[:, None]
    band = torch.sigmoid((hertz - low) / 25) * torch.sigmoid((high - hertz) / 60)
    return torch.where(chosen[:, None], band, torch.ones_like(band))


def _noises(draw: _Draws, hertz: Tensor, size: int, samples: int, surroundings: Surroundings, babble) -> tuple[Tensor, Tensor]:
    """[n, samples] of noise, and at which ratio to the voice it is to be heard; 40 stands for not at all."""
    kind = torch.bucketize(draw.between(0, 1), torch.tensor([share for share, _, _ in NOISES], device=draw.device).cumsum(0)[:-1])
    low, high = (torch.tensor([each[side] for each in NOISES], device=draw.device, dtype=torch.float32)[kind] for side in (1, 2))
    ratio = low + (high - low) * draw.between(0, 1)
    # Between white and pink.
    shape = hertz.clamp(min=20) ** (-draw.between(0, 1.2)[:, None] / 2)
    noise = torch.fft.irfft(torch.complex(draw.normal(len(hertz)), draw.normal(len(hertz))) * shape * math.sqrt(size), n=size)[:, :samples]
    if len(surroundings.noise) > samples:
        rows = (kind == 2).nonzero()[:, 0]
        first = (draw.between(0, 1)[rows].double() * (len(surroundings.noise) - samples)).long()
        noise[rows] = surroundings.noise[first[:, None] + torch.arange(samples, device=draw.device)]
    rows = (kind == 3).nonzero()[:, 0]
    if len(rows):
        noise[rows] = babble(rows, samples)
    return noise, ratio


def _companded(sound: Tensor) -> Tensor:
    """Through the eight bits of a telephone exchange (µ-law)."""
    loud = sound.clamp(-1, 1)
    coded = torch.sign(loud) * torch.log1p(255 * loud.abs()) / math.log(256)
    coded = (coded * 127).round() / 127
    return torch.sign(coded) * torch.expm1(coded.abs() * math.log(256)) / 255


def _through_codec(sound: Tensor, draw: _Draws) -> Tensor:
    """What few bits leave of it: nothing above some frequency, no faint band, and of a band only what stands out."""
    window = torch.hann_window(512, device=sound.device)
    spectrum = torch.stft(sound, 512, 256, window=window, return_complex=True)[:, :256]
    size = spectrum.abs()
    band = F.max_pool2d(size, (8, 1)).repeat_interleave(8, 1)
    loudest = size.amax(1, keepdim=True)
    within, below = (10 ** (-draw.between(low, high) / 20)[:, None, None] for low, high in ((6, 20), (22, 45)))
    highest = draw.between(3600, 7800)[:, None, None] / SAMPLE_RATE * 512
    bins = torch.arange(256, device=sound.device)[:, None]
    kept = (size >= band * within) & (band >= loudest * below) & (bins < highest)
    return torch.istft(F.pad(spectrum * kept, (0, 0, 0, 1)), 512, 256, window=window, length=sound.shape[1])


def smooth_length(length: int) -> int:
    """The next length that a Fourier transform likes: factors 2, 3 and 5 only."""
    best = 1 << (length - 1).bit_length()
    for fives in range(7):
        for threes in range(9):
            odd = 5**fives * 3**threes
            if odd <= 2 * length:
                best = min(best, odd << max(0, math.ceil(math.log2(length / odd))))
    return best


def soundscapes(count: int, generator: torch.Generator) -> list[Tensor]:
    """Sound in which nobody speaks, as int16: near silence, noise, hum, tones that move like music, knocks."""
    sounds = []
    for index in range(count):
        seconds = 1 + 11 * torch.rand(1, generator=generator).item()
        time = torch.arange(int(seconds * SAMPLE_RATE)) / SAMPLE_RATE
        sound = (_silence, _noise, _hum, _tune, _knocks)[index % 5](time, generator)
        level = 10 ** (-2.5 + 2 * torch.rand(1, generator=generator).item())
        sounds.append((sound / sound.abs().max().clamp(min=1e-9) * level * 32767).to(torch.int16))
    return sounds


def _silence(time: Tensor, generator: torch.Generator) -> Tensor:
    sound = torch.randn(len(time), generator=generator)
    sound[0] = 300.0  # so that the rest is near nothing after scaling
    return sound


def _noise(time: Tensor, generator: torch.Generator) -> Tensor:
    spectrum = torch.fft.rfft(torch.randn(len(time), generator=generator))
    hertz = torch.arange(len(spectrum)).clamp(min=1)
    return torch.fft.irfft(spectrum * hertz ** -torch.rand(1, generator=generator), n=len(time))


def _hum(time: Tensor, generator: torch.Generator) -> Tensor:
    base = 50 + 10 * torch.randint(0, 2, (1,), generator=generator)
    tones = sum(torch.sin(2 * math.pi * base * n * time) / n for n in range(1, 6))
    return tones + 0.05 * torch.randn(len(time), generator=generator)


def _tune(time: Tensor, generator: torch.Generator) -> Tensor:
    notes = 220 * 2 ** (torch.randint(0, 25, (len(time) // 4000 + 1,), generator=generator) / 12)
    pitch = notes.repeat_interleave(4000)[: len(time)]
    phase = 2 * math.pi * torch.cumsum(pitch, 0) / SAMPLE_RATE
    return sum(torch.sin(phase * n) / n**1.5 for n in range(1, 5)) * torch.exp(-(time % 0.25) * 6)


def _knocks(time: Tensor, generator: torch.Generator) -> Tensor:
    sound = 0.01 * torch.randn(len(time), generator=generator)
    decay = torch.exp(-torch.arange(1600) / 200.0)
    for _ in range(1 + len(time) // 16000):
        at = torch.randint(0, len(time) - 1600, (1,), generator=generator).item()
        sound[at : at + 1600] += decay * torch.randn(1600, generator=generator)
    return sound
