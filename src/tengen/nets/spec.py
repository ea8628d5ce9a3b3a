# SPDX-License-Identifier: MIT
"""What a net is, in frozen values: `MixnetSpec`, `ResnetSpec`; their names, dicts and texts.

Pure Python, so that tools which only name nets do not wait for torch. Relies on the errors of the
game; the nets, training and export rely on it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, ClassVar, Literal, get_args

from tengen.game.errors import TengenError

__all__ = [
    "BadSpec",
    "MixnetSize",
    "MixnetSpec",
    "NetSpec",
    "ResnetSpec",
    "spec_from_dict",
    "spec_of_architecture",
]

MixnetSize = Literal["s", "m", "l"]
_FACTOR = {"s": 1, "m": 2, "l": 4}


class BadSpec(TengenError, ValueError):
    """A net that cannot be made: an unknown name, a wrong key or value."""


def _check_bool(spec: NetSpec, *names: str) -> None:
    for name in names:
        if not isinstance(value := getattr(spec, name), bool):
            raise BadSpec(f"no {name} {value!r:.80}: use true or false")


@dataclass(frozen=True, slots=True)
class MixnetSpec:
    """A Mixnet; with a flag off it is one of the paper's ablations."""

    kind: ClassVar[str] = "mixnet"
    # What `-no-` can be said of in a name.
    OPTIONS: ClassVar[tuple[str, ...]] = ("conv_relu", "star", "groups", "dynamic")

    size: MixnetSize = "s"  # "s", "m" or "l": each has twice the channels of the one before
    conv_relu: bool = True  # a ReLU after the depth-wise convolution
    star: bool = True  # star blocks in the value head; off: one linear layer for each
    groups: bool = True  # 3x3 value groups; off: the value sees the mean of the whole board only
    dynamic: bool = True  # the policy's weights depend on the position; off: a fixed convolution

    def __post_init__(self) -> None:
        if self.size not in get_args(MixnetSize):
            raise BadSpec(f"no size {self.size!r:.80} of Mixnet: use s, m or l")
        _check_bool(self, *self.OPTIONS)

    @property
    def channels(self) -> int:
        """C: channels of a feature, of the codebook too."""
        return 32 * _FACTOR[self.size]

    @property
    def mapping_channels(self) -> int:
        """M: channels inside the mapping nets."""
        return 64 * _FACTOR[self.size]

    @property
    def policy_channels(self) -> int:
        """P: channels of a feature that the policy head reads at a point, the first ones."""
        return 16 * _FACTOR[self.size]

    @property
    def value_channels(self) -> int:
        """V: channels of a value group and of the hidden layers of the value head."""
        return 32 * _FACTOR[self.size]

    @property
    def name(self) -> str:
        """As `spec_of` reads it: mixnet-s, mixnet-m-no-star, …"""
        off = "".join(f"-no-{o.replace('_', '-')}" for o in self.OPTIONS if not getattr(self, o))
        return f"mixnet-{self.size}{off}"

    @property
    def architecture(self) -> str:
        """The text that a net file carries and hashes: everything the shape of a net depends on."""
        sizes = (
            f"c={self.channels} m={self.mapping_channels}"
            f" p={self.policy_channels} v={self.value_channels}"
        )
        return " ".join(["mixnet", sizes, *(f"{o}={getattr(self, o):d}" for o in self.OPTIONS)])

    def to_dict(self) -> dict[str, Any]:
        """All fields and `kind`; `spec_from_dict` reads it back."""
        return {"kind": self.kind, **asdict(self)}


@dataclass(frozen=True, slots=True)
class ResnetSpec:
    """A residual net of the paper's appendix A.1."""

    kind: ClassVar[str] = "resnet"
    OPTIONS: ClassVar[tuple[str, ...]] = ("norm",)  # what `-no-` can be said of in a name

    blocks: int = 4  # residual blocks, of two 3x3 convolutions each
    filters: int = 64  # channels of every layer of the body
    norm: bool = True  # batch normalisation after the convolutions of the blocks

    def __post_init__(self) -> None:
        for name, most in (("blocks", 100), ("filters", 4096)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most:
                raise BadSpec(f"no {name} {value!r:.80}: use a whole number of 1 to {most}")
        _check_bool(self, "norm")

    @property
    def name(self) -> str:
        """As `spec_of` reads it: resnet-4b64f, resnet-6b96f-no-norm, …"""
        return f"resnet-{self.blocks}b{self.filters}f{'' if self.norm else '-no-norm'}"

    @property
    def architecture(self) -> str:
        """Everything the shape of a net depends on, as one text."""
        return f"resnet blocks={self.blocks} filters={self.filters} norm={self.norm:d}"

    def to_dict(self) -> dict[str, Any]:
        """All fields and `kind`; `spec_from_dict` reads it back."""
        return {"kind": self.kind, **asdict(self)}


NetSpec = MixnetSpec | ResnetSpec
_KINDS: dict[str, type[MixnetSpec] | type[ResnetSpec]] = {
    "mixnet": MixnetSpec,
    "resnet": ResnetSpec,
}


def spec_from_dict(values: Mapping[str, Any]) -> NetSpec:
    """The spec that a dict of `to_dict` or a config describes. Absent keys take their defaults,
    unknown ones are refused.
    """
    rest = dict(values)
    kind = rest.pop("kind", None)
    if not isinstance(kind, str) or kind not in _KINDS:
        raise BadSpec(f"no kind {kind!r:.80} of net: use one of {', '.join(sorted(_KINDS))}")
    known = [field.name for field in fields(_KINDS[kind])]
    if unknown := sorted(str(key) for key in rest if key not in known):
        raise BadSpec(f"a {kind} has no {', '.join(unknown)}; it has {', '.join(known)}")
    return _KINDS[kind](**rest)


def spec_of_architecture(text: str) -> MixnetSpec:
    """The spec of the whole Mixnet that a net file holds, by the text that it carries. Raises
    BadSpec if none has its widths.
    """
    for size in get_args(MixnetSize):
        if (spec := MixnetSpec(size)).architecture == text:
            return spec
    raise BadSpec(f"no Mixnet of this tengen is {text!r:.100}")
