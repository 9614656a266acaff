"""`sgai games`: the rulesets with their parameters."""

import argparse
from typing import Any

import sgai
from sgai.experiments.cli.common import print_json
from sgai.registry import ruleset_class


def add_parser(commands: Any) -> argparse.ArgumentParser:
    """Add the subcommand."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "games", help="list rulesets with their parameters", description="List rulesets with their parameters."
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these")
    parser.add_argument("--json", action="store_true", help="print JSON")
    return parser


def run(options: argparse.Namespace) -> int:
    """List the rulesets."""
    found = [_described(name) for name in options.names or sgai.ruleset_names()]
    if options.json:
        print_json(found)
        return 0
    for each in found:
        print(f"{each['name']}: {each['doc']}")
        for parameter in each["parameters"]:
            print(f"    {parameter['name']}={parameter['default']}  {parameter['doc']}")
    return 0


def _described(name: str) -> dict[str, Any]:
    cls = ruleset_class(name)
    parameters = [
        {
            "name": each.name,
            "default": None if each.required else each.kind.format(each.default),
            "doc": each.doc or each.kind.describe,
        }
        for each in cls.parameters().values()
    ]
    doc = (cls.__doc__ or "").strip().splitlines()
    return {"name": name, "doc": doc[0] if doc else "", "parameters": parameters}
