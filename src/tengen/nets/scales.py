# SPDX-License-Identifier: MIT
"""`MixnetScales`: all scales and bounds of the quantised Mixnet. docs/nets.md has the table.

A real number x is stored as the integer nearest to x * scale. The float net clamps to the same
bounds, so it is close to the integer net. Needs no torch.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields

PATTERNS = 397_488  # lines of up to five cells to each side, shorter at the edge: 364 * 3 * 364
DYNAMIC = 16  # channels of a policy feature, for every size of the net
_INT32 = 2**31 - 1
_INT16 = 2**15 - 1


def chunk_sizes(size: int) -> tuple[int, int, int]:
    """Rows (and columns) of the three chunks of a board of this size."""
    outer = (size + 1) // 3
    return outer, size - 2 * outer, outer


@dataclass(frozen=True, slots=True)
class MixnetScales:
    """Scales are integers per unit; limits are maximum absolute values as integers."""

    # Of weights and biases of the mapping nets, which stay real numbers. So baking in float32
    # cannot overflow: six taps, then four times 3M and M inputs, then M more are below 3e38.
    mapping_limit: int = 16
    feature: int = 32  # codebook features, their sum F, the convolution's bias and result F'
    feature_limit: int = 512  # of a codebook feature
    conv_weight: int = 32768  # weights of the depth-wise convolution
    conv_weight_limit: int = 32767  # of these
    conv_bias_limit: int = 8192  # of the convolution's bias
    activation: int = 64  # means, outputs of crelu, the star's signed factor, value groups
    activation_limit: int = 127  # of these
    weight: int = 64  # weights of all linear layers of the heads
    weight_limit: int = 127  # of these
    bias_limit: int = 2**28  # of a linear layer's bias, at the scale of its sum
    mean_multiplier: int = 131072  # divided by the area: the factor from a sum to a mean
    mean_shift: int = 16  # right shift after that multiplication
    dynamic_weight: int = 256  # weights of the dynamic convolution, also of the fixed one
    dynamic_weight_limit: int = 2047  # of these
    dynamic_bias_limit: int = 2**26  # of its bias, at the scale `dynamic`
    policy_input_limit: int = 2047  # of F' where the policy head reads it
    policy_feature: int = 256  # outputs of the dynamic convolution
    policy_feature_limit: int = 4095  # of these
    policy_weight: int = 256  # weights of the policy's last layer
    policy_weight_limit: int = 8191  # of these
    policy_bias_limit: int = 2**30  # of its bias, at the scale `policy`

    def __post_init__(self) -> None:
        for field in fields(self):
            if getattr(self, field.name) < 1:
                raise ValueError(f"{field.name} must be positive")
        for name, bound, limit in self.bounds():
            if bound > limit:
                raise OverflowError(f"{name} can reach {bound}, more than {limit}")

    # Scales of sums: that of one factor times that of the other.

    @property
    def linear(self) -> int:
        """Of the sums and biases of linear layers (4096), and of the star's pair sums."""
        return self.activation * self.weight

    @property
    def star(self) -> int:
        """Of the sum and bias of a star block's last layer (2^18)."""
        return self.linear * self.weight

    @property
    def dynamic(self) -> int:
        """Of the sum and bias of the dynamic convolution (8192)."""
        return self.feature * self.dynamic_weight

    @property
    def policy(self) -> int:
        """Of a policy logit and the last layer's bias (65536)."""
        return self.policy_feature * self.policy_weight

    # Maximum values, as integers.

    @property
    def sum_limit(self) -> int:
        """Of F: four features."""
        return 4 * self.feature_limit

    @property
    def product_limit(self) -> int:
        """Of one rounded product of the convolution."""
        return (self.sum_limit * self.conv_weight_limit + self.conv_weight // 2) // self.conv_weight

    @property
    def processed_limit(self) -> int:
        """Of F': the bias and nine products."""
        return self.conv_bias_limit + 9 * self.product_limit

    @property
    def pair_limit(self) -> int:
        """Of a star block's pair sum."""
        return 2 * self.activation_limit**2

    def mean_cap(self, area: int) -> int:
        """The sum over `area` points is clamped to this before its mean is taken: the mean is 2."""
        return 64 * area

    def mean_factor(self, area: int) -> int:
        """The factor from a sum over `area` points to its mean, before the shift."""
        return (self.mean_multiplier + area // 2) // area

    def _mapping_bound(self, hidden: int) -> int:
        """The maximum feature of a mapping net of M = `hidden` before the clamp."""
        limit = self.mapping_limit
        x = limit * (6 + 1)
        for _ in range(4):
            x += limit * (hidden * limit * (3 * hidden * x + 1) + 1)
        return limit * (hidden * x + 1)

    def bounds(
        self, widest: int = 640, star_widest: int = 256, policy_channels: int = 64
    ) -> Iterator[tuple[str, int, int]]:
        """(name, maximum absolute value, maximum of its type) of every sum. The widest linear layer
        has C + 4V inputs, a star block at most C; in L these are 640, 128 and P = 64. If no value
        exceeds the maximum of its type, no machine overflows.
        """
        area = 22 * 22
        yield "mapping net (float32)", self._mapping_bound(256), int(3.4e38)
        yield "sum of four features (int16)", self.sum_limit, _INT16
        yield "processed feature (int16)", self.processed_limit, _INT16
        yield "sum over the board (int32)", area * self.processed_limit, _INT32
        half = 2 ** (self.mean_shift - 1)
        means = [self.mean_cap(a) * self.mean_factor(a) + half for a in range(1, area + 1)]
        yield "mean before its shift (int32)", max(means), _INT32
        # uint8 times int8, added in pairs in int16 (AVX2, AVX-512) or in fours in int32 (VNNI):
        # alike. Fours in int16 only for a layer whose weights allow it (ByteWeights in kernels.h).
        pairs = 2 * self.activation_limit * self.weight_limit
        yield "pair of products of a linear layer (int16)", pairs, _INT16
        linear = self.bias_limit + widest * self.activation_limit * self.weight_limit
        yield "sum of a linear layer (int32)", linear + 32, _INT32
        # The dynamic bias is twice such a sum.
        yield "sum of the dynamic layer, twice (int32)", 2 * linear, _INT32
        yield "pair sum of a star block (int16)", self.pair_limit, _INT16
        star = self.bias_limit + star_widest * self.pair_limit * self.weight_limit
        yield "sum of a star block's last layer (int32)", star + 2048, _INT32
        product = self.policy_input_limit * self.dynamic_weight_limit
        dynamic = self.dynamic_bias_limit + policy_channels * product
        yield "sum of the dynamic convolution (int32)", dynamic + 16, _INT32
        product = self.policy_feature_limit * self.policy_weight_limit
        yield "policy logit (int32)", self.policy_bias_limit + DYNAMIC * product, _INT32


MIXNET_SCALES = MixnetScales()
