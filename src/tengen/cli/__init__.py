"""Command line: one small file per command."""
