# SPDX-License-Identifier: MIT
"""Importers: what makes data sets of other people's files. One module a kind of source; each is
imported when it is used.
"""
