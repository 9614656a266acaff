"""Matches between agents: playing, recording, replaying, and the table of results."""
