"""Agents: they decide on positions of rulesets, and play OpenSpiel's games through thin adapters."""

if __name__ == "agents":
    raise ImportError("this folder is the package sgai.agents: import it by that name")
