"""Vecchia's approximation of log-likelihoods of data/samples/a_synth1600.csv, by loops and nothing
but Python's own arithmetic: writes vecchia.json beside itself.

The first place of the maximin order is the one nearest to the mean of all; neighbours are the
nearest places before each. The mean is zero.
"""
import csv, json, math, os

here = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(here, "../../data/samples/a_synth1600.csv")) as file:
    rows = [[float(row[name]) for name in "xyz"] for row in csv.DictReader(file)]
places, values = [row[:2] for row in rows], [row[2] for row in rows]
n = len(places)


def square(a, b):
    return (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2


def maximin():
    middle = [math.fsum(place[axis] for place in places) / n for axis in (0, 1)]
    next = min(range(n), key=lambda i: square(places[i], middle))
    left, order = [math.inf] * n, []
    while True:
        order.append(next)
        left[next] = -1.0
        if len(order) == n:
            return order
        left = [min(d, square(places[i], places[next])) if d >= 0 else d for i, d in enumerate(left)]
        next = max(range(n), key=lambda i: left[i])


def coordinate():
    return sorted(range(n), key=lambda i: places[i])


def neighbours(order, most):
    lists = []
    for rank, i in enumerate(order):
        before = sorted(order[:rank], key=lambda j: square(places[i], places[j]))
        lists.append((i, before[:most]))
    return lists


def matern(theta):
    """With smoothness 1/2 and 3/2."""
    variance, scale, smoothness = theta
    if smoothness == 0.5:
        return lambda d: variance * math.exp(-d / scale)
    assert smoothness == 1.5
    return lambda d: variance * (1 + d / scale) * math.exp(-d / scale)


def loglik(lists, m, theta, nugget):
    function, terms = matern(theta), []
    for i, near in lists:
        near = near[:m] + [i]
        size = len(near)
        lower, z = [], []
        for a in range(size):
            row = []
            for b in range(a + 1):
                entry = function(math.sqrt(square(places[near[a]], places[near[b]])))
                if a == b:
                    entry += nugget
                entry -= math.fsum(row[k] * (lower[b][k] if b < a else row[k]) for k in range(b))
                row.append(math.sqrt(entry) if a == b else entry / lower[b][b])
            lower.append(row)
            z.append((values[near[a]] - math.fsum(row[k] * z[k] for k in range(a))) / row[a])
        terms.append(math.log(2 * math.pi) + 2 * math.log(lower[-1][-1]) + z[-1] ** 2)
    return -0.5 * math.fsum(terms)


answers = []
for name, order in (("maximin", maximin()), ("coordinate", coordinate())):
    lists = neighbours(order, 40)
    for m in (5, 10, 20, 40):
        for theta, nugget in (((1.0, 0.1, 0.5), 0.0), ((0.9, 0.03, 1.5), 0.1)):
            answers.append(
                {
                    "ordering": name,
                    "neighbours": m,
                    "theta": list(theta) + [nugget],
                    "loglik": loglik(lists, m, theta, nugget),
                }
            )
with open(os.path.join(here, "vecchia.json"), "w") as file:
    json.dump(answers, file, indent=1)
    file.write("\n")
