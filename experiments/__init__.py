"""Matches, and the `sgai` command."""

if __name__ == "experiments":
    raise ImportError("this folder is the package sgai.experiments: import it by that name")
