# SPDX-License-Identifier: MIT
"""ConvNet: convolutions in a row, without skips, after Shao et al. (2016)."""

from __future__ import annotations

from torch import nn

from tengen.nets.blocks import he_conv
from tengen.nets.heads import HeadedNet
from tengen.nets.spec import ConvnetSpec


class Convnet(HeadedNet):
    """A 5x5 convolution and `layers` 3x3 ones, each followed by a normalisation and a ReLU."""

    def __init__(self, spec: ConvnetSpec) -> None:
        layers: list[nn.Module] = []
        for number in range(spec.layers + 1):
            inputs, size = (spec.filters, 3) if number else (spec.planes, 5)
            layers.append(he_conv(inputs, spec.filters, size))
            layers += [nn.BatchNorm2d(spec.filters)] if spec.norm else []
            layers.append(nn.ReLU())
        super().__init__(spec, nn.Sequential(*layers), spec.filters)
