# SPDX-License-Identifier: MIT
"""Invalid values of all types for fields of arena files."""

from __future__ import annotations

from hypothesis import strategies as st

HUGE = 10**400  # no float is as great

_scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
_scalars |= st.sampled_from([HUGE, -HUGE, "match", "random", "swap2", "renju"])
GARBAGE = st.recursive(
    _scalars,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["time", "nodes", "elo0", "elo1", "alpha", "name", "preset", "x"])
            | st.text(max_size=5),
            inner,
            max_size=3,
        )
    ),
    max_leaves=6,
)
