"""What lies between a voice and the microphone, for many examples at once: rooms, noise, telephone lines; and sound without speech."""
from __future__ import annotations

import math

import torch
from torch import Tensor

SAMPLE_RATE = 16_000
ROOM_SAMPLES = 8_000


def distort(sound: Tensor, recorded: Tensor, device_random: torch.Generator) -> Tensor:
    """[n, samples]; after its first `recorded` samples an example is digital silence, as the product pads it."""
    count, samples = sound.shape
    size = smooth_length(samples + ROOM_SAMPLES)
    draw = _Draws(count, sound.device, device_random)
    spectrum = torch.fft.rfft(sound, n=size)
    spectrum = spectrum * torch.fft.rfft(_room_responses(draw), n=size)
    hertz = torch.arange(size // 2 + 1, device=sound.device) * (SAMPLE_RATE / size)
    line = _telephone_bands(draw, hertz)
    noise = _noises(draw, hertz, size)
    voice = torch.fft.irfft(spectrum * line, n=size)[:, :samples]
    noise = torch.fft.irfft(noise * line, n=size)[:, :samples]
    power = voice.square().sum(1) / (sound != 0).sum(1).clamp(min=1)
    ratio = draw.between(5, 40)
    noise = noise * (power / noise.square().mean(1).clamp(min=1e-12) / 10 ** (ratio / 10)).sqrt()[:, None]
    mixed = voice + noise * draw.chance(0.65)[:, None]
    mixed = mixed * (10 ** draw.between(-0.8, 0.3))[:, None]
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


def _room_responses(draw: _Draws) -> Tensor:
    """The direct sound, and for some a tail of decaying noise (reverberation times of 0.15 to 0.6 s)."""
    time = torch.arange(ROOM_SAMPLES, device=draw.device) / SAMPLE_RATE
    decay = torch.exp(-6.9 * time / draw.between(0.15, 0.6)[:, None])
    tail = draw.normal(ROOM_SAMPLES) * decay * (time > 0.002)
    tail = tail / tail.square().sum(1, keepdim=True).sqrt()
    direct_over_tail = draw.between(0, 15)
    tail = tail * (10 ** (-direct_over_tail / 20) * draw.chance(0.3))[:, None]
    tail[:, 0] += 1
    return tail


def _telephone_bands(draw: _Draws, hertz: Tensor) -> Tensor:
    low, high = draw.between(200, 350)[:, None], draw.between(3100, 3900)[:, None]
    band = torch.sigmoid((hertz - low) / 25) * torch.sigmoid((high - hertz) / 60)
    return torch.where(draw.chance(0.2)[:, None], band, torch.ones_like(band))


def _noises(draw: _Draws, hertz: Tensor, size: int) -> Tensor:
    """Between white and pink, in the frequency domain."""
    slope = draw.between(0, 1)[:, None] / 2
    shape = hertz.clamp(min=20) ** -slope
    return torch.complex(draw.normal(len(hertz)), draw.normal(len(hertz))) * shape * math.sqrt(size)


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
