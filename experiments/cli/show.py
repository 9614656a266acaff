"""`sgai show`: a drawing of a position."""

import argparse
from pathlib import Path
from typing import Any

from sgai.errors import SgaiError, shortened
from sgai.experiments.cli.common import add_position, read_position


def add_parser(commands: Any) -> argparse.ArgumentParser:
    """Add the subcommand."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "show", help="draw a position", description="Draw a position in the terminal or as SVG."
    )
    add_position(parser)
    parser.add_argument("--svg", metavar="FILE", help="write an SVG drawing to a file instead")
    return parser


def run(options: argparse.Namespace) -> int:
    """Draw the position."""
    ruleset, position = read_position(options)
    if options.svg is None:
        print(f"{shortened(str(ruleset))} {ruleset.format(position)}")
        print(ruleset.draw_text(position))
        return 0
    drawing = ruleset.draw_svg(position)
    try:
        Path(options.svg).write_text(drawing, encoding="utf-8")
    except OSError as error:
        raise SgaiError(f"--svg {options.svg!r} cannot be written: {error.strerror}") from None
    print(f"wrote {options.svg}")
    return 0
