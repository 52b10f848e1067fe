"""Whisper from the published weights, with a low-rank delta on every linear layer that can be trained, scaled or left out."""
from __future__ import annotations

import json
import math
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from published_weights import load_weights

HEAD_WIDTH = 64
#: W += GAIN · B · A. It belongs to the recipe: the exported file carries the product.
GAIN = 2.0


@dataclass
class Adapter:
    """One switch for all layers: 0 is the untouched model, 1 the trained one."""

    strength: float = 1.0
    rank: int = 32


class Linear(nn.Module):
    def __init__(self, name: str, weights: dict[str, np.ndarray], adapter: Adapter, dtype: torch.dtype):
        super().__init__()
        weight = torch.from_numpy(weights[name])
        bias = weights.get(name + ".bias")
        self.name, self._adapter = name, adapter
        self.register_buffer("weight", weight.to(dtype))
        self.register_buffer("bias", None if bias is None else torch.from_numpy(bias.copy()).to(dtype))
        outputs, inputs = weight.shape
        self.down = nn.Parameter(torch.empty(adapter.rank, inputs))
        self.up = nn.Parameter(torch.empty(outputs, adapter.rank))
        self.reset_delta()

    def reset_delta(self) -> None:
        nn.init.normal_(self.down, std=1 / math.sqrt(self.down.shape[1]))
        nn.init.zeros_(self.up)

    def forward(self, x: Tensor) -> Tensor:
        y = F.linear(x, self.weight, self.bias)
        if self._adapter.strength == 0:
            return y
        inner = F.linear(x, (self.down * (GAIN * self._adapter.strength)).to(x.dtype))
        return torch.addmm(y.flatten(0, -2), inner.flatten(0, -2), self.up.to(x.dtype).t()).view(y.shape)


class LayerNorm(nn.Module):
    def __init__(self, name: str, weights: dict[str, np.ndarray]):
        super().__init__()
        self.register_buffer("weight", torch.from_numpy(weights[name + ".weight"]))
        self.register_buffer("bias", torch.from_numpy(weights[name + ".bias"]))

    def forward(self, x: Tensor) -> Tensor:
        return F.layer_norm(x.float(), self.weight.shape, self.weight, self.bias).to(x.dtype)


class Attention(nn.Module):
    def __init__(self, name: str, *common):
        super().__init__()
        self.query, self.key = Linear(name + ".q_proj", *common), Linear(name + ".k_proj", *common)
        self.value, self.out = Linear(name + ".v_proj", *common), Linear(name + ".out_proj", *common)

    def keys_values(self, x: Tensor) -> tuple[Tensor, Tensor]:
        return split_heads(self.key(x)), split_heads(self.value(x))

    def forward(self, x: Tensor, keys: Tensor, values: Tensor, causal: bool = False, mask: Tensor | None = None) -> Tensor:
        mixed = attend(split_heads(self.query(x)), keys, values, causal, mask)
        return self.out(mixed.transpose(1, 2).flatten(2))


class Block(nn.Module):
    def __init__(self, name: str, listens: bool, weights: dict[str, np.ndarray], adapter: Adapter, dtype: torch.dtype):
        super().__init__()
        common = (weights, adapter, dtype)
        self.self_norm = LayerNorm(name + ".self_attn_layer_norm", weights)
        self.self_attention = Attention(name + ".self_attn", *common)
        if listens:
            self.cross_norm = LayerNorm(name + ".encoder_attn_layer_norm", weights)
            self.cross_attention = Attention(name + ".encoder_attn", *common)
        self.final_norm = LayerNorm(name + ".final_layer_norm", weights)
        self.expand, self.contract = Linear(name + ".fc1", *common), Linear(name + ".fc2", *common)

    def encode(self, x: Tensor) -> Tensor:
        normed = self.self_norm(x)
        x = x + self.self_attention(normed, *self.self_attention.keys_values(normed))
        return self.feed_forward(x)

    def decode(self, x: Tensor, memory: Tensor) -> Tensor:
        normed = self.self_norm(x)
        x = x + self.self_attention(normed, *self.self_attention.keys_values(normed), causal=True)
        x = x + self.cross_attention(self.cross_norm(x), *self.cross_attention.keys_values(memory))
        return self.feed_forward(x)

    def feed_forward(self, x: Tensor) -> Tensor:
        return x + self.contract(F.gelu(self.expand(self.final_norm(x))))


class Whisper(nn.Module):
    def __init__(self, folder: Path, language_token: int, like_token: int, rank: int, dtype: torch.dtype):
        super().__init__()
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        weights = load_weights(folder)
        self.adapter = Adapter(rank=rank)
        self.dtype, self.language_token = dtype, language_token
        for name in ("encoder.conv1", "encoder.conv2"):
            self._keep(name.replace(".", "_"), weights[name])
            self._keep(name.replace(".", "_") + "_bias", weights[name + ".bias"])
        self._keep("encoder_positions", weights["encoder.embed_positions.weight"])
        self._keep("decoder_positions", weights["decoder.embed_positions.weight"])
        self._keep("embedding", weights["decoder.embed_tokens"])
        self._like_token = like_token
        self.row = nn.Parameter(torch.empty_like(self.embedding[0]))
        common = (weights, self.adapter, dtype)
        self.encoder = nn.ModuleList(Block(f"encoder.layers.{i}", False, *common) for i in range(config["encoder_layers"]))
        self.decoder = nn.ModuleList(Block(f"decoder.layers.{i}", True, *common) for i in range(config["decoder_layers"]))
        self.encoder_norm = LayerNorm("encoder.layer_norm", weights)
        self.decoder_norm = LayerNorm("decoder.layer_norm", weights)
        self.reset_deltas()

    def _keep(self, name: str, value: np.ndarray) -> None:
        self.register_buffer(name, torch.from_numpy(np.ascontiguousarray(value)))

    def reset_deltas(self) -> None:
        """Nothing learnt yet. Taiwanese begins as a second Mandarin token and is taught the rest."""
        for linear in self.linears():
            linear.reset_delta()
        with torch.no_grad():
            self.row.copy_(self.embedding[self._like_token] - self.embedding[self.language_token])

    def linears(self) -> list[Linear]:
        return [module for module in self.modules() if isinstance(module, Linear)]

    def encode(self, mel: Tensor, heard: Tensor | None = None) -> Tensor:
        """[n, 80, frames] → [n, frames / 2, width]; any even number of frames up to 3,000. `heard`, [n, count], names the places in each
        example that are heard, all of them if it is not given."""
        x = F.gelu(F.conv1d(mel, self.encoder_conv1, self.encoder_conv1_bias, padding=1))
        x = F.gelu(F.conv1d(x, self.encoder_conv2, self.encoder_conv2_bias, stride=2, padding=1)).transpose(1, 2)
        x = (x + self.encoder_positions[: x.shape[1]]).to(self.dtype)
        x = x.contiguous() if heard is None else at_places(x, heard)  # one order in memory, so that the blocks are compiled for one only
        for block in self.encoder:
            x = block.encode(x)
        return self.encoder_norm(x)

    def compile_blocks(self) -> None:
        """One compiled block serves all lengths; it takes half a minute once. Block by block the layers are thousands of small steps, which
        take longer to ask for than to do."""
        from torch import _dynamo

        _dynamo.config.suppress_errors = True  # a block that cannot be compiled is run as it is
        for limit in ("recompile_limit", "cache_size_limit"):  # the name changed; learning, listening and each strength compile anew
            if hasattr(_dynamo.config, limit):
                setattr(_dynamo.config, limit, 64)
        for block in self.encoder:
            block.encode = torch.compile(block.encode, dynamic=True)
        for block in self.decoder:
            block.decode = torch.compile(block.decode, dynamic=True)

    def compile_ahead(self) -> None:
        """Learns from noise, and asks the untouched model about it, at two sizes: what is compiled for that serves all others. Nothing is kept."""
        device = self.row.device
        for examples, frames, length in ((90, 800, 33), (96, 1400, 40)):
            memory = self.encode(torch.randn(examples, 80, frames, device=device))
            tokens = torch.randint(100, 5000, (examples + 20, length), device=device)
            positions = torch.arange(tokens.numel(), device=device)[::3]
            self.decode(tokens, torch.cat([memory, memory[:20]]), positions).mean().backward()
            with torch.no_grad(), at_strength(self, 0.0):
                whole = self.encode(torch.randn(examples, 80, 2 * len(self.encoder_positions), device=device))
                self.decode(tokens[:examples], whole, positions[positions < examples * length])
        for parameter in self.parameters():
            parameter.grad = None

    def decode(self, tokens: Tensor, memory: Tensor, positions: Tensor) -> Tensor:
        """Logits at those of the n · length places that `positions` names, [positions, vocabulary]."""
        x = self.embed(tokens, 0)
        for block in self.decoder:
            x = block.decode(x, memory)
        return self.logits(x.flatten(0, 1)[positions])

    def embed(self, tokens: Tensor, first_position: int) -> Tensor:
        x = F.embedding(tokens, self.embedding)
        if self.adapter.strength != 0:
            x = x + (tokens == self.language_token)[..., None] * self.row
        return (x + self.decoder_positions[first_position : first_position + tokens.shape[1]]).to(self.dtype)

    def logits(self, x: Tensor) -> Tensor:
        """In single precision: half precision cannot tell near-equal tokens apart."""
        x = self.decoder_norm(x).float()
        logits = F.linear(x, self.embedding)
        if self.adapter.strength != 0:
            logits[..., self.language_token] += x @ self.row
        return logits


@contextmanager
def at_strength(model: Whisper, strength: float):
    before, model.adapter.strength = model.adapter.strength, strength
    try:
        yield
    finally:
        model.adapter.strength = before


def at_places(x: Tensor, places: Tensor) -> Tensor:
    """[n, frames, width] → [n, count, width]: in each example the frames at its own places, [n, count]."""
    return x.gather(1, places[..., None].expand(-1, -1, x.shape[2]))


def split_heads(x: Tensor) -> Tensor:
    return x.unflatten(-1, (-1, HEAD_WIDTH)).transpose(1, 2)


def attend(query: Tensor, keys: Tensor, values: Tensor, causal: bool, mask: Tensor | None) -> Tensor:
    if hasattr(F, "scaled_dot_product_attention"):
        return F.scaled_dot_product_attention(query, keys, values, attn_mask=mask, is_causal=causal)
    weights = query @ keys.transpose(-1, -2) / math.sqrt(HEAD_WIDTH)
    if causal:
        weights = weights + torch.full(weights.shape[-2:], -1e9, device=query.device).triu(1)
    if mask is not None:
        weights = weights.masked_fill(~mask, -1e9)
    return weights.softmax(-1).to(values.dtype) @ values
