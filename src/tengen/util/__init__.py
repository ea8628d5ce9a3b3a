# SPDX-License-Identifier: MIT
"""Mechanisms that every package of Tengen may use: atomic files and locks (`files`), append-only
event logs (`event_log`), run folders (`run_folder`), console progress (`progress`), HTML reports
(`html`, `charts`), typed configs (`config`), text formatting (`text`), deprecated names
(`deprecation`). Rank 0: imports nothing else of the package.
"""
