# SPDX-License-Identifier: MIT
"""Deprecated: `tengen.engine.review` has the names of this module."""

from tengen.util.deprecation import deprecated_names

__getattr__ = deprecated_names(
    __name__,
    {
        "annotated": "tengen.engine.review:annotate_record",
        "words_of": "tengen.engine.review:move_comment",
    },
)
