# SPDX-License-Identifier: MIT
"""Specs, names and scales of nets, without torch."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import FrozenInstanceError, fields, replace
from typing import Any

import pytest

from tengen.nets import (
    NETS,
    PATTERNS,
    BadSpec,
    MixnetScales,
    MixnetSpec,
    NetSpec,
    ResnetSpec,
    spec_from_dict,
    spec_of,
)
from tengen.nets.scales import chunk_sizes


@pytest.mark.parametrize(
    "code", ["import tengen", "import tengen.nets as n; n.spec_of('mixnet-s')"]
)
def test_naming_nets_does_not_import_torch(code: str) -> None:
    line = f"import sys; {code}; assert 'torch' not in sys.modules"
    assert subprocess.run([sys.executable, "-c", line], check=False).returncode == 0


def test_the_table_names_its_nets() -> None:
    assert list(NETS) == [
        *("mixnet-s", "mixnet-m", "mixnet-l", "resnet-4b64f", "resnet-6b96f", "resnet-6b128f"),
        *("resnet-10b128f", "resnet-15b192f", "resnet-20b256f"),
    ]
    assert all(spec.name == name and spec_of(name) == spec for name, spec in NETS.items())


@pytest.mark.parametrize(
    "spec",
    [
        *NETS.values(),
        MixnetSpec("m", star=False, conv_relu=False),
        MixnetSpec("s", groups=False, dynamic=False),
        ResnetSpec(4, 64, norm=False),
    ],
)
def test_specs_survive_dicts_and_names(spec: NetSpec) -> None:
    assert spec_from_dict(spec.to_dict()) == spec
    assert spec_of(spec.to_dict()) == spec_of(spec.name) == spec_of(spec) == spec


def test_a_spec_is_frozen() -> None:
    with pytest.raises(FrozenInstanceError):
        MixnetSpec().size = "m"  # type: ignore[misc]
    assert spec_from_dict({"kind": "mixnet"}) == MixnetSpec("s")


@pytest.mark.parametrize(
    ("values", "key", "fault"),
    [
        ({"kind": "mixnet", "stars": True}, "stars", "did you mean 'star'"),
        ({"kind": "resnet", "size": "s"}, "size", "known: blocks, filters, norm"),
        ({"kind": "transformer"}, "kind", "known: mixnet, resnet"),
        ({}, "kind", "None"),
        ({"kind": "mixnet", "size": "xl"}, "size", "known: l, m, s"),
        ({"kind": "mixnet", "star": 1}, "star", "true or false"),
        ({"kind": "resnet", "blocks": 0}, "blocks", "1 to 100"),
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
