"""A bot in another process, written in any language: it reads lines and answers with lines.

The protocol (version 1), one line each, fields separated by spaces::

    to the bot                        from the bot
    sgai 1                            sgai 1 NAME
    newgame GAME seed N               ready             or: error WHY
    position ACTION ACTION ...
    go                                bestmove ACTION
    go seconds S                      info status exact|proved|estimated nodes N   (before bestmove, if it likes)
    go nodes N                        bestmove ACTION
    go simulations N
    quit

GAME is OpenSpiel's text of the game; the actions after ``position`` are all of the game so far, OpenSpiel's numbers,
none at its start. Other lines from the bot are comments. A bot should end when its input does.
"""

import os
import queue
import shlex
import subprocess
import threading
import time
from collections.abc import Mapping
from typing import Any

from sgai.agents.bots import PythonBot
from sgai.errors import SgaiError, quote

GREETING = "sgai 1"
START_SECONDS = 60.0  # to answer the greeting, or a new game
_ENDED = None


class ProcessError(SgaiError):
    """The other process ended, was late or does not keep to the protocol."""


class LineProcess:
    """A process that lines are sent to and read from, with a limit of time.

    Parameters
    ----------
    command : str
        As for a shell; no shell is started.

    Raises
    ------
    SgaiError
        If there is no such command, or it does not answer the greeting.
    """

    def __init__(self, command: str) -> None:
        self.command = command
        try:
            words = shlex.split(command)
            self._process = subprocess.Popen(
                words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                encoding="utf-8",
                errors="replace",
                bufsize=1,
                # Ctrl-C at the terminal is for the match, not for it.
                start_new_session=os.name == "posix",
            )
        except (OSError, ValueError, IndexError) as error:
            raise SgaiError(f"{quote(command)} cannot be started: {error}") from None
        self._lines: queue.Queue[str | None] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()
        self.send(GREETING)
        answer = self.read(START_SECONDS)
        while not f"{answer} ".startswith(GREETING + " "):
            answer = self.read(START_SECONDS)
        self.name = answer[len(GREETING) :].strip()

    def is_alive(self) -> bool:
        """Tell whether it can still be spoken to."""
        return self._process.poll() is None

    def send(self, line: str) -> None:
        """Send one line."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()
        except OSError:
            raise ProcessError(f"{self.command!r} ended{self._code()} before it was sent {quote(line)}") from None

    def read(self, seconds: float | None) -> str:
        """Return the next line.

        Raises
        ------
        ProcessError
            If there is none in time; the process is ended then.
        """
        try:
            line = self._lines.get(timeout=seconds)
        except queue.Empty:
            self.kill()
            raise ProcessError(f"{self.command!r} gave no answer within {seconds:g} s") from None
        except BaseException:  # whoever waited does so no more; a late answer must not be taken for the next one
            self.kill()
            raise
        if line is _ENDED:
            self.kill()
            raise ProcessError(f"{self.command!r} ended{self._code()} without an answer")
        return line

    def close(self) -> None:
        """Ask it to end, and end it if it does not."""
        if self.is_alive():
            try:
                self.send("quit")
                self._process.wait(2.0)
            except (ProcessError, subprocess.TimeoutExpired):
                pass
        self.kill()

    def kill(self) -> None:
        """End it."""
        self._process.kill()
        self._process.wait()

    def _code(self) -> str:
        code = self._process.poll()
        return "" if code is None else f" with exit code {code}"

    def _read(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as output:
            for line in output:
                self._lines.put(line.strip())
        self._lines.put(_ENDED)


_processes: dict[str, LineProcess] = {}  # one of a command serves all games of this process


class ProcessDecision:
    """What a bot in another process said of its move: its status and nodes, or None."""

    def __init__(self, status: str | None, states: int | None) -> None:
        self.status, self.states = status, states


class ProcessBot(PythonBot):
    """A bot in another process.

    Parameters
    ----------
    game : pyspiel.Game
        The game.
    command : str
        What starts it; a process that runs already is told of a new game.
    seed : int
        It is sent with the game.
    budget : mapping
        At most one of "seconds", "nodes" and "simulations", with its number: sent with ``go``.
    wait : float, optional
        The most seconds for a move; then the process is ended.

    Raises
    ------
    ProcessError
        If it refuses the game, ends, or gives no answer in time.
    """

    def __init__(
        self,
        game: Any,
        command: str,
        seed: int = 0,
        budget: Mapping[str, float] | None = None,
        wait: float | None = None,
    ) -> None:
        super().__init__()
        self._line, self._command, self._wait = f"newgame {game} seed {seed}", command, wait
        self._go = " ".join(["go", *(f"{name} {value:g}" for name, value in (budget or {}).items())])
        self.last_decision: ProcessDecision | None = None
        self._process: LineProcess | None = None

    def new_game(self) -> None:
        """Tell it of a new game."""
        self._process = self._begin()

    def choose(self, state: Any) -> int:
        """Return the action that it answers with."""
        process = self._process = self._process or self._begin()
        began = time.monotonic()
        process.send(" ".join(["position", *map(str, state.history())]))
        process.send(self._go)
        status, nodes = None, None
        while True:
            left = None if self._wait is None else max(0.0, self._wait - (time.monotonic() - began))
            word, *rest = [*process.read(left).split(), ""]
            if word == "info":
                fields = dict(zip(rest[::2], rest[1::2], strict=False))
                status, nodes = fields.get("status", status), fields.get("nodes", nodes)
            elif word == "error":
                raise ProcessError(f"{self._command!r} says: {' '.join(rest)}")
            elif word == "bestmove":
                break
        self.last_decision = ProcessDecision(
            status if status in ("exact", "proved", "estimated") else None,
            int(nodes) if nodes is not None and nodes.isdecimal() else None,
        )
        try:
            return int(rest[0])
        except ValueError:
            raise ProcessError(f"{self._command!r} answered bestmove {quote(rest[0])}, which is no action") from None

    def _begin(self) -> LineProcess:
        process = _processes.get(self._command)
        if process is None or not process.is_alive():
            process = _processes[self._command] = LineProcess(self._command)
        process.send(self._line)
        while True:
            word, _, why = process.read(START_SECONDS).partition(" ")
            if word == "ready":
                return process
            if word == "error":
                raise ProcessError(f"{self._command!r} does not play {self._line.split()[1]}: {why}")


def close_processes() -> None:
    """End all processes that bots of this process started."""
    while _processes:
        _processes.popitem()[1].close()
