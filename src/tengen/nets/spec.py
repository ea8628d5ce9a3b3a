# SPDX-License-Identifier: MIT
"""The specs of all kinds of nets, `KINDS`, the table of kinds with their modules, and `NETS`, the
nets by name. Needs no torch, so tools that only name nets start fast.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Literal, get_args

from tengen.nets.spec_base import BadSpec, HeadedSpec, Heads, NetSpec
from tengen.util.config import choose, setting, suggest
from tengen.util.errors import BadConfig

__all__ = [
    "ALIASES",
    "KINDS",
    "NETS",
    "BadSpec",
    "ConvnetSpec",
    "GomokunetSpec",
    "HeadedSpec",
    "KatanetSpec",
    "MixnetSize",
    "MixnetSpec",
    "MobilenetSpec",
    "NetSpec",
    "ResnetSpec",
    "spec_from_dict",
    "spec_of",
    "spec_of_architecture",
]

MixnetSize = Literal["s", "m", "l"]
_WIDTH_FACTOR = {"s": 1, "m": 2, "l": 4}


@dataclass(frozen=True, slots=True)
class MixnetSpec(NetSpec):
    """A Mixnet; with an option off, one of the paper's ablations."""

    KIND: ClassVar[str] = "mixnet"
    SHAPE: ClassVar[str] = "{size}"
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
    def architecture(self) -> str:
        """The text that a net file stores and hashes: everything that determines the shapes."""
        sizes = (
            f"c={self.channels} m={self.mapping_channels}"
            f" p={self.policy_channels} v={self.value_channels}"
        )
        return " ".join(["mixnet", sizes, *(f"{o}={getattr(self, o):d}" for o in self.OPTIONS)])


@dataclass(frozen=True, slots=True)
class ResnetSpec(HeadedSpec):
    """A residual net: those of the Mixnet paper, of AlphaZero, of Polygames."""

    KIND: ClassVar[str] = "resnet"
    SHAPE: ClassVar[str] = "{blocks}b{filters}f"

    blocks: int = setting(4, min=0, max=100)  # residual blocks, of two 3x3 convolutions each
    filters: int = setting(64, min=1, max=4096)  # channels of every layer of the body
    norm: bool = True  # batch normalisation after the convolutions of the blocks
    norms: int = setting(2, min=1, max=2)  # of a block; 1: after its last convolution only
    stem: Literal["3x3", "1x1"] = "3x3"  # the first convolution


@dataclass(frozen=True, slots=True)
class MobilenetSpec(HeadedSpec):
    """A MobileNet, with or without squeeze-and-excitation."""

    KIND: ClassVar[str] = "mobilenet"
    SHAPE: ClassVar[str] = "{blocks}b{filters}f"

    blocks: int = setting(17, min=0, max=200)  # inverted residual blocks
    filters: int = setting(64, min=1, max=4096)  # channels of the trunk
    expansion: int = setting(6, min=1, max=64)  # channels inside a block, as multiple of the trunk
    se: bool = False  # squeeze-and-excitation at the end of each block
    _: KW_ONLY
    heads: Heads = "polygames"


@dataclass(frozen=True, slots=True)
class GomokunetSpec(HeadedSpec):
    """GomokuNet; with an option off, an ablation."""

    KIND: ClassVar[str] = "gomokunet"
    SHAPE: ClassVar[str] = "{filters}f"

    filters: int = setting(64, min=1, max=4096)  # channels at full size; doubled at each level
    unet: bool = True  # three levels with skips; off: all blocks at full size, with these channels
    residual: bool = True  # identity mappings around pairs of convolutions
    pam: bool = True  # positional attention in every second block
    aggregation: bool = True  # the heads read all levels of the decoder; off: only the last


@dataclass(frozen=True, slots=True)
class ConvnetSpec(HeadedSpec):
    """Convolutions in a row, after Shao et al. (2016)."""

    KIND: ClassVar[str] = "convnet"
    SHAPE: ClassVar[str] = "{layers}l{filters}f"

    layers: int = setting(20, min=0, max=200)  # 3x3 convolutions after the first one, of 5x5
    filters: int = setting(256, min=1, max=4096)  # channels of every layer
    norm: bool = True  # batch normalisation after each convolution


@dataclass(frozen=True, slots=True)
class KatanetSpec(HeadedSpec):
    """Pre-activated residual blocks, three of five with global pooling, as in KataGo."""

    KIND: ClassVar[str] = "katanet"
    SHAPE: ClassVar[str] = "{blocks}b{filters}f"

    blocks: int = setting(20, min=0, max=100)  # residual blocks
    filters: int = setting(256, min=4, max=4096)  # channels of the trunk; a quarter is pooled

    def validate(self) -> None:
        HeadedSpec.validate(self)
        if self.filters % 4:
            raise BadSpec(f"{self.filters} is not a multiple of 4", "filters")


# Each kind with its spec and its module and class, which are imported when a net is made.
_TABLE: tuple[tuple[type[NetSpec], str], ...] = (
    (MixnetSpec, "tengen.nets.mixnet:Mixnet"),
    (ResnetSpec, "tengen.nets.resnet:Resnet"),
    (MobilenetSpec, "tengen.nets.mobilenet:Mobilenet"),
    (GomokunetSpec, "tengen.nets.gomokunet:Gomokunet"),
    (ConvnetSpec, "tengen.nets.convnet:Convnet"),
    (KatanetSpec, "tengen.nets.katanet:Katanet"),
)
KINDS: dict[str, tuple[type[NetSpec], str]] = {spec.KIND: (spec, net) for spec, net in _TABLE}
_NAMES = """
    mixnet-s mixnet-m mixnet-l
    resnet-4b64f resnet-6b96f resnet-6b128f resnet-10b128f resnet-15b192f resnet-20b256f
    resnet-10b128f-alphazero resnet-20b256f-alphazero
    resnet-10b128f-polygames resnet-20b256f-polygames
    mobilenet-17b64f-se mobilenet-20b256f-expansion2
    gomokunet-64f gomokunet-184f
    convnet-10l128f convnet-20l256f
    katanet-10b128f katanet-20b256f
"""
# Names in papers.
ALIASES = {
    "alphanet": "resnet-20b256f-alphazero",
    "polynet": "resnet-20b256f-polygames",
    "gomokunet": "gomokunet-184f",
    "convnet": "convnet-20l256f",
    "katanet": "katanet-20b256f",
}


def spec_from_dict(values: Mapping[str, Any]) -> NetSpec:
    """The spec of a dict of `to_dict` or a table of a config. Missing keys have their defaults;
    unknown ones are errors. Raises BadSpec.
    """
    fields = dict(values)
    try:
        kind = choose("kind", fields.pop("kind", None), KINDS)
    except BadConfig as error:
        raise BadSpec(error.problem, error.key) from None
    return KINDS[kind][0].from_dict(fields)


def spec_of(net: str | Mapping[str, Any] | NetSpec) -> NetSpec:
    """The spec of a name (as `NetSpec.name` makes it, or of `ALIASES`), of a dict, or the spec
    itself. Raises BadSpec.
    """
    if isinstance(net, NetSpec):
        return net
    if isinstance(net, Mapping):
        return spec_from_dict(net)
    if not isinstance(net, str):
        raise BadSpec(f"use a name or a table, not {net!r:.60}")
    name = ALIASES.get(net, net)
    row = KINDS.get(name.partition("-")[0])
    spec = row[0].from_name(name) if row else None
    if spec is None:
        raise BadSpec(f"no net {net!r:.80}: {suggest(net, (*NETS, *ALIASES))}")
    return spec


def spec_of_architecture(text: str) -> MixnetSpec:
    """The complete Mixnet that a net file contains, by the text of its header. Raises BadSpec if
    none has this architecture.
    """
    for size in get_args(MixnetSize):
        if (spec := MixnetSpec(size)).architecture == text:
            return spec
    raise BadSpec(f"no Mixnet of this version has the architecture {text!r:.100}")


NETS: dict[str, NetSpec] = {}
NETS.update((name, spec_of(name)) for name in _NAMES.split())
