"""`sgai play`: a person against an agent, in the terminal."""

import argparse
import itertools
import re
import textwrap
from typing import Any

import sgai
from sgai.errors import NotSolvedError, SgaiError
from sgai.experiments.cli.common import add_convention, whole_number

_MOST_LISTED, _MOST_NUMBERED = 30, 2000
_SURE = {"N": "it wins", "P": "no move wins against perfect play", "D": "it holds the draw"}
_HELP = "type a move or its number; ? components and values, m all moves, h a hint, q quit"


def add_parser(commands: Any) -> argparse.ArgumentParser:
    """Add the subcommand."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "play", help="play against an agent", description="Play against an agent in the terminal."
    )
    parser.add_argument("ruleset", metavar="RULESET", help="name(key=value,...) or a take-and-break code such as 0.77")
    parser.add_argument(
        "--agent",
        default="exact",
        metavar="AGENT",
        help="the opponent: exact (the default), 'hybrid(seconds=0.1)', plain_mcts, plain_alpha_beta or random",
    )
    parser.add_argument("--explain", action="store_true", help="let the agent say why it moved so")
    parser.add_argument("--second", action="store_true", help="let the agent move first")
    parser.add_argument("--seed", type=whole_number, default=0, help="of an agent that decides by chance (default: 0)")
    add_convention(parser)
    return parser


def run(options: argparse.Namespace) -> int:
    """Play one game."""
    from sgai.agents import ExactAgent
    from sgai.agents.players import PlayerSpec
    from sgai.compounds.ruleset import CompoundRuleset
    from sgai.experiments.cli.progress import shown_progress

    ruleset = sgai.load_ruleset(options.ruleset)
    convention = {"play": options.play, "compound": options.compound, "ending": options.ending}
    exact = ExactAgent(ruleset, **convention)
    ruleset = exact.ruleset  # that of the compound, where it is one
    with shown_progress():
        agent = PlayerSpec.parse(options.agent).make_for(ruleset, convention, options.seed)
    position = ruleset.initial()
    persons_turn = not options.second
    is_compound = isinstance(ruleset, CompoundRuleset)  # play of it may end while moves are left
    who = "who is to move when play has ended" if is_compound else "who cannot move"
    draws = "; play may go on for ever, and is drawn when you quit" if ruleset.loopy else ""
    print(f"{ruleset}: {who} {'wins' if exact.play == 'misere' else 'loses'}{draws}. {_HELP}")
    while True:
        moves = list(itertools.islice(ruleset.moves(position), _MOST_NUMBERED))
        if not moves:
            break
        if persons_turn:
            print(f"\n{ruleset.draw_text(position)}\n{ruleset.format(position)}  your move:")
            _print_moves(ruleset, position, moves[:_MOST_LISTED])
            if len(moves) > _MOST_LISTED:
                print("  ... and more: m lists them")
            chosen = _ask(ruleset, position, moves, exact)
            if chosen is None:
                print("goodbye")
                return 0
            position = chosen
        else:
            decision = agent.decide(position)
            print(f"\nthe {agent.name} agent plays {ruleset.format_move(position, decision.move)}")
            if options.explain:
                _print_reason(agent, decision)
            position = decision.position
        persons_turn = not persons_turn
    # Whoever is to move now has no move.
    person_wins = persons_turn == (exact.play == "misere")
    end = "play has ended" if is_compound else "no move is left"
    print(f"\n{ruleset.format(position)}: {end}. {'You win.' if person_wins else 'The agent wins.'}")
    return 0


def _print_moves(ruleset: Any, position: Any, moves: list[tuple[Any, Any]]) -> None:
    names = [ruleset.format_move(position, move) for move, _ in moves]
    mark = "#" if any(name.isdecimal() for name in names) else ""  # else a number could be either
    print("  " + "   ".join(f"{mark}{number}: {name}" for number, name in enumerate(names, 1)))


def _print_reason(agent: Any, decision: Any) -> None:
    if hasattr(agent, "explain"):
        print(textwrap.indent(agent.explain(), "  "))
        return
    _print_components(decision.components)
    outcome = "" if decision.outcome is None else f", {_SURE[decision.outcome]}"
    print(f"  the move is {decision.status}{outcome}")


def _ask(ruleset: Any, position: Any, moves: list[tuple[Any, Any]], exact: Any) -> Any:
    while True:
        try:
            text = input("> ").strip()
        except EOFError:
            return None
        # A move by its own text comes first: a vertex may be called q, or 2.
        try:
            return ruleset.apply(position, ruleset.parse_move(position, text))
        except SgaiError as error:
            problem = error
        if text in ("q", "quit"):
            return None
        if text == "?":
            _print_values(ruleset, position, exact)
        elif text == "m":
            _print_moves(ruleset, position, moves)
        elif text == "h":
            _print_hint(ruleset, position, exact)
        elif re.fullmatch("#?[0-9]{1,6}", text) and 1 <= int(text.removeprefix("#")) <= len(moves):
            return moves[int(text.removeprefix("#")) - 1][1]
        elif text:
            print(f"  {problem}\n  {_HELP}")


def _print_components(components: Any) -> None:
    from sgai.compounds.solution import CompoundComponent

    for part in components:
        value = "value not found" if part.grundy is None else f"value {part.grundy}"
        if isinstance(part, CompoundComponent):
            value = ", ".join(f"{name} {value}" for name, value in (part.shown() or {"value": "not found"}).items())
        elif part.loopy_value is not None:
            value = f"value {part.loopy_value.in_words()}"
        print(f"  {part.ruleset} {part.ruleset.format(part.position)}: {value}")


def _print_values(ruleset: Any, position: Any, exact: Any) -> None:
    solution = exact.solver.solve(ruleset, position, play=exact.play)
    _print_components(solution.components)
    if not solution.exact:
        print("  not solved within the budget")
        return
    known = {"N": "you can win", "P": "you lose against perfect play", "D": "a draw against perfect play"}
    who = known[solution.outcome]
    if hasattr(solution, "rule"):
        who = f"{solution.rule}; {who}"
    print(f"  {who}" if solution.grundy is None else f"  nim-sum {solution.grundy}; {who}")


def _print_hint(ruleset: Any, position: Any, exact: Any) -> None:
    try:
        decision = exact.decide(position)
    except NotSolvedError as error:
        print(f"  {error}")
        return
    print(f"  {ruleset.format_move(position, decision.move)}: {_SURE[decision.outcome]}")
