"""``python -m sgai``, and the ``sgai`` command: the one place where the engine reaches up to what is built on it."""

import sys


def main() -> int:
    """Run the command line."""
    from sgai.experiments.cli.main import main as run

    return run()


if __name__ == "__main__":
    sys.exit(main())
