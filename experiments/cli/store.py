"""`sgai store`: where solved components are kept, what is there, whether it is sound, and how to empty it."""

import argparse
from typing import TYPE_CHECKING, Any

import sgai
from sgai.errors import SgaiError, StoreError, quote, quote_path
from sgai.experiments.cli.common import count, print_json

if TYPE_CHECKING:
    from sgai.store import NimberStore
    from sgai.store_report import StoredValue, StoreReport

_SECONDS_A_VALUE = 5.0
_MOST_LINES = 20


def add_parser(commands: Any) -> argparse.ArgumentParser:
    """Add the subcommand."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "store",
        help="the file of solved components",
        description="Show, examine or empty the file that keeps the Grundy values of solved components.",
    )
    parser.add_argument(
        "action", choices=_ACTIONS, metavar="info|verify|clear", help="show what is there, examine it, or empty it"
    )
    parser.add_argument(
        "--file", metavar="FILE", help="the file (default: $SGAI_STORE, else a file in the user's cache folder)"
    )
    parser.add_argument("--ruleset", metavar="RULESET", help="only the values of this ruleset")
    parser.add_argument(
        "--recompute", type=count, metavar="N", help="verify: compute N values, chosen at random, again and compare"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    return parser


def run(options: argparse.Namespace) -> int:
    """Do what was asked of the store."""
    from sgai.store import NimberStore

    if options.recompute is not None and options.action != "verify":
        raise SgaiError(f"--recompute belongs to `sgai store verify`, not to {options.action}")
    with NimberStore(options.file) as store:
        _ACTIONS[options.action](store, options)
    return 0


def _info(store: "NimberStore", options: argparse.Namespace) -> None:
    info = store.info()
    rules = _rules(store, options.ruleset)
    entries = {name: number for name, number in info.entries.items() if rules in (None, name)}
    total = sum(entries.values())
    if options.json:
        print_json(
            {
                "path": str(info.path),
                "exists": info.exists,
                "bytes": info.bytes,
                "format": info.format,
                "rules_version": info.rules_version,
                "values": total,
                "rulesets": [{"ruleset": name, "values": number} for name, number in entries.items()],
                "outdated": info.outdated,
            }
        )
        return
    print(f"file    {info.path}" + (f" ({info.bytes:,} bytes)" if info.exists else " (not made yet)"))
    print(f"format  {info.format}, rules of version {info.rules_version}")
    print(f"values  {total:,}" + (f" of {rules}" if rules else ""))
    if not rules:
        most = sorted(entries.items(), key=lambda each: (-each[1], each[0]))
        for name, number in most[:_MOST_LINES]:
            print(f"  {number:>{len(f'{most[0][1]:,}')},}  {name if len(name) <= 100 else name[:100] + '...'}")
        if len(most) > _MOST_LINES:
            print(f"  ... and {len(most) - _MOST_LINES} more rulesets (--json lists all)")
    if info.outdated:
        print(f"and {info.outdated:,} of another version of the rules, which are not used")


def _verify(store: "NimberStore", options: argparse.Namespace) -> None:
    report = store.verify(_rules(store, options.ruleset), sample=options.recompute or 0, recompute=_recompute)
    if options.json:
        print_json(
            {
                "path": str(report.path),
                "ok": report.ok,
                "good": report.good,
                "outdated": report.outdated,
                "bad": [_row(row) for row in report.bad],
                "integrity": list(report.integrity),
                "recomputed": report.recomputed,
                "not_recomputed": report.not_recomputed,
                "wrong": [
                    {
                        "ruleset": wrong.rules,
                        "position": wrong.position,
                        "stored": wrong.stored,
                        "recomputed": wrong.recomputed,
                    }
                    for wrong in report.wrong
                ],
            }
        )
    if not report.ok:
        raise StoreError(_complaint(report))
    if not options.json and not store.info().exists:
        print(f"{report.path}: not made yet, so there is nothing to verify")
    elif not options.json:
        print(f"{report.path}: {report.good:,} values, all with the right checksum")
        if report.recomputed:
            print(f"computed again: {report.recomputed:,}, all equal")
        if report.not_recomputed:
            print(f"not computed again: {report.not_recomputed:,} (over {_SECONDS_A_VALUE:g} s, or unknown rules)")


def _clear(store: "NimberStore", options: argparse.Namespace) -> None:
    rules = _rules(store, options.ruleset)
    removed = store.clear(rules)
    if options.json:
        print_json({"path": str(store.path), "ruleset": rules, "removed": removed})
    else:
        print(f"removed {removed:,} values" + (f" of {rules}" if rules else "") + f" from {store.path}")


_ACTIONS = {"info": _info, "verify": _verify, "clear": _clear}


def _rules(store: "NimberStore", text: str | None) -> str | None:
    """Return the text under which a ruleset's values are stored."""
    # As it stands in the file it need not be a ruleset that can be loaded here.
    if text is None or text in store.info().entries:
        return text
    return str(sgai.load_ruleset(text).rules())


def _recompute(rules: str, position: str) -> int | None:
    from sgai.budget import Budget
    from sgai.solver import Solver

    try:
        ruleset = sgai.load_ruleset(rules)
        return Solver().grundy(ruleset, ruleset.parse(position), Budget(seconds=_SECONDS_A_VALUE))
    except SgaiError:  # out of budget, or a plugin's rules that were not loaded
        return None


def _row(row: "StoredValue") -> dict[str, Any]:
    # Where a row is damaged its value may be of any type.
    value = row.value if isinstance(row.value, int) else str(row.value)
    return {"ruleset": row.rules, "position": row.position, "value": value}


def _complaint(report: "StoreReport") -> str:
    file = f"nimber store {quote_path(report.path)}"
    if report.wrong:
        first = report.wrong[0]
        return (
            f"{file} has {len(report.wrong)} wrong values among {report.recomputed} computed again, the first of "
            f"{quote(first.position)} of {quote(first.rules)}: {first.recomputed}, not {first.stored}; empty it with "
            "`sgai store clear`"
        )
    if report.integrity:
        return f"{file} is damaged ({report.integrity[0]}): delete it, for its values can be computed again"
    first_bad = report.bad[0]
    return (
        f"{file} has {len(report.bad)} values with a wrong checksum beside {report.good} good ones, the first of "
        f"{quote(first_bad.position)} of {quote(first_bad.rules)}: they are not used; `sgai store clear` removes them"
    )
