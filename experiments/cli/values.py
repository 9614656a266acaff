"""`sgai values`: the Grundy values of a heap game's heaps."""

import argparse
import csv
import sys
from typing import Any

import sgai
from sgai.experiments.cli.common import print_json, whole_number

_A_ROW = 20


def add_parser(commands: Any) -> argparse.ArgumentParser:
    """Add the subcommand."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "values", help="Grundy values of heaps 0, 1, 2, ...", description="Print the Grundy values of heaps."
    )
    parser.add_argument("ruleset", metavar="RULESET", help="a heap game, or a take-and-break code such as 0.77")
    parser.add_argument("--to", type=whole_number, default=50, metavar="N", help="the largest heap (default: 50)")
    parser.add_argument("--format", choices=("text", "json", "csv"), default="text", help="default: text")
    return parser


def run(options: argparse.Namespace) -> int:
    """Print the values."""
    ruleset = sgai.load_ruleset(options.ruleset)
    values = sgai.grundy_values(ruleset, options.to).tolist()
    if options.format == "json":
        print_json({"ruleset": str(ruleset), "to": options.to, "values": values})
    elif options.format == "csv":
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow(["heap", "grundy"])
        writer.writerows(enumerate(values))
    else:
        print(f"{ruleset}: Grundy values of heaps 0 to {options.to}")
        label, wide = len(str(options.to)), len(str(max(values)))
        for start in range(0, len(values), _A_ROW):
            row = " ".join(f"{value:>{wide}}" for value in values[start : start + _A_ROW])
            print(f"{start:>{label}}: {row}")
    return 0
