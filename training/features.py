"""Whisper's features on the device that holds the sound: 80 mel bands every 10 ms, optionally with the formants moved."""
from __future__ import annotations

import math

import numpy as np
import torch
from torch import Tensor

HOP = 160
FRAME = 400
BINS = FRAME // 2 + 1
BANDS = 80
FULL_FRAMES = 3000
APART_BINS = 80  # of 40 Hz


class LogMel:
    def __init__(self, device: torch.device):
        self._filters = torch.from_numpy(mel_filters()).to(device)
        self._window = torch.hann_window(FRAME, device=device)

    def __call__(self, sound: Tensor, warp: Tensor | None = None, colour: Tensor | None = None) -> Tensor:
        """[n, samples] → [n, 80, samples / 160]. `warp`, [n, 2], moves each example's formants by a factor (Jaitly and Hinton 2013), and
        the lower ones and the upper ones apart; `colour`, [n, 80], makes bands louder, in powers of ten."""
        spectrum = torch.stft(sound, FRAME, HOP, window=self._window, center=True, pad_mode="reflect", return_complex=True)
        power = spectrum[..., :-1].abs().square()
        filters = self._filters if warp is None else self._filters @ warp_matrices(warp)
        mel = (filters @ power).clamp(min=1e-10).log10()
        if colour is not None:
            mel = mel + colour[..., None]
        top = mel.amax((1, 2), keepdim=True)
        return (torch.maximum(mel, top - 8) + 4) / 4


def warp_matrices(warp: Tensor) -> Tensor:
    """[n, 2] → [n, 201, 201]: row f reads the power at f · factor, bent so that 8 kHz stays where it is; and what lies around 0.8 kHz is moved
    by a share in one direction, what lies around 2.4 kHz in the other."""
    bins = torch.arange(BINS, device=warp.device, dtype=torch.float32)
    factors, apart = warp.float()[:, :1], warp.float()[:, 1:]
    edge = 0.6 * (BINS - 1) * torch.minimum(torch.ones_like(factors), 1 / factors)
    upper = BINS - 1 - (BINS - 1 - factors * edge) / (BINS - 1 - edge) * (BINS - 1 - bins)
    source = torch.where(bins <= edge, bins * factors, upper)
    source = (source * (1 + apart * torch.sin(2 * math.pi * bins / APART_BINS) * (bins < APART_BINS))).clamp(0, BINS - 1)
    return (1 - (source[..., None] - bins).abs()).clamp(min=0)


def mel_filters() -> np.ndarray:
    """Slaney's triangular filters of unit area, as librosa builds them."""
    edges = np.array([_hertz(_mel(8000) * index / (BANDS + 1)) for index in range(BANDS + 2)])
    hertz = np.arange(BINS) * 16_000 / FRAME
    rising = (hertz - edges[:-2, None]) / (edges[1:-1] - edges[:-2])[:, None]
    falling = (edges[2:, None] - hertz) / (edges[2:] - edges[1:-1])[:, None]
    filters = np.maximum(0, np.minimum(rising, falling)) * (2 / (edges[2:] - edges[:-2]))[:, None]
    return filters.astype(np.float32)


def _mel(hertz: float) -> float:
    return hertz / (200 / 3) if hertz < 1000 else 15 + math.log(hertz / 1000) / (math.log(6.4) / 27)


def _hertz(mel: float) -> float:
    return mel * 200 / 3 if mel < 15 else 1000 * math.exp(math.log(6.4) / 27 * (mel - 15))
