"""Games as users write them for OpenSpiel, without sgai: some impartial, some not, some hard to judge."""

import pyspiel


def _type(name, parameters):
    return pyspiel.GameType(
        short_name=name,
        long_name=name,
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.DETERMINISTIC,
        information=pyspiel.GameType.Information.PERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=2,
        min_num_players=2,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=False,
        parameter_specification=parameters,
    )


class RulesState(pyspiel.State):
    def __init__(self, game):
        super().__init__(game)
        self._board = game.start()
        self._player = 0
        self._over = False
        self._winner = None

    def current_player(self):
        return pyspiel.PlayerId.TERMINAL if self._over else self._player

    def _legal_actions(self, player):
        return self.get_game().actions(self._board, player)

    def _apply_action(self, action):
        game = self.get_game()
        mover = self._player
        self._board = game.after(self._board, action, mover)
        self._player = 1 - mover
        if not game.actions(self._board, self._player):
            self._over = True
            self._winner = game.winner(self._board, mover)

    def _action_to_string(self, player, action):
        return self.get_game().action_text(action)

    def is_terminal(self):
        return self._over

    def returns(self):
        if self._winner is None:
            return [0.0, 0.0]
        return [1.0, -1.0] if self._winner == 0 else [-1.0, 1.0]

    @property
    def board(self):
        return self._board

    def __str__(self):
        return self.get_game().text(self._board, self._player, self._over)


class Rules(pyspiel.Game):
    name = ""
    parameters = {"size": 7, "misere": False}  # noqa: RUF012

    def __init__(self, params=None):
        params = {**self.parameters, **(params or {})}
        self.size, self.misere = params["size"], params["misere"]
        info = pyspiel.GameInfo(
            num_distinct_actions=2 * self.size + 2,
            max_chance_outcomes=0,
            num_players=2,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=4 * self.size,
        )
        super().__init__(_type(self.name, self.parameters), info, params)

    def new_initial_state(self, state=None):
        return RulesState(self)

    def winner(self, board, mover):
        return 1 - mover if self.misere else mover

    def action_text(self, action):
        return f"take {action}"

    def text(self, board, player, over):
        return f"{board}\nover" if over else f"{board}\nplayer {player} to move"


class Kayles(Rules):
    """A row of pins; a move knocks down one pin (its place) or two neighbours (the number of pins + the first)."""

    name = "users_kayles"

    def start(self):
        return "|" * self.size

    def actions(self, board, player):
        ones = [i for i in range(self.size) if board[i] == "|"]
        return ones + [self.size + i for i in range(self.size - 1) if board[i : i + 2] == "||"]

    def after(self, board, action, player):
        first, count = action % self.size, 1 + action // self.size
        return board[:first] + self.mark(player) * count + board[first + count :]

    def mark(self, player):
        return "."

    def action_text(self, action):
        first, count = action % self.size, 1 + action // self.size
        return f"knock {'two from ' * (count - 1)}{first}"


class PaintedKayles(Kayles):
    """Kayles in which holes show who made them: the text shows more than the position."""

    name = "users_painted_kayles"

    def mark(self, player):
        return "ab"[player]


class PartisanPile(Rules):
    """A pile: player 0 takes 1 or 2, player 1 takes 1 or 3."""

    name = "users_partisan_pile"

    def start(self):
        return self.size

    def actions(self, board, player):
        return [taken for taken in ((1, 2), (1, 3))[player] if taken <= board]

    def after(self, board, action, player):
        return board - action


class Pile(PartisanPile):
    """A pile from which both take 1 or 2; the text does not say who is to move."""

    name = "users_pile"

    def actions(self, board, player):
        return [taken for taken in (1, 2) if taken <= board]

    def text(self, board, player, over):
        return str(board)


class DrawnPile(Pile):
    """The pile, but who takes two in the end neither wins nor loses."""

    name = "users_drawn_pile"

    def winner(self, board, mover):
        return mover if mover == 0 else None


class WonByPlayerZero(Pile):
    """The pile, but player 0 wins whoever moves last."""

    name = "users_pile_won_by_player_0"

    def winner(self, board, mover):
        return 0


class FibonacciNim(Rules):
    """Fibonacci Nim with a text that does not show the limit: it does not show the whole position."""

    name = "users_fibonacci_nim"

    def start(self):
        return (self.size, self.size - 1)

    def actions(self, board, player):
        return list(range(1, min(board) + 1))

    def after(self, board, action, player):
        return (board[0] - action, 2 * action)

    def text(self, board, player, over):
        return f"{board[0]} left, player {player}"


class Dominoes(Rules):
    """A row of cells: player 0 puts dominoes on pairs that begin at even cells, player 1 at odd ones.

    That is no impartial game.

    Each domino covers two cells, so that no position can come to both players.
    """

    name = "users_dominoes"

    def start(self):
        return "." * self.size

    def actions(self, board, player):
        return [i for i in range(player, self.size - 1, 2) if board[i : i + 2] == ".."]

    def after(self, board, action, player):
        return board[:action] + "##" + board[action + 2 :]


class SilentDominoes(Dominoes):
    """Dominoes that both may put anywhere: impartial, but no position comes to both players, and no text names them."""

    name = "users_silent_dominoes"

    def actions(self, board, player):
        return [i for i in range(self.size - 1) if board[i : i + 2] == ".."]

    def text(self, board, player, over):
        return board


class Circle(Rules):
    """A token that walks round a circle and may stop: play can come back to a position."""

    name = "users_circle"

    def start(self):
        return 1

    def actions(self, board, player):
        return [] if board == 0 else [0, 1]

    def after(self, board, action, player):
        return 0 if action == 0 else board % self.size + 1


class Broken(Pile):
    """A game with a fault in its rules."""

    name = "users_broken_game"

    def after(self, board, action, player):
        return {}[board]


class BrokenLoad(Pile):
    """A game that refuses its own parameters."""

    name = "users_game_that_does_not_load"

    def __init__(self, params=None):
        raise ValueError("there is no such size")


GAMES = (
    Kayles,
    PaintedKayles,
    PartisanPile,
    Pile,
    DrawnPile,
    WonByPlayerZero,
    FibonacciNim,
    Dominoes,
    SilentDominoes,
    Circle,
    Broken,
    BrokenLoad,
)

for each in GAMES:
    pyspiel.register_game(_type(each.name, Rules.parameters), each)
