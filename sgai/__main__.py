"""``python -m sgai``, and the ``sgai`` command: the one place where the engine reaches up to what is built on it."""

import os
import sys


def main() -> int:
    """Run the command line."""
    try:
        from sgai.experiments.cli.main import main as run
    except KeyboardInterrupt:
        return 130
    code = run()
    if "numba" in sys.modules:
        # All work is done, and LLVM's clearing up at Python's end crashes now and then after Ctrl-C (llvmlite 0.50).
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    return code


if __name__ == "__main__":
    sys.exit(main())
