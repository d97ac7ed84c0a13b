"""The commands `ppdm data list` and `ppdm data verify`."""

from __future__ import annotations

import argparse

from .catalog import CATALOG


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the actions of `ppdm data` to its parser."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="list|verify")
    actions.add_parser("list", help="the data sets: rows, attributes, licence")
    actions.add_parser("verify", help="check every stored file against its checksum")


def main(args: argparse.Namespace) -> int:
    """Run the chosen action; 0 if all is well."""
    if args.action == "verify":
        from .stored import verify

        return 0 if verify() else 1
    for name, item in CATALOG.items():
        attributes = sum(column.name not in (item.target, item.id) for column in item.columns)
        print(f"{name:<25}{item.rows:>7,} rows {attributes:>3} attributes  {item.licence}")
    return 0
