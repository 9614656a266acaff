"""Monte Carlo tree search on sums of heaps, compiled.

A pile is a number: it stands for one heap of one game, 0 for no heap. All of the search is in arrays, so that it stops
after some simulations and goes on where it stopped.
"""

import math
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from sgai.kernels.jit import counting_nothing, inlined

Int: TypeAlias = Any  # int64 in compiled code
Real: TypeAlias = Any  # float64

OPEN, NEXT_WINS, PREVIOUS_WINS = 0, 1, 2  # outcomes of nodes

# What `simulate` returns.
PAUSED, PROVED, TREE_FULL, PILES_FULL = range(4)

# Places in `Tree.state`.
USED, PILES, STAMP, CLOSED, SIMULATIONS, CHANCE = range(6)
STATE_SIZE = 6


class Rules(NamedTuple):
    """What may become of each pile: results ``first[pile]`` to ``first[pile + 1]`` - 1."""

    first: Any  # (piles + 1,) int64
    one: Any  # (results,) int32: the first pile that is left
    two: Any  # (results,) int32: the second one


class Tree(NamedTuple):
    """The tree, and the places to play in; the root is node 0."""

    pile: Any  # (nodes,) int32: the pile that the move to the node is made in
    result: Any  # (nodes,) int32: the number of the result that it leaves
    child: Any  # (nodes,) int32: the first child; they follow each other; -1 if there are none yet
    children: Any  # (nodes,) int32
    undecided: Any  # (nodes,) int32: children whose outcome is not proved
    visits: Any  # (nodes,) int32
    wins: Any  # (nodes,) int32: simulations won by the player who made the move to the node
    outcome: Any  # (nodes,) int8
    state: Any  # (STATE_SIZE,) int64
    root: Any  # (room,) int32: the piles at the root
    left: Any  # (room,) int32: the piles in the position that is looked at
    path: Any  # (room,) int32: the nodes of the simulation
    stamps: Any  # (piles,) int64


@inlined
def _random_below(tree: Tree, limit: Int) -> Int:
    """Return a random number from 0 to ``limit`` - 1 (xorshift64*: S. Vigna, ACM TOMS 42, 2016)."""
    word = np.uint64(tree.state[CHANCE])
    word ^= word >> np.uint64(12)
    word ^= word << np.uint64(25)
    word ^= word >> np.uint64(27)
    tree.state[CHANCE] = np.int64(word)
    word *= np.uint64(2685821657736338717)
    return np.int64(((word >> np.uint64(32)) * np.uint64(limit)) >> np.uint64(32))


@inlined
def _count(rules: Rules, pile: Int) -> Int:
    return rules.first[pile + 1] - rules.first[pile]


@inlined
def _replace(rules: Rules, tree: Tree, place: Int, result: Int, piles: Int) -> Int:
    """Put a result in the place of a pile; return how many piles there are."""
    left = tree.left
    one, two = rules.one[result], rules.two[result]
    if two > 0:
        left[piles] = two
        piles += 1
    if one > 0:
        left[place] = one
    else:
        piles -= 1
        left[place] = left[piles]
    return piles


@inlined
def _expand(rules: Rules, tree: Tree, node: Int, piles: Int, total: Int) -> bool:
    """Give a node its children, equal piles' moves once; return whether there was room."""
    state, stamps = tree.state, tree.stamps
    state[STAMP] += 1
    count = 0
    for i in range(piles):
        pile = tree.left[i]
        if stamps[pile] != state[STAMP]:
            stamps[pile] = state[STAMP]
            count += _count(rules, pile)
    child = state[USED]
    if child + count > len(tree.child):
        return False
    tree.child[node] = child
    tree.children[node] = count
    tree.undecided[node] = count
    state[STAMP] += 1
    for i in range(piles):
        pile = tree.left[i]
        if stamps[pile] == state[STAMP]:
            continue
        stamps[pile] = state[STAMP]
        others = total - _count(rules, pile)
        for result in range(rules.first[pile], rules.first[pile + 1]):
            tree.pile[child] = pile
            tree.result[child] = result
            tree.child[child] = -1
            tree.visits[child] = 0
            tree.wins[child] = 0
            tree.outcome[child] = OPEN
            if others + _count(rules, rules.one[result]) + _count(rules, rules.two[result]) == 0:
                tree.outcome[child] = PREVIOUS_WINS
                tree.outcome[node] = NEXT_WINS
            child += 1
    state[USED] = child
    return True


@inlined
def _choose(tree: Tree, node: Int, exploration: Real, strength: Real) -> Int:
    """Return the undecided child with the largest PUCT score, all priors alike."""
    first, count = tree.child[node], tree.children[node]
    scale = exploration * math.sqrt(tree.visits[node] + 1.0) / count
    best, best_score = -1, -1.0
    for child in range(first, first + count):
        if tree.outcome[child] == OPEN:
            visits = float(tree.visits[child])
            score = (tree.wins[child] + 0.5 * strength) / (visits + strength) + scale / (1.0 + visits)
            if score > best_score:
                best, best_score = child, score
    return best


@counting_nothing
def simulate(rules: Rules, tree: Tree, simulations: Int, exploration: Real, strength: Real) -> Int:
    """Make some simulations, up to a proof of the root; return why it stopped.

    Where the tree or the places for piles are full, nothing has changed since the last complete simulation.
    """
    state, left, path = tree.state, tree.left, tree.path
    room = len(left)
    for _ in range(simulations):
        if tree.outcome[0] != OPEN:
            return PROVED
        piles, total = state[PILES], 0
        for i in range(piles):
            left[i] = tree.root[i]
            total += _count(rules, left[i])
        node, depth = 0, 0
        path[0] = 0
        while tree.outcome[node] == OPEN:
            if tree.child[node] < 0:
                if total == 0:
                    tree.outcome[node] = PREVIOUS_WINS
                    break
                if depth > 0 and (tree.visits[node] == 0 or state[CLOSED] != 0):
                    break
                if not _expand(rules, tree, node, piles, total):
                    return TREE_FULL
                continue
            if piles + 1 >= room or depth + 1 >= room:
                return PILES_FULL
            node = _choose(tree, node, exploration, strength)
            pile, result = tree.pile[node], tree.result[node]
            place = 0
            while left[place] != pile:
                place += 1
            total += _count(rules, rules.one[result]) + _count(rules, rules.two[result]) - _count(rules, pile)
            piles = _replace(rules, tree, place, result, piles)
            depth += 1
            path[depth] = node
        if tree.outcome[node] == OPEN:
            to_move_wins = 0
            while total > 0:
                if piles + 1 >= room:
                    return PILES_FULL
                number, place = _random_below(tree, total), 0
                pile = left[0]
                count = _count(rules, pile)
                while number >= count:
                    number -= count
                    place += 1
                    pile = left[place]
                    count = _count(rules, pile)
                result = rules.first[pile] + number
                total += _count(rules, rules.one[result]) + _count(rules, rules.two[result]) - count
                piles = _replace(rules, tree, place, result, piles)
                to_move_wins ^= 1
        else:
            to_move_wins = 1 if tree.outcome[node] == NEXT_WINS else 0
        while depth >= 0:
            node = path[depth]
            tree.visits[node] += 1
            tree.wins[node] += 1 - to_move_wins
            to_move_wins ^= 1
            if depth > 0 and tree.outcome[node] != OPEN:
                parent = path[depth - 1]
                if tree.outcome[node] == PREVIOUS_WINS:
                    tree.outcome[parent] = NEXT_WINS
                else:
                    tree.undecided[parent] -= 1
                    if tree.undecided[parent] == 0:
                        tree.outcome[parent] = PREVIOUS_WINS
            depth -= 1
        state[SIMULATIONS] += 1
    return PROVED if tree.outcome[0] != OPEN else PAUSED


@counting_nothing
def keep_below(tree: Tree, kept: Tree, node: Int) -> None:
    """Copy the tree below a node, which becomes the root of the copy."""
    kept.visits[0], kept.wins[0], kept.outcome[0] = tree.visits[node], tree.wins[node], tree.outcome[node]
    kept.child[0] = node  # the node that is copied, until its children are
    used, place = 1, 0
    while place < used:
        source = kept.child[place]
        first = tree.child[source]
        if first < 0:
            kept.child[place] = -1
        else:
            count = tree.children[source]
            kept.child[place], kept.children[place] = used, count
            kept.undecided[place] = tree.undecided[source]
            for child in range(first, first + count):
                kept.pile[used], kept.result[used] = tree.pile[child], tree.result[child]
                kept.visits[used], kept.wins[used] = tree.visits[child], tree.wins[child]
                kept.outcome[used] = tree.outcome[child]
                kept.child[used] = child
                used += 1
        place += 1
    kept.state[USED] = used
