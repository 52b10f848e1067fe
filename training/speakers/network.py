"""Networks that tell voices apart: sound of any length in, a direction in 128 dimensions out. All are small, and made of
operations that fold into a few ONNX nodes (export.py)."""
from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from features import BANDS, LogMel
from published_weights import load_weights
from whisper import Adapter, Block

WIDTH = 128


def create_network(kind: str, parts: Path, device: torch.device, dtype: torch.dtype) -> "SpeakerNetwork":
    fronts = {"tdnn": MelFront, "resnet": MelFront}
    front = fronts[kind](device) if kind in fronts else WhisperFront(parts / "weights" / kind, device, dtype)
    trunk = Resnet() if kind == "resnet" else Tdnn(front.channels, 256 if kind == "tdnn" else 192)
    return SpeakerNetwork(front, trunk).to(device)


class SpeakerNetwork(nn.Module):
    def __init__(self, front: nn.Module, trunk: nn.Module):
        super().__init__()
        self.front, self.trunk = front, trunk

    def forward(self, sound: Tensor, warp: Tensor | None = None, masks: torch.Generator | None = None) -> Tensor:
        # In full precision: features are logarithms of small numbers.
        with torch.no_grad(), torch.autocast(sound.device.type, enabled=False):
            features = self.front(sound, warp)
            if masks is not None:
                features = mask(features, masks)
        return self.trunk(features)


class MelFront(nn.Module):
    """Whisper's features, each band centred over the piece: what the microphone and the line add is gone."""

    channels = BANDS

    def __init__(self, device: torch.device):
        super().__init__()
        self._mel = LogMel(device)

    def forward(self, sound: Tensor, warp: Tensor | None = None) -> Tensor:
        mel = self._mel(sound, warp)
        return mel - mel.mean(2, keepdim=True)


class WhisperFront(nn.Module):
    """The hidden states after three layers of Whisper's encoder, as published: [n, width, frames of 20 ms]."""

    layers = 3

    def __init__(self, folder: Path, device: torch.device, dtype: torch.dtype):
        super().__init__()
        weights = load_weights(folder)
        untouched = Adapter(strength=0, rank=1)
        self._mel, self._dtype = LogMel(device), dtype
        for name in ("conv1", "conv2"):
            self.register_buffer(name, torch.from_numpy(np.ascontiguousarray(weights[f"encoder.{name}"])))
            self.register_buffer(f"{name}_bias", torch.from_numpy(weights[f"encoder.{name}.bias"].copy()))
        self.register_buffer("positions", torch.from_numpy(weights["encoder.embed_positions.weight"].copy()))
        self.blocks = nn.ModuleList(Block(f"encoder.layers.{i}", False, weights, untouched, dtype) for i in range(self.layers))
        self.channels = json.loads((folder / "config.json").read_text(encoding="utf-8"))["d_model"]
        self.requires_grad_(False)

    def forward(self, sound: Tensor, warp: Tensor | None = None) -> Tensor:
        mel = self._mel(sound, warp)
        mel = mel[..., : mel.shape[2] // 2 * 2]
        x = F.gelu(F.conv1d(mel, self.conv1, self.conv1_bias, padding=1))
        x = F.gelu(F.conv1d(x, self.conv2, self.conv2_bias, stride=2, padding=1)).transpose(1, 2)
        x = (x + self.positions[: x.shape[1]]).to(self._dtype)
        for block in self.blocks:
            x = block.encode(x)
        return x.float().transpose(1, 2)


def mask(features: Tensor, random: torch.Generator) -> Tensor:
    """Up to a tenth of the bands and of the time is silenced (Park et al. 2019)."""
    count, bands, frames = features.shape
    draw = lambda: torch.rand(count, 1, device=features.device, generator=random)

    def hidden(size: int) -> Tensor:
        begin, length = draw() * size, draw() * size / 10
        place = torch.arange(size, device=features.device)
        return (place >= begin) & (place < begin + length)

    return features.masked_fill(hidden(bands)[:, :, None] | hidden(frames)[:, None], 0)


def conv(inputs: int, outputs: int, size: int = 1, **more: int) -> nn.Sequential:
    """A convolution with its normalisation, which is folded into it when exported."""
    return nn.Sequential(
        nn.Conv1d(inputs, outputs, size, padding=(size - 1) // 2 * more.get("dilation", 1), bias=False, **more),
        nn.BatchNorm1d(outputs),
    )


def conv_2d(inputs: int, outputs: int, size: int = 3, stride: tuple[int, int] = (1, 1)) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, size, padding=(size - 1) // 2, stride=stride, bias=False), nn.BatchNorm2d(outputs)
    )


class Tdnn(nn.Module):
    """Dilated convolutions over time with channel attention, all depths joined before pooling (after ECAPA, Desplanques 2020)."""

    def __init__(self, inputs: int, channels: int = 256, joined: int = 512):
        super().__init__()
        self.norm = nn.BatchNorm1d(inputs)
        self.stem = conv(inputs, channels, 5)
        self.blocks = nn.ModuleList(TdnnBlock(channels, dilation) for dilation in (1, 2, 3, 4))
        self.join = conv(channels * 4, joined)
        self.pool = Pool(joined)

    def forward(self, x: Tensor) -> Tensor:
        x = F.relu(self.stem(self.norm(x)))
        depths = []
        for block in self.blocks:
            x = block(x)
            depths.append(x)
        return self.pool(F.relu(self.join(torch.cat(depths, 1))))


class TdnnBlock(nn.Module):
    def __init__(self, channels: int, dilation: int):
        super().__init__()
        self.enter, self.leave = conv(channels, channels), conv(channels, channels)
        self.spread = conv(channels, channels, 3, dilation=dilation, groups=4)
        self.squeeze, self.excite = nn.Conv1d(channels, channels // 4, 1), nn.Conv1d(channels // 4, channels, 1)

    def forward(self, x: Tensor) -> Tensor:
        y = self.leave(F.relu(self.spread(F.relu(self.enter(x)))))
        weight = torch.sigmoid(self.excite(F.relu(self.squeeze(y.mean(2, keepdim=True)))))
        return F.relu(x + y * weight)


class Resnet(nn.Module):
    """Convolutions over bands and time: what is learnt of one band serves the others."""

    def __init__(self, channels: tuple[int, ...] = (24, 48, 96, 128), depths: tuple[int, ...] = (2, 3, 3, 2)):
        super().__init__()
        self.norm = nn.BatchNorm1d(BANDS)
        self.stem = conv_2d(1, channels[0], stride=(2, 1))
        blocks, inputs = [], channels[0]
        for stage, (outputs, depth) in enumerate(zip(channels, depths)):
            for index in range(depth):
                blocks.append(ResnetBlock(inputs, outputs, 2 if stage > 0 and index == 0 else 1))
                inputs = outputs
        self.blocks = nn.ModuleList(blocks)
        self.pool = Pool(channels[-1] * BANDS // 16)

    def forward(self, x: Tensor) -> Tensor:
        x = F.relu(self.stem(self.norm(x)[:, None]))
        for block in self.blocks:
            x = block(x)
        return self.pool(x.flatten(1, 2))


class ResnetBlock(nn.Module):
    def __init__(self, inputs: int, outputs: int, stride: int):
        super().__init__()
        self.enter = conv_2d(inputs, outputs, stride=(stride, stride))
        self.leave = conv_2d(outputs, outputs)
        self.skip = conv_2d(inputs, outputs, 1, stride=(stride, stride)) if inputs != outputs or stride != 1 else None

    def forward(self, x: Tensor) -> Tensor:
        y = self.leave(F.relu(self.enter(x)))
        return F.relu(y + (x if self.skip is None else self.skip(x)))


class Pool(nn.Module):
    """Mean and spread over time, each channel weighted by attention (Okabe et al. 2018), then one direction."""

    def __init__(self, channels: int, attention: int = 96):
        super().__init__()
        self.attend, self.score = nn.Conv1d(channels, attention, 1), nn.Conv1d(attention, channels, 1)
        self.norm = nn.BatchNorm1d(2 * channels)
        self.out = nn.Linear(2 * channels, WIDTH)
        self.last = nn.BatchNorm1d(WIDTH)

    def forward(self, x: Tensor) -> Tensor:
        x = x.float()
        weight = torch.softmax(self.score(torch.tanh(self.attend(x))).float(), 2)
        mean = (weight * x).sum(2)
        spread = ((weight * x * x).sum(2) - mean * mean).clamp(min=1e-5).sqrt()
        return self.last(self.out(F.dropout(self.norm(torch.cat([mean, spread], 1)), 0.1, self.training)))
