# SPDX-License-Identifier: MIT
"""`python -m tengen` is the `tengen` command."""

from tengen.cli.main import main

raise SystemExit(main())
