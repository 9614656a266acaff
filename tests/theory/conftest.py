"""What several test modules of the theory share."""

import sys

import pytest

# compiled_sequences.py too, by its ending
SOLVERS = ("search.py", "sequences.py", "option_values.py", "explicit_graph.py", "kernels/graphs.py")


@pytest.fixture(scope="session")
def interrupt_after():
    """Call a function and raise KeyboardInterrupt before a line of the solvers is run, as Ctrl-C may at any of them.

    Returns whether it was interrupted.
    """

    def run(lines, function):
        left = lines

        def count(frame, event, argument):
            nonlocal left
            if event == "line":
                left -= 1
                if left == 0:
                    raise KeyboardInterrupt
            return count

        before = sys.gettrace()
        sys.settrace(lambda frame, *_: count if frame.f_code.co_filename.endswith(SOLVERS) else None)
        try:
            function()
        except KeyboardInterrupt:
            return True
        finally:
            sys.settrace(before)
        return False

    return run
