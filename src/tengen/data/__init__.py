# SPDX-License-Identifier: MIT
"""Positions to learn from: data sets of shards, how they are made, read, mixed and shuffled.

Needs NumPy, never torch. The importers are in `tengen.data.importers`. See docs/data.md and
docs/formats/shards.md.
"""

from tengen.data.batches import BatchReader
from tengen.data.dataset import Dataset, View
from tengen.data.errors import BadData, DataBusy, Unfinished
from tengen.data.manifest import Manifest, Shard, Validation
from tengen.data.mixture import Mixture
from tengen.data.packing import bytes_of, other_side, own_view, pack, unpack
from tengen.data.permutation import Permutation, permutation
from tengen.data.rows import Batch
from tengen.data.writer import DataWriter

__all__ = [
    "BadData",
    "Batch",
    "BatchReader",
    "DataBusy",
    "DataWriter",
    "Dataset",
    "Manifest",
    "Mixture",
    "Permutation",
    "Shard",
    "Unfinished",
    "Validation",
    "View",
    "bytes_of",
    "other_side",
    "own_view",
    "pack",
    "permutation",
    "unpack",
]
