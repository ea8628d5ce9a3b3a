# SPDX-License-Identifier: MIT
"""Specs, names and scales of nets, without torch."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import FrozenInstanceError, fields, replace
from typing import Any, get_type_hints

import pytest

from tengen.nets import (
    ALIASES,
    KINDS,
    NETS,
    PATTERNS,
    BadSpec,
    ConvnetSpec,
    GomokunetSpec,
    KatanetSpec,
    MixnetScales,
    MixnetSpec,
    MobilenetSpec,
    NetSpec,
    ResnetSpec,
    spec_from_dict,
    spec_of,
)
from tengen.nets.scales import chunk_sizes
from tengen.nets.spec_base import _tokens


@pytest.mark.parametrize(
    "code", ["import tengen", "import tengen.nets as n; n.spec_of('mixnet-s')"]
)
def test_naming_nets_does_not_import_torch(code: str) -> None:
    line = f"import sys; {code}; assert 'torch' not in sys.modules"
    assert subprocess.run([sys.executable, "-c", line], check=False).returncode == 0


def test_the_table_names_its_nets() -> None:
    assert list(NETS)[:9] == [
        *("mixnet-s", "mixnet-m", "mixnet-l", "resnet-4b64f", "resnet-6b96f", "resnet-6b128f"),
        *("resnet-10b128f", "resnet-15b192f", "resnet-20b256f"),
    ]
    assert all(spec.name == name and spec_of(name) == spec for name, spec in NETS.items())
    assert {spec.kind for spec in NETS.values()} == KINDS.keys()
    assert all(NETS[name] == spec_of(alias) for alias, name in ALIASES.items())


@pytest.mark.parametrize(
    "spec",
    [
        *NETS.values(),
        MixnetSpec("m", star=False, conv_relu=False),
        MixnetSpec("s", groups=False, dynamic=False),
        ResnetSpec(4, 64, norm=False),
        ResnetSpec(0, 7, stem="1x1", norms=1, heads="polygames", output="win", planes=21),
        ResnetSpec(3, 5, heads="alphazero", size=19, output="scalar"),
        MobilenetSpec(17, 64, expansion=2, se=True, heads="simple"),
        GomokunetSpec(8, pam=False, aggregation=False, unet=False, residual=False),
        ConvnetSpec(3, 8, norm=False, planes=4),
        KatanetSpec(5, 8, planes=3),
    ],
)
def test_specs_survive_dicts_and_names(spec: NetSpec) -> None:
    assert spec_from_dict(spec.to_dict()) == spec
    assert spec_of(spec.to_dict()) == spec_of(spec.name) == spec_of(spec) == spec


@pytest.mark.parametrize(
    ("name", "spec"),
    [
        ("resnet-0b64f", ResnetSpec(0, 64)),
        ("resnet-4b64f-no-norm-polygames", ResnetSpec(4, 64, norm=False, heads="polygames")),
        ("mobilenet-17b64f-se", MobilenetSpec(17, 64, se=True)),
        ("mobilenet-17b64f-no-se-expansion6", MobilenetSpec(17, 64)),
        ("gomokunet-184f-no-pam-no-aggregation", GomokunetSpec(184, pam=False, aggregation=False)),
        ("alphanet", ResnetSpec(20, 256, heads="alphazero")),
    ],
)
def test_names_are_read_from_the_fields(name: str, spec: NetSpec) -> None:
    assert spec_of(name) == spec
    assert spec_of(spec.name) == spec


@pytest.mark.parametrize("kind", KINDS)
def test_no_two_fields_have_the_same_word(kind: str) -> None:
    spec = KINDS[kind][0]
    hints = get_type_hints(spec)
    words = [word for entry in spec._options() for word, _ in _tokens(entry, hints[entry.name])]
    assert len(set(words)) == len(words)


def test_which_boards_a_net_supports() -> None:
    bound = spec_of("resnet-4b64f-alphazero-size9")
    assert (bound.board_size, spec_of("resnet-4b64f").board_size) == (9, None)
    bound.check_playable()
    bound.check_playable(9)
    spec_of("resnet-4b64f").check_playable(22)
    with pytest.raises(BadSpec, match="is for boards of size 9, not 15") as caught:
        bound.check_playable(15)
    assert caught.value.key == "size"
    with pytest.raises(BadSpec, match="takes 21 planes, which boards do not have") as caught:
        spec_of("resnet-4b64f-planes21").check_playable()
    assert caught.value.key == "planes"


def test_a_spec_is_frozen() -> None:
    with pytest.raises(FrozenInstanceError):
        MixnetSpec().size = "m"  # type: ignore[misc]
    assert spec_from_dict({"kind": "mixnet"}) == MixnetSpec("s")


@pytest.mark.parametrize(
    ("values", "key", "fault"),
    [
        ({"kind": "mixnet", "stars": True}, "stars", "did you mean 'star'"),
        ({"kind": "resnet", "star": True}, "star", "known: blocks, filters, heads, norm, norms"),
        ({"kind": "resnet", "heads": "double"}, "heads", "known: alphazero, polygames, simple"),
        ({"kind": "transformer"}, "kind", "known: convnet, gomokunet, .*mixnet, mobilenet"),
        ({}, "kind", "None"),
        ({"kind": "mixnet", "size": "xl"}, "size", "known: l, m, s"),
        ({"kind": "mixnet", "star": 1}, "star", "true or false"),
        ({"kind": "resnet", "blocks": -1}, "blocks", "0 to 100"),
        ({"kind": "katanet", "filters": 6}, "filters", "not a multiple of 4"),
        ({"kind": "katanet", "size": 9}, "size", "heads simple are for all board sizes"),
        ({"kind": "resnet", "filters": True}, "filters", "integer"),
    ],
)
def test_a_bad_dict_is_rejected(values: dict[str, Any], key: str, fault: str) -> None:
    with pytest.raises(BadSpec, match=fault) as caught:
        spec_from_dict(values)
    assert caught.value.key == key


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("mixnet", "'mixnet'.*mixnet-s"),
        ("mixnet-s-no-norm", "norm.*conv_relu, star"),
        ("resnet-4b64f-no-star", "star.*norm"),
        ("resnet-4b64f-planes", "no option planes"),
        ("resnet-big", "no net 'resnet-big'.*resnet-4b64f"),
        ("resnet-4b64fx", "no net 'resnet-4b64fx'"),
        ("resnet-101b64f", "blocks: 101 .*0 to 100"),
        (f"resnet-{'9' * 5000}b1f", "no net 'resnet-9"),
        (7, "name or a table"),
    ],
)
def test_a_bad_name_is_rejected(name: Any, fault: str) -> None:
    with pytest.raises(BadSpec, match=fault):
        spec_of(name)


def test_the_architecture_text_of_net_files() -> None:
    text = "mixnet c=64 m=128 p=32 v=64 conv_relu=1 star=1 groups=1 dynamic=1"
    assert MixnetSpec("m").architecture == text
    assert MixnetSpec("m", star=False).architecture == text.replace("star=1", "star=0")


def test_the_architecture_text_of_other_nets() -> None:
    text = ResnetSpec(4, 64).architecture
    assert text.startswith("resnet heads=simple output=value planes=2 size=15 blocks=4 filters=64")
    assert ResnetSpec(4, 64, norm=False).architecture == text.replace("norm=1", "norm=0")


def test_the_scales_are_those_of_the_format() -> None:
    scales = MixnetScales()
    assert (scales.linear, scales.star, scales.dynamic, scales.policy) == (4096, 2**18, 8192, 65536)
    assert (scales.sum_limit, scales.product_limit, scales.processed_limit) == (2048, 2048, 26624)
    assert scales.pair_limit == 32258
    assert sum(3 ** (i + 1 + j) for i in range(6) for j in range(6)) == PATTERNS


def test_no_sum_overflows() -> None:
    bounds = list(MixnetScales().bounds())
    assert len(bounds) == 12
    assert all(0 < bound <= most for _, bound, most in bounds)


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"mapping_limit": 64}, "mapping net"),
        ({"feature_limit": 1000}, "processed feature"),
        ({"weight_limit": 130}, "pair of products"),
        ({"bias_limit": 2**30}, "dynamic layer, twice"),
        ({"policy_weight_limit": 32767}, "policy logit"),
    ],
)
def test_scales_that_would_overflow_are_rejected(change: dict[str, int], what: str) -> None:
    with pytest.raises(OverflowError, match=what):
        replace(MixnetScales(), **change)
    with pytest.raises(ValueError, match="must be positive"):
        replace(MixnetScales(), **dict.fromkeys(change, 0))


def test_means_are_accurate_to_half_a_step() -> None:
    scales = MixnetScales()
    for area in range(1, 22 * 22 + 1):
        for total in (0, 1, area, 17 * area + 3, 63 * area, 64 * area):
            x = (total * scales.mean_factor(area) + 2**15) >> 16
            assert abs(x - 2 * total / area) < 0.65
    assert all(field.type == "int" for field in fields(scales))


@pytest.mark.parametrize("size", range(5, 23))
def test_chunks_cover_the_board(size: int) -> None:
    first, middle, last = chunk_sizes(size)
    assert first + middle + last == size
    assert first == last >= 1
    assert middle >= 1
    assert abs(first - middle) <= 1
