"""An agent of sgai behind the line protocol: ``python -m sgai.experiments.matches.serve "mcts(simulations=100)"``.

It lets an agent play from another machine (over ssh, say) or another version of sgai, and is the protocol's example.
"""

import sys
from collections.abc import Iterable
from typing import TextIO

from sgai.agents import AgentSpec
from sgai.agents.process_bot import GREETING
from sgai.envs import load_game


def serve(agent: str, lines: Iterable[str], out: TextIO) -> None:
    """Answer lines until ``quit`` or their end.

    Parameters
    ----------
    agent : str
        A spec, as `sgai match` takes it.
    lines : iterable of str
        What the match sends.
    out : TextIO
        Where the answers go.

    Examples
    --------
    >>> game = "newgame sgai_nim(piles=[1;2]) seed 0"
    >>> serve("exact", ["sgai 1", game, "position", "go", "quit"], sys.stdout)
    sgai 1 exact
    ready
    info status exact nodes 0
    bestmove 1
    """
    spec = AgentSpec.parse(agent)
    game, bot, state, seed = None, None, None, 0
    budget: dict[str, str] = {}

    def say(line: str) -> None:
        print(line, file=out, flush=True)

    for line in lines:
        word, *rest = [*line.split(), ""]
        try:
            if line.strip() == GREETING:
                say(f"{GREETING} {agent}")
            elif word == "newgame":
                text, _, number = " ".join(rest).strip().rpartition(" seed ")
                game, seed, budget = load_game(text), int(number), {}
                bot, state = spec.make(game, seed), game.new_initial_state()
                bot.restart_at(state)
                say("ready")
            elif word == "position" and game is not None:
                state = game.new_initial_state()
                for action in rest[:-1]:
                    state.apply_action(int(action))
            elif word == "go" and bot is not None:
                if len(rest) == 3 and budget != {rest[0]: rest[1]}:
                    # A budget is set when an agent is made; it stays the same for a game.
                    budget = {rest[0]: rest[1]}
                    bot = _with_budget(spec, budget).make(game, seed)
                    bot.restart_at(state)
                action = bot.step(state)
                decision = getattr(bot, "last_decision", None)
                if decision is not None:
                    say(f"info status {decision.status} nodes {decision.states}")
                say(f"bestmove {action}")
            elif word == "quit":
                return
        except Exception as error:  # whatever goes wrong, the match should hear of it
            say(f"error {type(error).__name__}: {' '.join(str(error).split())}")


def _with_budget(spec: AgentSpec, budget: dict[str, str]) -> AgentSpec:
    parameters = spec.parameters()
    kept = tuple((name, value) for name, value in spec.arguments if name not in ("seconds", "nodes", "simulations"))
    added = tuple((name, parameters[name].parse(text)) for name, text in budget.items() if name in parameters)
    return AgentSpec(spec.name, kept + added) if added else spec


if __name__ == "__main__":
    serve(sys.argv[1] if len(sys.argv) > 1 else "exact", sys.stdin, sys.stdout)
