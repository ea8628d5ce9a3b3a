# SPDX-License-Identifier: MIT
"""The report of a match or tournament as one HTML file: `report_html`.

A file for each section, which all make text from `Standings`; the template, the style sheet and the
scripts lie beside them. Relies on standings; the command line relies on it.
"""

from tengen.arena.report.page import report_html

__all__ = ["report_html"]
