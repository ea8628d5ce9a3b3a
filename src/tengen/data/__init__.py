# SPDX-License-Identifier: MIT
"""Training data: data sets of shards, their writer, reader, mixtures and shuffled batches.

Needs NumPy, never torch. The importers are in `tengen.data.importers`. See docs/data.md and
docs/formats/shards.md.
"""

from tengen.data.batches import BatchReader, Mixture
from tengen.data.dataset import Dataset, DatasetView
from tengen.data.errors import BadData, DataBusy, Unfinished
from tengen.data.manifest import Manifest, Shard, Validation
from tengen.data.packing import bytes_of, other_side, own_view, pack, unpack
from tengen.data.rows import Batch
from tengen.data.shuffle import Permutation
from tengen.data.writer import DataWriter
from tengen.util.deprecation import deprecated_names

__all__ = [
    "BadData",
    "Batch",
    "BatchReader",
    "DataBusy",
    "DataWriter",
    "Dataset",
    "DatasetView",
    "Manifest",
    "Mixture",
    "Permutation",
    "Shard",
    "Unfinished",
    "Validation",
    "bytes_of",
    "other_side",
    "own_view",
    "pack",
    "unpack",
]

__getattr__ = deprecated_names(__name__, {"View": "DatasetView", "permutation": "Permutation"})
