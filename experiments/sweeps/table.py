"""The table of a sweep."""

from collections.abc import Sequence

from tabulate import tabulate

from sgai.experiments.sweeps.solving import Answer
from sgai.syntax import bracketed_to_plain, parse_call

_LONGEST = 60


def format_table(answers: Sequence[Answer]) -> str:
    """Return a table with a line for each answer, and a last line that counts them.

    Parameters
    ----------
    answers : sequence of Answer
        In the order of the lines.

    Examples
    --------
    >>> print(format_table([Answer("kayles", "[5]", "N", 4, True, 5, 0.01)]))
    ruleset    position    outcome      Grundy    states    seconds
    kayles     [5]         N                 4         5       0.01
    <BLANKLINE>
    1 of 1 solved; P: 0, N: 1; 5 states in 0.01 s of work
    """
    has_period = any(each.period is not None for each in answers)
    rows = []
    for each in answers:
        period = each.period
        value = each.loopy_value if each.grundy is None else str(each.grundy)
        row = {
            "ruleset": _cut(_named(each.ruleset)),
            "position": _cut(each.position),
            "outcome": each.outcome or ("failed" if each.failed else "not solved"),
            "Grundy": value or "-",
        }
        if has_period:
            row |= {"period": "-" if period is None else str(period["period"]),
                    "from heap": "-" if period is None else str(period["preperiod"])}  # fmt: skip
        rows.append(row | {"states": f"{each.states:,}", "seconds": f"{each.seconds:.3g}"})
    number = [sum(each.outcome == outcome for each in answers) for outcome in "PND"]
    draws = f", D: {number[2]}" if number[2] else ""
    solved, failed = sum(each.solved for each in answers), [each for each in answers if each.failed]
    right = [name in ("Grundy", "period", "from heap", "states", "seconds") for name in (rows[0] if rows else {})]
    text = tabulate(
        rows, headers="keys", tablefmt="plain", disable_numparse=True,
        colalign=["right" if each else "left" for each in right] if rows else None,
    )  # fmt: skip
    work = sum(each.seconds for each in answers)
    counts = (
        f"{solved} of {len(answers)} solved; P: {number[0]}, N: {number[1]}{draws}; "
        f"{sum(each.states for each in answers):,} states in {work:.3g} s of work"
    )
    lines = ["\n".join(line.rstrip() for line in text.splitlines()), "", counts]
    lines += [f"failed: {_cut(_named(each.ruleset))} {_cut(each.position)}: {each.failed}" for each in failed[:20]]
    if len(failed) > 20:
        lines.append(f"... and {len(failed) - 20} more that failed")
    return "\n".join(lines)


def _named(ruleset: str) -> str:
    """Return a take-and-break code alone."""
    if not ruleset.startswith("take_and_break("):
        return ruleset
    arguments = parse_call(ruleset).arguments
    return bracketed_to_plain(arguments["code"]) if arguments.keys() == {"code"} else ruleset


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."
