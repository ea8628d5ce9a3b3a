# SPDX-License-Identifier: MIT
"""All nets with a body of convolutions: counts of the papers, shapes, inputs, value outputs,
folding of norms, and that torch can capture them as a whole.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from net_boards import random_planes
from tengen.nets import (
    KINDS,
    BoardNet,
    GomokunetSpec,
    HeadedNet,
    HeadedSpec,
    KatanetSpec,
    MobilenetSpec,
    ResnetSpec,
    count_operations,
    count_parameters,
    fused,
    make_net,
    spec_of,
)
from tengen.nets.blocks import compiled
from tengen.nets.gomokunet import Block, PositionalAttention, padded, resampled
from tengen.nets.heads import input_planes, value_logits
from tengen.nets.katanet import PooledBlock, PreactivatedBlock
from tengen.nets.mobilenet import MobileBlock
from tengen.nets.resnet import ResidualBlock
from zoo_nets import TINY_NETS, stirred_net

GO = "win-planes21"  # 21 input planes, one value output


@cache
def tiny(name: str) -> BoardNet:
    return stirred_net(name)


# --- counts ---

TABLE_4 = {
    64: (908_197, 1_811_365, 2_714_533, 3_617_701, 4_520_869),
    96: (1_958_213, 3_908_933, 5_859_653, 7_810_373, 9_761_093),
    128: (3_405_541, 6_801_125, 10_196_709, 13_592_293),
    160: (5_250_181, 10_487_941, 15_725_701, 20_963_461),  # the paper has 20,696,901
    192: (7_492_133, 14_969_381, 22_446_629, 29_923_877),
    224: (10_131_397, 20_245_445),
}


@pytest.mark.integration
@pytest.mark.parametrize(
    ("width", "depth", "count"),
    [
        (width, depth, count)
        for width, counts in TABLE_4.items()
        for depth, count in zip((16, 32, 48, 64, 80), counts, strict=False)
    ],
)
def test_mobile_nets_have_the_papers_parameters(width: int, depth: int, count: int) -> None:
    assert count_parameters(f"mobilenet-{depth}b{width}f-{GO}-se").keras == count


@pytest.mark.parametrize(("blocks", "count"), [(20, 23_642_469), (40, 47_266_149)])
def test_residual_nets_have_the_papers_parameters(blocks: int, count: int) -> None:
    net = f"resnet-{blocks}b256f-polygames-{GO}-norms1-1x1"
    assert count_parameters(net).keras == count


def test_nets_below_a_million_parameters() -> None:
    """Section V.A of Cazenave (2022) names the sizes, not the counts."""
    polygames = count_parameters(f"resnet-13b64f-polygames-{GO}-norms1-1x1").keras
    mobile = count_parameters(f"mobilenet-17b64f-{GO}").keras
    with_se = count_parameters(f"mobilenet-17b64f-{GO}-se").keras
    assert 0.94e6 < mobile < with_se < polygames < 1e6
    assert with_se - mobile == 17 * 2 * 64 * 64 // 16


def test_the_count_of_a_mobile_net_by_hand() -> None:
    w, inner = 32, 96
    block = 2 * w * inner + 9 * inner + 4 * (2 * inner + w) + 2 * w * w // 16
    heads = w + (w * 50 + 50) + (50 * 3 + 3)
    counted = count_parameters("mobilenet-5b32f-expansion3-se")
    assert counted.keras == (2 * w + w + 4 * w) + 5 * block + heads
    assert counted.statistics == 2 * (w + 5 * (2 * inner + w))
    assert counted.trained == counted.keras - counted.statistics


@pytest.mark.parametrize(
    ("name", "billions"),  # of Gao and Wu's Table I
    [
        ("convnet", 2.6),
        ("alphanet", 5.3),
        ("polynet", 5.3),
        ("mobilenet-20b256f-expansion2", 1.2),
        ("katanet", 4.9),
        ("gomokunet", 2.7),
    ],
)
def test_multiply_adds_are_the_papers(name: str, billions: float) -> None:
    assert count_operations(name).multiply_adds / 1e9 == pytest.approx(billions, rel=0.03)


@pytest.mark.integration
def test_ablations_of_gomokunet() -> None:
    """Each option removes its part, and only that."""
    whole = count_parameters("gomokunet-8f").trained
    names = {name for name, _ in make_net("gomokunet-8f").named_parameters()}
    for option, part in (("pam", ".attention."), ("aggregation", ".scales."), ("unet", ".downs.")):
        net = make_net(f"gomokunet-8f-no-{option}")
        kept = {name for name, _ in net.named_parameters()}
        assert kept < names
        assert any(part in name for name in names - kept)
        assert count_parameters(f"gomokunet-8f-no-{option}").trained < whole
    assert count_parameters("gomokunet-8f-no-residual").trained == whole
    deep = count_operations("gomokunet-8f-no-unet").multiply_adds
    assert 0.5 < deep / count_operations("gomokunet-8f").multiply_adds < 1


def test_three_of_five_blocks_are_pooled() -> None:
    with torch.device("meta"):
        net = make_net(KatanetSpec())
    pooled = [block for block in net.modules() if isinstance(block, PooledBlock)]
    assert len(pooled) == 12
    assert {block.pooled[0].out_channels for block in pooled} == {64}
    assert {block.regular.out_channels for block in pooled} == {192}


# --- shapes and inputs ---


@pytest.mark.parametrize("name", TINY_NETS)
def test_shapes(name: str) -> None:
    net = tiny(name)
    spec = net.spec
    assert isinstance(net, HeadedNet)
    for size in (9,) if spec.board_size else (5, 9, 15, 16, 22):
        out = net(random_planes(3, size))
        assert tuple(out) == net.outputs
        assert out["value"].shape == (3, 3)
        assert out["policy"].shape == (3, size, size)
        assert all(tensor.isfinite().all() for tensor in out.values())


@pytest.mark.parametrize("name", TINY_NETS)
def test_boards_are_independent_and_all_points_matter(name: str) -> None:
    net, planes = tiny(name), random_planes(4, 9)
    out = net(planes)
    for number in range(4):
        alone = net(planes[number : number + 1])
        torch.testing.assert_close(alone["policy"][0], out["policy"][number])
        torch.testing.assert_close(alone["value"][0], out["value"][number])
    for y, x in ((0, 0), (4, 4), (8, 8)):
        other = planes[:1].clone()
        other[0, 0, y, x] = 1.0
        assert not torch.allclose(net(other)["policy"][0], out["policy"][0])


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("resnet-2b8f", 2),
        ("resnet-2b8f-no-norm", 2),
        ("resnet-2b8f-norms1", 2),
        ("mobilenet-3b8f-se", 3),
        ("gomokunet-4f", 12),
        ("gomokunet-4f-no-unet", 12),
        ("katanet-5b8f", 5),
    ],
)
def test_blocks_start_as_identity(name: str, count: int) -> None:
    kept: list[bool] = []

    def compare(_: nn.Module, inputs: tuple[Tensor], output: Tensor) -> None:
        kept.append(torch.equal(inputs[0], output))

    net = make_net(name).eval()
    for module in net.modules():
        if isinstance(
            module, ResidualBlock | MobileBlock | PreactivatedBlock | PooledBlock | Block
        ):
            module.register_forward_hook(compare)
    net(random_planes(3, 9))
    assert kept == [True] * count


def test_input_planes() -> None:
    planes = torch.zeros(2, 2, 5, 5)
    planes[0, 0, 1, 1] = planes[0, 1, 2, 2] = planes[1, 1, 3, 3] = 1.0
    four = input_planes(planes, 4)
    assert torch.equal(input_planes(planes, 2), planes)
    assert torch.equal(four[:, :2], planes)
    assert four[0, 2].all()  # black is to move
    assert not four[1, 2].any()
    assert four[:, 3].all()
    assert torch.equal(input_planes(planes, 3), four[:, :3])


def test_nets_for_other_games_count_only() -> None:
    spec = spec_of(f"mobilenet-1b16f-{GO}")
    assert spec.input_planes == 21
    assert make_net(spec)(torch.zeros(2, 21, 9, 9))["win"].shape == (2, 1)
    for name in ("resnet-1b8f", "resnet-1b8f-planes3", "resnet-1b8f-planes4"):
        assert spec_of(name).input_planes == 2


@pytest.mark.parametrize("output", ["scalar", "win"])
def test_one_value_output_as_three(output: str) -> None:
    net = stirred_net(f"resnet-1b8f-{output}")
    out = net(random_planes(6, 9))
    assert net.outputs == (output, "policy", "value")
    win, loss, draw = out["value"].softmax(1).T
    single = out[output].flatten()
    expected = single.tanh() if output == "scalar" else 2 * single.sigmoid() - 1
    torch.testing.assert_close(win - loss, expected, atol=1e-4, rtol=0)
    assert draw.max() < 1e-4
    assert value_logits({output: torch.zeros(2, 1)})[:, 0].tolist() == [0, 0]


# --- GomokuNet's parts ---


@pytest.mark.parametrize("size", range(5, 23))
def test_sampling_up_and_down_is_the_identity(size: int) -> None:
    side = padded(size)
    assert side % 8 == 0
    assert 0 <= side - size < 8
    board = torch.arange(size * size).view(1, size, size)
    large = resampled(board, side)
    assert torch.equal(resampled(large, size), board)
    assert set(large.flatten().tolist()) == set(board.flatten().tolist())
    flipped = resampled(board.flip(1), side).flip(1)
    assert (flipped != large).float().mean() <= 1 / 2  # only the doubled points may differ


def test_positional_attention_by_hand() -> None:
    torch.manual_seed(0)
    module = PositionalAttention(3, 6)
    nn.init.normal_(module.weight)
    nn.init.normal_(module.bias)
    x = torch.randn(2, 3, 4, 4)
    kept = [0, 1, 2, 3, 6, 7, 8, 9]
    lines = torch.cat([x.mean(3), x.mean(2)], 2)
    mixed = lines @ module.weight[kept][:, kept].T + module.bias[kept]
    mixed = torch.einsum("oc,bcl->bol", module.conv.weight[:, :, 0], mixed)
    rows, columns = mixed[:, :, :4], mixed[:, :, 4:]
    expected = x * torch.sigmoid(torch.einsum("bch,bcw->bchw", rows, columns))
    torch.testing.assert_close(module(x), expected)


# --- inference and training ---


@pytest.mark.parametrize("name", TINY_NETS)
def test_fused_nets_compute_the_same(name: str) -> None:
    net, planes = tiny(name), random_planes(5, 9)
    folded = fused(net)
    for key, tensor in folded(planes).items():
        torch.testing.assert_close(tensor, net(planes)[key], atol=1e-4, rtol=1e-4)
    assert not any(parameter.requires_grad for parameter in folded.parameters())
    assert all(parameter.requires_grad for parameter in net.parameters())
    norms = [module for module in folded.modules() if isinstance(module, nn.BatchNorm2d)]
    assert len(norms) < max(1, sum(isinstance(m, nn.BatchNorm2d) for m in net.modules()))
    if not name.startswith(("gomokunet", "katanet")):  # theirs are before the convolutions, too
        assert not norms


@pytest.mark.integration
@pytest.mark.parametrize("name", TINY_NETS)
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of torch, in its own compiler
def test_a_net_is_one_graph(name: str) -> None:
    torch.compiler.reset()
    net, planes = tiny(name), random_planes(4, 9)
    compiled: Any = torch.compile(net, fullgraph=True, backend="eager", dynamic=False)
    for key, tensor in compiled(planes).items():
        torch.testing.assert_close(tensor, net(planes)[key])


@pytest.mark.parametrize("name", TINY_NETS)
def test_training_reaches_every_weight(name: str) -> None:
    torch.manual_seed(2)
    net = make_net(name)
    for step in range(3):  # behind a weight that is 0 there is no gradient yet
        out = net(random_planes(4, 9, step))
        target = out["policy"].flatten(1).log_softmax(1)[:, 3] + out["value"].log_softmax(1)[:, 0]
        (-target.sum()).backward()
        with torch.no_grad():
            for parameter in net.parameters():
                assert parameter.grad is not None
                parameter.sub_(0.01 * parameter.grad.clamp(-1, 1))
    gradients = {name: parameter.grad for name, parameter in net.named_parameters()}
    assert all(gradient is not None and gradient.any() for gradient in gradients.values())


@pytest.mark.parametrize("name", TINY_NETS)
def test_half_precision_is_close(name: str) -> None:
    net, planes = tiny(name), random_planes(4, 9)
    with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
        rounded = net(planes)
    exact = net(planes)
    for key, tensor in rounded.items():
        assert tensor.dtype == torch.float32
        assert (tensor - exact[key]).abs().mean() < 0.05 * (1 + exact[key].std())


def test_old_state_names_of_residual_nets() -> None:
    state = make_net(ResnetSpec(1, 4)).state_dict()
    assert [name for name, _ in make_net(ResnetSpec(1, 4)).named_parameters()] == [
        *("body.stem.weight", "body.stem.bias"),
        *(f"body.blocks.0.conv{i}.{part}" for i in (1, 2) for part in ("weight", "bias")),
        *(f"body.blocks.0.norm{i}.{part}" for i in (1, 2) for part in ("weight", "bias")),
        *("heads.value.lin.weight", "heads.value.lin.bias"),
        *("heads.policy.conv.weight", "heads.policy.conv.bias"),
    ]
    assert state["body.stem.weight"].shape == (4, 2, 3, 3)


def test_every_kind_is_tested_here() -> None:
    kinds = {spec_of(name).kind for name in TINY_NETS}
    assert kinds == KINDS.keys() - {"mixnet"}
    assert {spec.heads for spec in map(spec_of, TINY_NETS) if isinstance(spec, HeadedSpec)} == {
        *("simple", "alphazero", "polygames")
    }
    assert MobilenetSpec().heads == "polygames"
    assert GomokunetSpec().pam


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of torch, in its own compiler
def test_all_nets_of_a_process_are_compiled() -> None:
    def backend(module: torch.fx.GraphModule, _: Any) -> Any:
        graphs.append(module)
        return module.forward

    graphs: list[torch.fx.GraphModule] = []
    planes = random_planes(2, 9)
    for filters in range(1, 13):
        net = make_net({"kind": "resnet", "blocks": 0, "filters": filters})
        compiled(net, backend=backend)(planes)
    assert len(graphs) == 12
