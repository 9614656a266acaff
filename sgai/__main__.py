"""``python -m sgai``, and the ``sgai`` command: the one place where the engine reaches up to what is built on it."""

import sys


def main() -> int:
    """Run the command line."""
    try:
        from sgai.experiments.cli.main import main as run
    except KeyboardInterrupt:
        return 130
    return run()


if __name__ == "__main__":
    sys.exit(main())
