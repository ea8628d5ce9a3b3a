# SPDX-License-Identifier: MIT
"""Losses, metrics, unpacking, symmetries and distillation, against values computed by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from tengen.data.packing import pack
from tengen.data.symmetry import board_table, move_table
from tengen.train.config import OptimiserConfig
from tengen.train.losses import LOSSES, METRICS, Objective, Sums, masked_policy, measure
from tengen.train.net_trainer import Average, make_optimiser
from tengen.train.teacher import as_labels
from tengen.train.unpack import Labels, PackedRows, Sample, Unpacker

CPU = torch.device("cpu")
SIZE = 5


def packed(cells: list[int], moves: dict[int, int], value: tuple[int, int]) -> PackedRows:
    """One row."""
    board = pack(np.array([cells], np.uint8), SIZE)
    return PackedRows(
        torch.from_numpy(board),
        torch.tensor([list(moves)], dtype=torch.int16),
        torch.tensor([list(moves.values())], dtype=torch.uint8),
        torch.tensor([value], dtype=torch.uint8),
    )


def one(value: tuple[int, int] = (255, 0), moves: dict[int, int] | None = None) -> Sample:
    """A board of two stones, own on point 0 and the other's on point 1."""
    cells = [1, 2] + [0] * 23
    return Unpacker(SIZE, CPU)(packed(cells, {2: 255, 3: 0} if moves is None else moves, value))


def outputs(value: list[float], best: dict[int, float]) -> dict[str, Tensor]:
    policy = torch.zeros(1, 25)
    for point, logit in best.items():
        policy[0, point] = logit
    return {"value": torch.tensor([value]), "policy": policy.view(1, SIZE, SIZE)}


def of(name: str, said: dict[str, Tensor], sample: Sample) -> float:
    table = LOSSES if name in LOSSES else METRICS
    return float(table[name].compute(said, sample, sample.labels))


def test_unpacking() -> None:
    sample = one((51, 102), {2: 200, 7: 50, 1: 5, 0: 0})
    assert sample.planes.shape == (1, 2, SIZE, SIZE)
    assert sample.planes[0, 0].nonzero().tolist() == [[0, 0]]
    assert sample.planes[0, 1].nonzero().tolist() == [[0, 1]]
    assert sample.empty.sum() == 23
    assert sample.labels.value[0].tolist() == pytest.approx([0.2, 0.4, 0.4])
    assert sample.labels.policy[0, 2] == pytest.approx(0.8)  # what lies on a stone does not count
    assert sample.labels.policy[0, 7] == pytest.approx(0.2)
    assert sample.labels.policy.sum() == pytest.approx(1)


def test_value_loss() -> None:
    output = outputs([math.log(5), math.log(3), math.log(2)], {})
    assert of("value", output, one()) == pytest.approx(-math.log(0.5))
    mixed = one((51, 102))
    wanted = -(0.2 * math.log(0.5) + 0.4 * math.log(0.3) + 0.4 * math.log(0.2))
    assert of("value", output, mixed) == pytest.approx(wanted)


def test_policy_loss_leaves_stones_out() -> None:
    # 23 empty points, one of them with logit log 3: its share is 3 / 25; stones count nothing.
    output = outputs([0, 0, 0], {2: math.log(3), 0: 50.0, 1: 50.0})
    assert of("policy", output, one()) == pytest.approx(-math.log(3 / 25))
    assert of("policy", output, one(moves={2: 0})) == 0  # not known


def test_scalar_and_binary_losses() -> None:
    output = outputs([math.log(5), math.log(3), math.log(2)], {})  # win - loss 0.2, win rate 0.6
    assert of("scalar", output, one()) == pytest.approx(0.8**2)
    assert of("binary", output, one()) == pytest.approx(-math.log(0.6))
    assert of("win_mse", output, one()) == pytest.approx(0.4**2)
    assert of("value_bias", output, one()) == pytest.approx(-0.8)
    draw = one((0, 0))
    assert of("binary", output, draw) == pytest.approx(-0.5 * math.log(0.6) - 0.5 * math.log(0.4))
    own = output | {"scalar": torch.tensor([[math.atanh(0.5)]]), "win": torch.tensor([[0.0]])}
    assert of("scalar", own, one()) == pytest.approx(0.25)
    assert of("binary", own, one()) == pytest.approx(math.log(2))
    assert of("win_mse", own, one()) == pytest.approx(0.25)


def test_accuracies() -> None:
    output = outputs([1, 0, 0], {5: 3.0, 6: 2.0, 2: 1.0, 0: 9.0})
    assert of("value_accuracy", output, one()) == 1
    assert of("value_accuracy", output, one((0, 255))) == 0
    assert [of(f"policy_top{n}", output, one()) for n in (1, 5, 10)] == [0, 1, 1]


def test_means_count_only_known_values() -> None:
    unpack = Unpacker(SIZE, CPU)
    rows = [
        packed([0] * 25, {1: 255}, (255, 0)),
        packed([0] * 25, {1: 0}, (0, 255)),
        packed([0] * 25, {1: 255}, (0, 255)),
    ]
    three = PackedRows(*(torch.cat(column) for column in zip(*rows, strict=True)))
    sample = unpack(three, None, torch.tensor([1.0, 1.0, 0.0]))
    outputs = {"value": torch.zeros(3, 3), "policy": torch.zeros(3, SIZE, SIZE)}
    sums = Sums()
    for _ in range(2):
        sums.add(measure(("policy", "value", "value_accuracy"), outputs, sample, sample.labels))
    assert sums.read() == pytest.approx(
        {"policy": math.log(25), "value": math.log(3), "value_accuracy": 0.5}
    )


@pytest.mark.parametrize("symmetry", range(8))
def test_symmetries_are_those_of_the_data(symmetry: int) -> None:
    random = np.random.default_rng(symmetry)
    cells = random.choice(3, 25, p=[0.8, 0.1, 0.1]).astype(np.uint8)
    move = int(np.flatnonzero(cells == 0)[3])
    row = packed(cells.tolist(), {move: 255}, (255, 0))
    sample = Unpacker(SIZE, CPU)(row, torch.tensor([symmetry]))
    image = cells.reshape(-1)[board_table(SIZE)[symmetry]].reshape(SIZE, SIZE)
    assert (sample.planes[0, 0].numpy() == (image == 1)).all()
    assert (sample.planes[0, 1].numpy() == (image == 2)).all()
    assert int(sample.labels.policy[0].argmax()) == move_table(SIZE)[symmetry][move]


def test_no_symmetry_changes_the_loss_of_a_symmetric_position() -> None:
    middle = packed([0] * 12 + [1] + [0] * 12, {0: 64, 4: 64, 20: 64, 24: 63}, (128, 127))
    eight = PackedRows(*(column.repeat(8, *[1] * (column.dim() - 1)) for column in middle))
    eight = eight._replace(prob=torch.full_like(eight.prob, 60))
    sample = Unpacker(SIZE, CPU)(eight, torch.arange(8))
    torch.manual_seed(1)
    outputs = {
        "value": torch.randn(1, 3).expand(8, 3),
        "policy": torch.randn(1, SIZE, SIZE).expand(8, -1, -1),
    }
    for name in ("policy", "value", "policy_top1"):
        result = METRICS[name].compute(outputs, sample, sample.labels)
        assert torch.allclose(result, result[:1].expand(8)), name


def test_distillation_mixes_75_and_25() -> None:
    torch.manual_seed(0)
    sample = one((51, 102))
    outputs = {"value": torch.randn(1, 3), "policy": torch.randn(1, SIZE, SIZE)}
    taught = as_labels({"value": torch.randn(1, 3), "policy": torch.randn(1, SIZE, SIZE)}, sample)
    assert taught.policy[~sample.empty].sum() == 0
    assert taught.policy.sum() == pytest.approx(1)
    total, parts = Objective({"value": 2.0, "policy": 1.0}, 0.75)(outputs, sample, taught)
    alone, _ = Objective({"value": 2.0, "policy": 1.0}, 0.75)(outputs, sample, None)

    def loss(labels: Labels) -> float:
        value = -(labels.value * outputs["value"].log_softmax(1)).sum()
        policy = -(labels.policy * masked_policy(outputs, sample).log_softmax(1)).sum()
        return float(2 * value + policy)

    assert float(total) == pytest.approx(0.75 * loss(taught) + 0.25 * loss(sample.labels))
    assert float(alone) == pytest.approx(loss(sample.labels))
    assert set(parts) == {"value", "policy", "taught_value", "taught_policy"}
    # Cross-entropy is linear in the labels: the same as a loss against mixed labels.
    mixed = Labels(*(0.75 * t + 0.25 * u for t, u in zip(taught, sample.labels, strict=True)))
    assert float(total) == pytest.approx(loss(mixed))


def test_losses_of_groups_of_rows() -> None:
    torch.manual_seed(0)
    rows = [packed([0] * 25, {move: 255 * (move != 3)}, (255, 0)) for move in range(5)]
    five = PackedRows(*(torch.cat(column) for column in zip(*rows, strict=True)))
    sample = Unpacker(SIZE, CPU)(five)
    outputs = {"value": torch.randn(5, 3), "policy": torch.randn(5, SIZE, SIZE)}
    groups = {"human": slice(2), "selfplay": slice(2, None)}
    objective = Objective({"value": 1.0, "policy": 2.0}, 0.0)
    total, parts = objective(outputs, sample, None, groups)
    plain, few = objective(outputs, sample, None)
    assert float(total) == pytest.approx(float(plain))
    assert set(parts) - set(few) == {
        f"{loss}_{group}" for loss in ("value", "policy") for group in groups
    }
    policy = LOSSES["policy"].compute(outputs, sample, sample.labels)
    assert [float(part) for part in parts["policy_human"]] == pytest.approx(
        [float(policy[:2].sum()), 2]
    )
    assert [float(part) for part in parts["policy_selfplay"]] == pytest.approx(
        [float(policy[2:].sum()), 2]  # the fourth row has no label
    )


@pytest.mark.parametrize("nesterov", [False, True])
def test_sgd_with_momentum_and_penalty(nesterov: bool) -> None:
    """The gradient is that of the loss plus lambda times the sum of all squared weights."""
    penalty, rate, momentum = 0.01, 0.1, 0.9
    config = OptimiserConfig(
        name="sgd", rate=rate, momentum=momentum, nesterov=nesterov, weight_decay=penalty
    )
    net = nn.Linear(3, 1)
    optimiser = make_optimiser(config, net, CPU)
    inputs = torch.randn(8, 3)
    weights = [weight.detach().clone() for weight in net.parameters()]
    velocity = [torch.zeros_like(weight) for weight in weights]
    for _ in range(4):
        optimiser.zero_grad()
        net(inputs).square().mean().backward()
        optimiser.step()
        copies = [weight.clone().requires_grad_() for weight in weights]
        loss = torch.nn.functional.linear(inputs, *copies).square().mean()
        loss = loss + penalty * torch.stack([weight.square().sum() for weight in copies]).sum()
        for number, gradient in enumerate(torch.autograd.grad(loss, copies)):
            velocity[number] = momentum * velocity[number] + gradient
            step = gradient + momentum * velocity[number] if nesterov else velocity[number]
            weights[number] = weights[number] - rate * step
    for weight, wanted in zip(net.parameters(), weights, strict=True):
        assert torch.allclose(weight, wanted, atol=1e-6)


def test_the_average_of_weights() -> None:
    net = nn.Linear(1, 1, bias=False)
    net.register_buffer("seen", torch.tensor(3))
    average = Average(net, 0.5)
    with torch.no_grad():
        net.weight.fill_(0.0)
        average = Average(net, 0.5)
        wanted = 0.0
        for update in range(1, 12):
            net.weight.fill_(float(update))
            average.update()
            decay = min(0.5, (1 + update) / (10 + update))
            wanted = decay * wanted + (1 - decay) * update
    assert average.state()["weight"].item() == pytest.approx(wanted)
    with average.applied():
        assert net.weight.item() == pytest.approx(wanted)
        assert average.state()["weight"].item() == 11
    assert net.weight.item() == 11
    other = Average(net, 0.5)
    other.load(average.state(), average.updates)
    assert other.state()["weight"].item() == pytest.approx(wanted)
