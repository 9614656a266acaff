"""Learning on impartial games, judged by exact labels."""
