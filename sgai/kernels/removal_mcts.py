"""Monte Carlo tree search for sums of components of one removal game and a nim-heap, with proofs backed up.

A node is a list of components in canonical form that are not solved, beside the nim-heap of those that are. What the
table of the exact search knows is folded into the heap as soon as a node is made, so that a node without components is
decided; what is proved about a node with one component goes into that table.
"""

from typing import Any, NamedTuple, TypeAlias

import numpy as np

from sgai.kernels.jit import counting_nothing, inlined, inner
from sgai.kernels.masks import (
    NONE,
    ONE,
    ZERO,
    Int,
    Mask,
    both,
    hashed,
    inside,
    is_empty,
    lowest,
    read,
    same,
    without,
    without_lowest,
    write,
)
from sgai.kernels.removal_rules import Rules, mobility
from sgai.kernels.removal_split import fold
from sgai.kernels.removal_stack import PARTS as STACK_PARTS
from sgai.kernels.removal_stack import USED, Stack
from sgai.kernels.removal_table import ROOM, Table, find, keep
from sgai.kernels.value_sets import add_value, clear_values, has_value

Real: TypeAlias = Any  # float64

UNKNOWN, WON, LOST = 0, 1, 2  # for the player to move

# Places in `Tree.state`.
NODES, PARTS, SIMULATIONS, FULL = range(4)
STATE_SIZE = 4

# Columns of `Tree.nodes`.
FIRST, CHILDREN, START, LENGTH, HEAP, PART, MOVE, VISITS, OUTCOME = range(9)
NODE_SIZE = 9
# Columns of `Tree.values`.
WINS, PRIOR, CHANCE = range(3)  # of the player who moved to the node
VALUE_SIZE = 3

# What `simulate` returns.
PAUSED, DECIDED = 0, 1

NOT_EXPANDED = -1
_NO_ROOM = -1


class Tree(NamedTuple):
    """The tree, in arrays of a set size; when they are full it stops growing, and leaves are evaluated again.

    There is always room for the children of the root.
    """

    state: Any  # (STATE_SIZE,) int64
    chance: Any  # (1,) uint64: the state of the random numbers
    nodes: Any  # (nodes, NODE_SIZE) int32
    values: Any  # (nodes, VALUE_SIZE) float64
    parts: Any  # (pool, words) uint64
    path: Any  # (nodes,) int64
    work: Any  # (most parts of one node, words) uint64
    marks: Any  # (most children,) uint64
    legal: Any  # (moves,) int64


class Options(NamedTuple):
    """How to search."""

    splits: bool  # whether components are split, looked up and folded; else the root's parts are played as they are
    rollouts: bool  # whether leaves are played out at random; else beliefs tell their value
    believes: bool  # whether beliefs give moves a prior
    exploration: float
    strength: float  # how many visits the prior counts for
    patience: Int  # visits before a leaf is expanded


@inlined
def _at(nodes: Any, node: Int, column: Int) -> Int:
    """Return a number of a node, as wide as all others so that nothing is compiled twice."""
    return np.int64(nodes[node, column])


@inner
def folded(rules: Rules, table: Table, stack: Stack, live: Mask, move: Int, top: Int) -> tuple[Int, Int]:
    """Make a move in a component, and fold what is left; as of `fold`."""
    left = without(live, read(rules.kills, move, live))
    return fold(rules, table, stack, left, both(read(rules.around, move, live), left), top)


@inlined
def random_below(chance: Any, bound: Int) -> Int:
    """Return a random number from 0 to ``bound`` - 1 (xorshift64*, Vigna, arXiv 1402.6246)."""
    x = chance[0]
    x ^= x >> np.uint64(12)
    x ^= x << np.uint64(25)
    x ^= x >> np.uint64(27)
    chance[0] = x
    high = (x * np.uint64(0x2545F4914F6CDD1D)) >> np.uint64(32)
    return np.int64((high * np.uint64(bound)) >> np.uint64(32))


@inner
def loss_chance(rules: Rules, hats: Any, rows: Any, start: Int, length: Int, heap: Int, like: Mask) -> Real:
    """Return the probability that the values of the parts XOR to the heap, by beliefs about each part.

    ``hats`` are Walsh-Hadamard transforms of distributions, by number of moves: their product is that of the XOR's.
    """
    values = hats.shape[1]
    if heap >= values:
        return 0.5 / values
    total = 0.0
    most = hats.shape[0] - 1
    if length == 1:
        row = min(most, mobility(rules, read(rows, start, like)))
        for i in range(values):
            total += hats[row, i] * _sign(heap & i)
    elif length == 2:
        row = min(most, mobility(rules, read(rows, start, like)))
        other = min(most, mobility(rules, read(rows, start + 1, like)))
        for i in range(values):
            total += hats[row, i] * hats[other, i] * _sign(heap & i)
    else:
        return 1.0 / values
    return max(0.0, total / values)


@inlined
def _sign(bits: Int) -> Real:
    odd = bits ^ (bits >> 4)
    odd ^= odd >> 2
    odd ^= odd >> 1
    return 1.0 - 2.0 * (odd & 1)


@inlined
def _new_node(tree: Tree, length: Int, heap: Int, part: Int, move: Int) -> Int:
    """Add a node, with room for its parts."""
    state, nodes = tree.state, tree.nodes
    node = state[NODES]
    nodes[node, FIRST] = NOT_EXPANDED
    nodes[node, CHILDREN] = 0
    nodes[node, START] = state[PARTS]
    nodes[node, LENGTH] = length
    nodes[node, HEAP] = heap
    nodes[node, PART] = part
    nodes[node, MOVE] = move
    nodes[node, VISITS] = 0
    nodes[node, OUTCOME] = UNKNOWN
    tree.values[node, WINS] = 0.0
    tree.values[node, PRIOR] = 0.0
    tree.values[node, CHANCE] = 0.5
    state[NODES] += 1
    state[PARTS] += length
    return node


@inner
def _add_child(
    rules: Rules, table: Table, tree: Tree, options: Options, hats: Any, first: Int, length: Int, heap: Int, part: Int,
    move: Int, like: Mask,
) -> Int:  # fmt: skip
    """Add a child whose parts are in ``tree.work``, unless there is one like it; return its outcome, or `_NO_ROOM`."""
    work = tree.work
    mark = np.uint64(heap) * np.uint64(0x9E3779B97F4A7C15)
    for i in range(length):
        mark += hashed(read(work, i, like))
    state, nodes = tree.state, tree.nodes
    if options.splits:
        for other in range(first, state[NODES]):
            alike = tree.marks[other - first] == mark and nodes[other, HEAP] == heap
            if alike and nodes[other, LENGTH] == length:
                at = _at(nodes, other, START)
                known = 0
                for i in range(length):
                    for j in range(length):
                        if same(read(work, i, like), read(tree.parts, at + j, like)):
                            known += 1
                            break
                if known == length:
                    return _at(nodes, other, OUTCOME)
    if state[NODES] >= len(nodes) or state[PARTS] + length > len(tree.parts):
        return _NO_ROOM
    child = _new_node(tree, length, heap, part, move)
    tree.marks[child - first] = mark
    for i in range(length):
        write(tree.parts, nodes[child, START] + i, read(work, i, like))
    if options.splits:
        if length == 0:
            nodes[child, OUTCOME] = LOST if heap == 0 else WON
        elif length == 1:
            slot = find(table, read(work, 0, like))
            if slot >= 0 and heap < 64 and has_value(table.entries, slot, len(like), heap):
                nodes[child, OUTCOME] = WON
        if options.believes and nodes[child, OUTCOME] == UNKNOWN:
            tree.values[child, CHANCE] = loss_chance(rules, hats, work, ZERO, length, heap, like)
    return _at(nodes, child, OUTCOME)


@inner
def expand(
    rules: Rules, table: Table, stack: Stack, tree: Tree, options: Options, hats: Any, node: Int, like: Mask
) -> None:
    """Add the different children of a node; a child that is lost for its player decides the node.

    Where the tree has no room for all of them, none is added.
    """
    state, nodes, work = tree.state, tree.nodes, tree.work
    first, pool, start = state[NODES], state[PARTS], _at(nodes, node, START)
    length, heap = _at(nodes, node, LENGTH), _at(nodes, node, HEAP)
    top = stack.state[STACK_PARTS]
    added: Int = ZERO
    for number in range(length):
        live = read(tree.parts, start + number, like)
        rest = live
        while not is_empty(rest) and added not in (LOST, _NO_ROOM):
            cell = lowest(rest)
            rest = without_lowest(rest)
            for move in range(rules.first[cell], rules.first[cell + 1]):
                if not inside(read(rules.needs, move, like), live):
                    continue
                known: Int = ZERO
                count: Int = ZERO
                left = without(live, read(rules.kills, move, like))
                if options.splits:
                    known, count = folded(rules, table, stack, live, move, top)
                elif not is_empty(left):
                    write(stack.parts, top, left)
                    count = 1
                many = ZERO
                for other in range(length):
                    if other != number:
                        write(work, many, read(tree.parts, start + other, like))
                        many += 1
                for i in range(top, top + count):
                    part = read(stack.parts, i, like)
                    cancelled = False
                    if options.splits:
                        for j in range(many):
                            if same(read(work, j, like), part):
                                many -= 1
                                write(work, j, read(work, many, like))
                                cancelled = True
                                break
                    if not cancelled:
                        write(work, many, part)
                        many += 1
                added = _add_child(rules, table, tree, options, hats, first, many, heap ^ known, number, move, like)
                if added in (LOST, _NO_ROOM):
                    break
    for smaller in range(heap):
        if added not in (LOST, _NO_ROOM):
            for other in range(length):
                write(work, other, read(tree.parts, start + other, like))
            added = _add_child(rules, table, tree, options, hats, first, length, smaller, NONE, smaller, like)
    if added == _NO_ROOM:
        state[NODES], state[PARTS], state[FULL] = first, pool, 1
        return
    nodes[node, FIRST] = first
    nodes[node, CHILDREN] = state[NODES] - first
    _set_priors(tree, options, first, state[NODES])
    _judge(table, stack, tree, node, options.splits, like)


@inlined
def _set_priors(tree: Tree, options: Options, first: Int, end: Int) -> None:
    nodes, values = tree.nodes, tree.values
    total, count = 0.0, 0
    for child in range(first, end):
        if nodes[child, OUTCOME] == UNKNOWN:
            total += values[child, CHANCE]
            count += 1
    for child in range(first, end):
        values[child, PRIOR] = 1.0 / (end - first)
        if options.believes and total > 0.0 and nodes[child, OUTCOME] == UNKNOWN:
            chance = values[child, CHANCE]
            values[child, PRIOR] = chance / total
            if options.rollouts:
                # On the scale of random play, where half of all moves win: 1/2 for the mean belief.
                values[child, CHANCE] = chance / (chance + total / count)


@inner
def _judge(table: Table, stack: Stack, tree: Tree, node: Int, splits: bool, like: Mask) -> None:
    """Decide a node by its children, where that is possible, and keep what it says of a component."""
    nodes = tree.nodes
    first = _at(nodes, node, FIRST)
    outcome = LOST
    for child in range(first, first + nodes[node, CHILDREN]):
        if nodes[child, OUTCOME] == LOST:
            outcome = WON
            break
        if nodes[child, OUTCOME] == UNKNOWN:
            outcome = UNKNOWN
    nodes[node, OUTCOME] = outcome
    if splits and outcome != UNKNOWN and nodes[node, LENGTH] == 1 and nodes[node, HEAP] < 64 and node > 0:
        part = read(tree.parts, nodes[node, START], like)
        clear_values(stack.looked, ZERO, ZERO, stack.looked.shape[1])
        if outcome == LOST:
            keep(table, stack.state, part, _at(nodes, node, HEAP), stack.looked, ZERO, ZERO, ONE)
        else:
            slot = find(table, part)
            if slot < 0 or table.entries[slot, table.entries.shape[1] - 1] & np.uint64(0xFFFF) < np.uint64(2):
                add_value(stack.looked, ZERO, ZERO, _at(nodes, node, HEAP))
                keep(table, stack.state, part, NONE, stack.looked, ZERO, ZERO, ONE)


@inlined
def _choose(tree: Tree, options: Options, node: Int) -> Int:
    """Return the undecided child to go to: PUCT (Silver et al., arXiv 1712.01815), with a prior for the value too."""
    nodes, values = tree.nodes, tree.values
    first = _at(nodes, node, FIRST)
    scale = options.exploration * np.sqrt(np.float64(nodes[node, VISITS] + 1))
    best, best_score = -1, -1.0
    for child in range(first, first + nodes[node, CHILDREN]):
        if nodes[child, OUTCOME] != UNKNOWN:
            continue
        visits = nodes[child, VISITS]
        count = visits + options.strength
        value = values[child, CHANCE]
        if count > 0.0:
            value = (values[child, WINS] + options.strength * value) / count
        score = value + scale * values[child, PRIOR] / (1.0 + visits)
        if score > best_score:
            best, best_score = child, score
    return best


@inner
def _play_out(rules: Rules, table: Table, stack: Stack, tree: Tree, node: Int, like: Mask) -> Int:
    """Play at random until every part is solved; return 1 if the player to move at the node wins, else 0."""
    work, nodes, chance = tree.work, tree.nodes, tree.chance
    count, heap, turn = _at(nodes, node, LENGTH), _at(nodes, node, HEAP), 0
    top = stack.state[STACK_PARTS]
    for i in range(count):
        write(work, i, read(tree.parts, nodes[node, START] + i, like))
    while count > 0:
        total = heap
        for i in range(count):
            total += mobility(rules, read(work, i, like))
        if total == 0:
            break
        pick = random_below(chance, total)
        turn ^= 1
        if pick < heap:
            heap = pick
            continue
        pick -= heap
        number = 0
        while True:
            many = mobility(rules, read(work, number, like))
            if pick < many:
                break
            pick -= many
            number += 1
        live = read(work, number, like)
        rest = live
        chosen = -1
        while chosen < 0:
            cell = lowest(rest)
            rest = without_lowest(rest)
            for move in range(rules.first[cell], rules.first[cell + 1]):
                if inside(read(rules.needs, move, like), live):
                    if pick == 0:
                        chosen = move
                        break
                    pick -= 1
        known, fresh = folded(rules, table, stack, live, chosen, top)
        heap ^= known
        count -= 1
        write(work, number, read(work, count, like))
        for i in range(fresh):
            write(work, count, read(stack.parts, top + i, like))
            count += 1
    wins = 1 if heap != 0 else 0
    return wins ^ turn


@inner
def _play_out_plainly(rules: Rules, tree: Tree, node: Int, like: Mask) -> Int:
    """Play the root's parts at random to the end; a move that has become illegal is dropped for good."""
    legal, nodes, chance = tree.legal, tree.nodes, tree.chance
    turn, heap, count = 0, _at(nodes, node, HEAP), 0
    parts = _at(nodes, node, LENGTH)
    for i in range(parts):
        live = read(tree.parts, nodes[node, START] + i, like)
        write(tree.work, i, live)
        rest = live
        while not is_empty(rest):
            cell = lowest(rest)
            rest = without_lowest(rest)
            for move in range(rules.first[cell], rules.first[cell + 1]):
                legal[count] = move * parts + i
                count += 1
    while count > 0 or heap > 0:
        pick = random_below(chance, count + heap)
        if pick >= count:
            heap = pick - count
            turn ^= 1
            continue
        move, i = legal[pick] // parts, legal[pick] % parts
        live = read(tree.work, i, like)
        count -= 1
        legal[pick] = legal[count]
        if inside(read(rules.needs, move, like), live):
            write(tree.work, i, without(live, read(rules.kills, move, like)))
            turn ^= 1
    return turn


@counting_nothing
def simulate(
    rules: Rules, table: Table, stack: Stack, tree: Tree, options: Options, hats: Any, count: Int, can_grow: bool,
    like: Mask,
) -> Int:  # fmt: skip
    """Make so many more simulations; `DECIDED` as soon as the root is proved, else `PAUSED`.

    It pauses early where the table is a quarter full and can grow: if that waited for the end of a slice, what is kept
    would depend on the clock.
    """
    state, nodes, values = tree.state, tree.nodes, tree.values
    for _ in range(count):
        if nodes[0, OUTCOME] != UNKNOWN:
            return DECIDED
        if can_grow and ROOM * stack.state[USED] > len(table.tags):
            return PAUSED
        state[SIMULATIONS] += 1
        node, depth = ZERO, 0
        tree.path[0] = 0
        while nodes[node, FIRST] != NOT_EXPANDED and nodes[node, OUTCOME] == UNKNOWN:
            node = _choose(tree, options, node)
            depth += 1
            tree.path[depth] = node
        is_ripe = nodes[node, VISITS] >= options.patience or node == 0
        if nodes[node, OUTCOME] == UNKNOWN and is_ripe and not state[FULL]:
            expand(rules, table, stack, tree, options, hats, node, like)
        if nodes[node, OUTCOME] == WON:
            wins = 1.0
        elif nodes[node, OUTCOME] == LOST:
            wins = 0.0
        elif not options.rollouts and options.splits:
            wins = 1.0 - loss_chance(
                rules, hats, tree.parts, _at(nodes, node, START), _at(nodes, node, LENGTH), _at(nodes, node, HEAP), like
            )
        elif options.splits:
            wins = np.float64(_play_out(rules, table, stack, tree, node, like))
        else:
            wins = np.float64(_play_out_plainly(rules, tree, node, like))
        decided = nodes[node, OUTCOME] != UNKNOWN
        for i in range(depth, -1, -1):
            node = tree.path[i]
            if decided and i < depth:
                _judge(table, stack, tree, node, options.splits, like)
                decided = nodes[node, OUTCOME] != UNKNOWN
                if decided:
                    wins = 1.0 if nodes[node, OUTCOME] == WON else 0.0
            nodes[node, VISITS] += 1
            values[node, WINS] += 1.0 - wins
            wins = 1.0 - wins
    return DECIDED if nodes[0, OUTCOME] != UNKNOWN else PAUSED
