"""`sgai audit`: whether the components that a ruleset names are really independent."""

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from sgai.errors import SgaiError, shortened
from sgai.experiments.cli.common import add_position, count, print_json, seconds, whole_number

if TYPE_CHECKING:
    from sgai.audit import Audit, Counterexample

# The names in sgai.counterexamples, which need not be loaded to print the help.
_EXAMPLES = ("fibonacci_per_pile", "shuttle_per_pile", "shared_stock", "rectangle_rows", "rectangle_columns")


def add_parser(commands: Any) -> argparse.ArgumentParser:
    """Add the subcommand."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "audit",
        help="check that components are independent",
        description="Check that the components of every reachable position are independent: each move changes one of "
        "them, and their values XOR to that of the whole. A counterexample is an answer too: exit code 0.",
        epilog="Rulesets made to be caught: " + ", ".join(_EXAMPLES) + "; --counterexamples audits them all.",
    )
    add_position(parser, optional=True)
    parser.add_argument("--states", type=count, metavar="N", help="the most positions to check (default: 20000)")
    parser.add_argument("--seconds", type=seconds, metavar="S", help="the most seconds to take (default: 10)")
    parser.add_argument(
        "--seed", type=whole_number, default=0, metavar="N", help="for the random plays that follow (default: 0)"
    )
    parser.add_argument(
        "--counterexamples", action="store_true", help="audit the rulesets that are there to be caught, one by one"
    )
    parser.add_argument("--approximate", action="store_true", help="check the split that is only a prior instead")
    parser.add_argument("--json", action="store_true", help="print JSON")
    return parser


def run(options: argparse.Namespace) -> int:
    """Audit and print the verdict."""
    from sgai.counterexamples import load_audited

    if options.counterexamples:
        if options.ruleset is not None:
            raise SgaiError(f"give a ruleset, such as {options.ruleset}, or --counterexamples, not both")
        every = [_audited(options, load_audited(name), None) for name in _EXAMPLES]
        if options.json:
            print_json([each.to_dict() for each in every])
        else:
            print("\n\n".join("\n".join(_lines(each)) for each in every))
        return 0
    if options.ruleset is None:
        raise SgaiError("name a ruleset to audit, such as kayles, or --counterexamples")
    ruleset = load_audited(options.ruleset)
    found = _audited(options, ruleset, None if options.position is None else ruleset.parse(options.position))
    if options.json:
        print_json(found.to_dict())
        return 0
    for line in _lines(found):
        print(line)
    return 0


def _audited(options: argparse.Namespace, ruleset: Any, position: Any) -> "Audit":
    from sgai import audit as audits
    from sgai.budget import Budget
    from sgai.experiments.cli.progress import shown_progress

    with shown_progress() as watch:
        budget = Budget(options.states or audits.DEFAULT_POSITIONS, options.seconds or audits.DEFAULT_SECONDS, watch)
        return audits.audit(ruleset, position, budget, options.seed, options.approximate)


def _lines(found: "Audit") -> Iterator[str]:
    split = "approximate components" if found.approximate else "components"
    yield f"{shortened(str(found.ruleset))} {shortened(found.ruleset.format(found.position))}"
    if found.counterexample is not None:
        yield f"not independent: the {split} of a position interact"
        yield from _counterexample_lines(found.counterexample)
    elif not found.split_positions:
        yield f"no {split} to check: no position that was looked at splits"
    elif found.independent:
        yield f"independent: the {split} of every reachable position were checked"
    else:
        yield f"no counterexample among the {split} that were checked; there are more positions (--states, --seconds)"
    sampled = f" and {found.sampled_positions:,} of random plays" if found.sampled_positions else ""
    yield (
        f"checked {found.checked_positions:,} positions{sampled} in {found.seconds:.3g} s; "
        f"{found.split_positions:,} have several components"
    )
    if found.split_positions:
        yield (
            f"matched {found.checked_moves:,} moves of positions and components; compared the values of "
            f"{found.compared_values:,} positions with those of their components, by the definition"
        )


def _counterexample_lines(found: "Counterexample") -> Iterator[str]:
    yield f"  position {found.ruleset.format(found.position)}"
    for part, value in zip(found.components, found.component_values, strict=True):
        shown = "too large to judge" if value is None else f"value {_shown(value)}"
        yield f"  component {shortened(str(part.ruleset))} {part.ruleset.format(part.position)}: {shown}"
    yield f"  {found.why}"
    if found.value is not None:
        kind = "Grundy value" if isinstance(found.value, int) else "loopy value"
        yield f"  {kind} of the position: {_shown(found.value)}"


def _shown(value: Any) -> str:
    return str(value) if isinstance(value, int) else str(value.in_words())
