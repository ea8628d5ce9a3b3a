# SPDX-License-Identifier: MIT
"""Small nets of all kinds with weights as after training, for tests."""

from __future__ import annotations

import torch

from tengen.nets import BoardNet, make_net

# One small net of each kind, and of each pair of heads; those that are bound to a size are for 9.
TINY_NETS = [
    "resnet-0b8f",
    "resnet-2b8f-norms1-1x1",
    "resnet-1b8f-alphazero-size9",
    "resnet-1b8f-polygames-planes4",
    "mobilenet-2b16f-expansion2-se",
    "gomokunet-4f",
    "gomokunet-4f-alphazero-size9-no-unet",
    "convnet-2l8f",
    "katanet-3b8f-scalar",
]


def stirred(net: BoardNet, seed: int = 3) -> BoardNet:
    """The net with other weights and statistics of norms, none of which is 0 or 1; in evaluation
    mode.
    """
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, tensor in (*net.named_parameters(), *net.named_buffers()):
            if not tensor.is_floating_point():
                continue
            noise = torch.randn(tensor.shape, generator=generator)
            if tensor.dim() > 1:
                tensor.copy_(noise * tensor[0].numel() ** -0.5)
            elif name.endswith(("weight", "running_var")):  # of a norm
                tensor.copy_(0.7 + 0.3 * noise.abs())
            else:
                tensor.copy_(0.2 * noise)
    return net.eval()


def stirred_net(name: str, seed: int = 3) -> BoardNet:
    return stirred(make_net(name), seed)
