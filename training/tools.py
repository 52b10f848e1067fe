"""What training and labelling begin with: the device as it is best used, the tokens, the features and the model."""
from __future__ import annotations

import argparse
from dataclasses import dataclass

import torch

from features import LogMel
from scoring import Scoring
from tokens import Tokens
from whisper import Whisper


@dataclass
class Tools:
    device: torch.device
    tokens: Tokens
    scoring: Scoring
    log_mel: LogMel
    model: Whisper


def open_tools(given: argparse.Namespace) -> Tools:
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.manual_seed(given.seed)
    torch.backends.cuda.matmul.allow_tf32 = True
    torch.backends.cudnn.allow_tf32 = True
    if hasattr(torch.backends.cuda, "enable_cudnn_sdp"):
        torch.backends.cuda.enable_cudnn_sdp(False)  # it plans anew for every length, which takes longer than the work
    tokens = Tokens(given.parts / "tokens")
    dtype = torch.bfloat16 if given.half or device.type == "cuda" else torch.float32
    model = Whisper(given.parts / "weights" / given.size, tokens.languages["nan"], tokens.languages["zh"], given.rank, dtype).to(device)
    return Tools(device, tokens, Scoring(given.parts / "simplified.json"), LogMel(device), model)
