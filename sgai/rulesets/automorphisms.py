"""Symmetries of graphs and orders, where a short search finds them."""

from sgai.rulesets.removal import Permutation, cells_of


def automorphisms(neighbours: list[int], most: int = 128, most_steps: int = 5_000) -> tuple[Permutation, ...]:
    """Return all symmetries of a graph where a short search finds them, else only the identity.

    Parameters
    ----------
    neighbours : list of int
        The mask of the neighbours of every vertex; in a directed graph, of those that its edges lead to.
    most, most_steps : int
        The search gives up at more symmetries, or after so many attempts to place a vertex.

    Examples
    --------
    >>> automorphisms([0b010, 0b101, 0b010])
    ((0, 1, 2), (2, 1, 0))
    """
    count = len(neighbours)
    identity = tuple(range(count))
    if count > 256:
        return (identity,)
    colours = _refined_colours(neighbours)
    found: list[Permutation] = []
    image: list[int] = []
    waiting = [iter(range(count))]
    used = steps = 0
    while waiting:
        if len(image) == len(waiting):
            used ^= 1 << image.pop()
        vertex = len(waiting) - 1
        for target in waiting[-1]:
            if used >> target & 1 or colours[target] != colours[vertex]:
                continue
            steps += 1
            if steps > most_steps:
                return (identity,)
            if all(
                (neighbours[vertex] >> a & 1) == (neighbours[target] >> b & 1)
                and (neighbours[a] >> vertex & 1) == (neighbours[b] >> target & 1)
                for a, b in enumerate(image)
            ):
                image.append(target)
                used |= 1 << target
                break
        else:
            waiting.pop()
            continue
        if len(image) < count:
            waiting.append(iter(range(count)))
            continue
        found.append(tuple(image))
        if len(found) > most:
            return (identity,)
    return tuple(found)


def _refined_colours(neighbours: list[int]) -> list[int]:
    # Vertices that a symmetry may exchange have equal colours: equally many neighbours of every colour, and so on.
    colours = [0] * len(neighbours)
    while True:
        signs = [(colours[v], tuple(sorted(colours[n] for n in cells_of(near)))) for v, near in enumerate(neighbours)]
        numbers = {sign: number for number, sign in enumerate(sorted(set(signs)))}
        if len(numbers) == len(set(colours)):
            return colours
        colours = [numbers[sign] for sign in signs]
