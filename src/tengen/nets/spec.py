# SPDX-License-Identifier: MIT
"""Specs of nets, `MixnetSpec` and `ResnetSpec`, and `NETS`, the nets by name. Needs no torch, so
tools that only name nets start fast.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, get_args

from tengen.util.config import Config, choose, setting, suggest
from tengen.util.errors import BadConfig

MixnetSize = Literal["s", "m", "l"]
_WIDTH_FACTOR = {"s": 1, "m": 2, "l": 4}


class BadSpec(BadConfig):
    """An unknown net, or a wrong key or value of a spec."""


@dataclass(frozen=True, slots=True)
class _NetSpec(Config):
    ERROR: ClassVar[type[BadConfig]] = BadSpec
    KIND: ClassVar[str]
    OPTIONS: ClassVar[tuple[str, ...]]  # switched off in names: `mixnet-s-no-star`

    def to_dict(self) -> dict[str, Any]:
        """All fields and `kind`, as `spec_from_dict` reads them."""
        return {"kind": self.KIND, **Config.to_dict(self)}

    @property
    def kind(self) -> str:
        return self.KIND

    def _with_options_off(self, name: str) -> str:
        off = [option.replace("_", "-") for option in self.OPTIONS if not getattr(self, option)]
        return "-no-".join([name, *off])


@dataclass(frozen=True, slots=True)
class MixnetSpec(_NetSpec):
    """A Mixnet; with an option off, one of the paper's ablations."""

    KIND: ClassVar[str] = "mixnet"
    OPTIONS: ClassVar[tuple[str, ...]] = ("conv_relu", "star", "groups", "dynamic")

    size: MixnetSize = setting("s")  # each size has twice the channels of the one before
    conv_relu: bool = True  # a ReLU after the depth-wise convolution
    star: bool = True  # star blocks in the value head; off: one linear layer for each
    groups: bool = True  # 3x3 value groups; off: the value sees the mean of the whole board only
    dynamic: bool = True  # the policy's weights depend on the position; off: a fixed convolution

    @property
    def channels(self) -> int:
        """C: channels of a feature and of the codebook."""
        return 32 * _WIDTH_FACTOR[self.size]

    @property
    def mapping_channels(self) -> int:
        """M: channels inside the mapping nets."""
        return 2 * self.channels

    @property
    def policy_channels(self) -> int:
        """P: the first channels of a feature, which the policy head reads."""
        return self.channels // 2

    @property
    def value_channels(self) -> int:
        """V: channels of a value group and of the hidden layers of the value head."""
        return self.channels

    @property
    def name(self) -> str:
        """As `spec_of` reads it: mixnet-s, mixnet-m-no-star, …"""
        return self._with_options_off(f"mixnet-{self.size}")

    @property
    def architecture(self) -> str:
        """The text that a net file stores and hashes: everything that determines the shapes."""
        sizes = (
            f"c={self.channels} m={self.mapping_channels}"
            f" p={self.policy_channels} v={self.value_channels}"
        )
        return " ".join(["mixnet", sizes, *(f"{o}={getattr(self, o):d}" for o in self.OPTIONS)])


@dataclass(frozen=True, slots=True)
class ResnetSpec(_NetSpec):
    """A residual net of the paper's appendix A.1."""

    KIND: ClassVar[str] = "resnet"
    OPTIONS: ClassVar[tuple[str, ...]] = ("norm",)

    blocks: int = setting(4, min=1, max=100)  # residual blocks, of two 3x3 convolutions each
    filters: int = setting(64, min=1, max=4096)  # channels of every layer of the body
    norm: bool = True  # batch normalisation after the convolutions of the blocks

    @property
    def name(self) -> str:
        """As `spec_of` reads it: resnet-4b64f, resnet-6b96f-no-norm, …"""
        return self._with_options_off(f"resnet-{self.blocks}b{self.filters}f")

    @property
    def architecture(self) -> str:
        """Everything that determines the shapes, as text."""
        return f"resnet blocks={self.blocks} filters={self.filters} norm={self.norm:d}"


NetSpec = MixnetSpec | ResnetSpec
_KINDS: dict[str, type[MixnetSpec] | type[ResnetSpec]] = {
    "mixnet": MixnetSpec,
    "resnet": ResnetSpec,
}
_RESNETS = ((4, 64), (6, 96), (6, 128), (10, 128), (15, 192), (20, 256))
_SPECS: list[NetSpec] = [
    *(MixnetSpec(size) for size in get_args(MixnetSize)),
    *(ResnetSpec(blocks, filters) for blocks, filters in _RESNETS),
]
NETS: dict[str, NetSpec] = {spec.name: spec for spec in _SPECS}


def spec_from_dict(values: Mapping[str, Any]) -> NetSpec:
    """The spec of a dict of `to_dict` or a table of a config. Missing keys have their defaults;
    unknown ones are errors. Raises BadSpec.
    """
    fields = dict(values)
    try:
        kind = choose("kind", fields.pop("kind", None), _KINDS)
    except BadConfig as error:
        raise BadSpec(error.problem, error.key) from None
    return _KINDS[kind].from_dict(fields)


def spec_of(net: str | Mapping[str, Any] | NetSpec) -> NetSpec:
    """The spec of a name (of `NETS`, with `-no-star` and the like added for ablations), of a dict,
    or the spec itself. Raises BadSpec.
    """
    if isinstance(net, MixnetSpec | ResnetSpec):
        return net
    if isinstance(net, Mapping):
        return spec_from_dict(net)
    if not isinstance(net, str):
        raise BadSpec(f"use a name or a table, not {net!r:.60}")
    name, *off = net.split("-no-")
    if name not in NETS:
        raise BadSpec(f"no net {net!r:.80}: {suggest(name, NETS)}")
    options = NETS[name].OPTIONS
    for option in (switched_off := [part.replace("-", "_") for part in off]):
        if option not in options:
            raise BadSpec(f"{name} has no option {option}; it has {', '.join(options)}")
    return spec_from_dict(NETS[name].to_dict() | dict.fromkeys(switched_off, False))


def spec_of_architecture(text: str) -> MixnetSpec:
    """The complete Mixnet that a net file contains, by the text of its header. Raises BadSpec if
    none has this architecture.
    """
    for size in get_args(MixnetSize):
        if (spec := MixnetSpec(size)).architecture == text:
            return spec
    raise BadSpec(f"no Mixnet of this version has the architecture {text!r:.100}")
