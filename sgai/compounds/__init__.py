"""Several games played at once: conjunctive, selective and disjunctive compounds, ending with the last or first game.

The components of a compound are whole games. A position of a ruleset is taken as the compound of its components (its
heaps, its boards, the parts of a sum), as the ruleset proves them independent; but what becomes of one component stays
one component: where a heap of Kayles splits in two, these two are one game, in which a move is a move in one heap, by
the rules of Kayles. A component without moves has ended; it stays in its place.
"""
