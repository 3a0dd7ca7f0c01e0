#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""check_shift.py SHIFTS_OF_BLOCKS - compares src/figures/shift.c and rates.c with a second program of the same methods,
as TAP.

SHIFTS_OF_BLOCKS reads the blocks of two phases from standard input and prints the shifts of p50, p99 and p99.9, or the
tests of rates. The reference below is written to be read: it searches line by line, counts each choice of blocks, and
keeps nothing from one step to the next.
"""
import bisect
import math
import os
import random
import subprocess
import sys
from statistics import NormalDist

TAILS = (0.5, 0.01, 0.001)
CASES = 60 if os.environ.get("IPCTOP_FULL") else 12
TOLERANCE = 1e-6


def student_quantile(alpha, df):
    """Two-sided, for real df >= 2: Hill (1970). Names as in the paper."""
    if df > 1e6:
        return -NormalDist().inv_cdf(alpha / 2)
    if df < 2.01:
        return math.sqrt(2 / (alpha * (2 - alpha)) - 2)
    a = 1 / (df - 0.5)
    b = 48 / a**2
    c = ((20700 * a / b - 98) * a - 16) * a + 96.36
    d = ((94.5 / (b + c) - 3) / b + 1) * math.sqrt(a * math.pi / 2) * df
    x = d * alpha
    y = x ** (2 / df)
    if y > 0.05 + a:
        x = NormalDist().inv_cdf(alpha / 2)
        y = x**2
        if df < 5:
            c += 0.3 * (df - 4.5) * (x + 0.6)
        c += (((0.05 * d * x - 5) * x - 7) * x - 2) * x + b
        y = (((((0.4 * y + 6.3) * y + 36) * y + 94.5) / c - y - 3) / b + 1) * x
        y = math.expm1(a * y**2)
    else:
        y = ((1 / (((df + 6) / (df * y) - 0.089 * d - 0.822) * (df + 2) * 3) + 0.5 / (df + 4)) * y - 1) * (
            df + 1) / (df + 2) + 1 / y
    return math.sqrt(df * y)


def bucket_edge(bucket):
    """The log of the smallest ns of a bucket: 64 an octave from 64 ns on."""
    octave, part = divmod(bucket, 64)
    return math.log((64 + part) * 2.0 ** (octave - 1))


class Phase:
    """A list of blocks; a block is a dict of counts by bucket."""

    def __init__(self, blocks):
        self.blocks = blocks
        self.sizes = [sum(block.values()) for block in blocks]
        self.n = sum(self.sizes)
        used = [bucket for block in blocks for bucket in block]
        self.buckets = range(min(used), max(used) + 2)
        self.edges = [bucket_edge(bucket) for bucket in self.buckets]
        self.tables = [[sum(n for at, n in block.items() if at >= bucket) for bucket in self.buckets]
                       for block in blocks]
        self.table = [sum(column) for column in zip(*self.tables)]

    def beyond(self, table, latency):
        """The samples of a table above a latency; between two edges they are spread evenly."""
        if latency <= self.edges[0]:
            return table[0]
        if latency >= self.edges[-1]:
            return 0
        i = bisect.bisect_left(self.edges, latency) - 1
        part = (latency - self.edges[i]) / (self.edges[i + 1] - self.edges[i])
        return table[i] * (1 - part) + table[i + 1] * part

    def width(self, latency):
        i = min(max(bisect.bisect_left(self.edges, latency) - 1, 0), len(self.edges) - 2)
        return self.edges[i + 1] - self.edges[i]


def crossing(edges, counts, wanted):
    """Where falling counts cross the wanted one."""
    last = max((i for i, count in enumerate(counts) if count >= wanted), default=None)
    if last is None:
        return edges[0]
    if last == len(edges) - 1:
        return edges[last]
    part = (counts[last] - wanted) / (counts[last] - counts[last + 1])
    return edges[last] + part * (edges[last + 1] - edges[last])


def quantile(phase, tail):
    return crossing(phase.edges, phase.table, tail * phase.n)


def joint_quantile(a, b, tail, d):
    """The latency of A beyond which there is this share of both phases, B's latencies moved back by d."""
    wanted = tail * (a.n + b.n)
    counts = [count + b.beyond(b.table, edge + d) for count, edge in zip(a.table, a.edges)]
    if counts[0] >= wanted >= counts[-1]:
        return crossing(a.edges, counts, wanted)
    counts = [count + a.beyond(a.table, edge - d) for count, edge in zip(b.table, b.edges)]
    return crossing(b.edges, counts, wanted) - d


def longrun(residuals, n):
    """Variance for each sample, and independent blocks, of the worst of several sizes of blocks."""
    found = []
    while True:
        m = len(residuals)
        squares = sum(r * r for r in residuals)
        rho = sum(r * s for r, s in zip(residuals, residuals[1:])) / squares if squares else 0
        rho = min(max(rho + (1 + 3 * max(rho, 0)) / m, 0), 0.95)
        factor = (1 + rho) / (1 - rho)
        variance = squares / n * m / (m - 1) * factor
        found.append((variance * student_quantile(0.05, max(m / factor - 1, 2)) ** 2, variance, m / factor))
        if m < 12:
            return max(found, key=lambda row: row[0])[1:]
        residuals = [sum(residuals[i:i + 2]) for i in range(0, m, 2)]


def rejects(a, b, tail, d, side, alpha):
    """Is a shift of d rejected: as too high (side 1), or too low (-1)?"""
    latency = joint_quantile(a, b, tail, d)
    shares, squares, runs = [], [], []
    for phase, at in ((a, latency), (b, latency + d)):
        beyond = [phase.beyond(table, at) for table in phase.tables]
        share = sum(beyond) / phase.n
        residuals = [count - share * size for count, size in zip(beyond, phase.sizes)]
        shares.append(share)
        squares += [r * r / size for r, size in zip(residuals, phase.sizes)]
        runs.append(longrun(residuals, phase.n))
    (variance_a, blocks_a), (variance_b, blocks_b) = runs
    inverse = 1 / a.n + 1 / b.n
    variance = max(variance_a / a.n + variance_b / b.n,
                   (variance_a * a.n + variance_b * b.n) / (a.n + b.n) * inverse,
                   tail * (1 - tail) * inverse)
    kurtosis = len(squares) * sum(u * u for u in squares) / max(sum(squares) ** 2, 1e-300)
    df = max(2, min(blocks_a + blocks_b - 2, 2 * len(squares) / max(kurtosis - 1, 1e-9)))
    return -side * (shares[1] - shares[0]) > student_quantile(alpha, df) * math.sqrt(variance)


def shift(a, b, tail, alpha):
    """Estimate, low end, high end."""
    quantiles = quantile(a, tail), quantile(b, tail)
    estimate = quantiles[1] - quantiles[0]
    blur = (a.width(quantiles[0]) + b.width(quantiles[1])) / 2
    ends = []
    for side in (-1, 1):
        tenable, step = 0, 0.02
        while step < 6 and not rejects(a, b, tail, estimate + side * step, side, alpha):
            tenable, step = step, step * 2
        while step < 6 and step - tenable > max(0.002, 0.01 * step):
            middle = (tenable + step) / 2
            if rejects(a, b, tail, estimate + side * middle, side, alpha):
                step = middle
            else:
                tenable = middle
        ends.append(side * math.inf if step >= 6 else estimate + side * (step + blur))
    return estimate, *ends


def shifts(a, b):
    blocks = min(len(a.blocks), len(b.blocks))
    alpha = 0.05 if blocks >= 32 else 0.02 if blocks >= 16 else 0.01
    found = [shift(a, b, tail, alpha) for tail in TAILS]
    estimate, low, high = found[0]
    floor = min(max(estimate - low, high - estimate), math.log(1.05))
    return found[:1] + [(d, min(lo, d - floor), max(hi, d + floor)) for d, lo, hi in found[1:]]


def random_phase(dice, speed):
    """Blocks with a body, a tail, bursts and drift, each by chance."""
    n_blocks, samples = dice.randint(2, 64), dice.choice((5, 60, 900))
    sigma, burst, drift = dice.uniform(0.02, 0.8), dice.choice((0, 0.05, 0.3)), dice.choice((0, 0, 0.03))
    blocks, wander = [], 0.0
    for _ in range(n_blocks):
        wander += dice.gauss(0, drift)
        factor = speed * math.exp(wander) * (5 if dice.random() < burst else 1)
        block = {}
        for _ in range(dice.randint(max(1, samples // 2), samples)):
            ns = max(64, int(2000 * factor * math.exp(dice.gauss(0, sigma))))
            octave = ns.bit_length() - 6
            bucket = octave * 64 + (ns >> (octave - 1)) - 64
            block[bucket] = block.get(bucket, 0) + 1
        blocks.append(block)
    return blocks


# --- rates ---

def beta_distribution(x, a, b):
    """The share of a beta distribution below x, by Simpson's rule; t = x v^k makes its density flat at 0."""
    steps, k = 8000, max(1, 3 / a)
    values = [x ** a * k * (i / steps) ** (k * a - 1) * (1 - x * (i / steps) ** k) ** (b - 1) for i in range(steps + 1)]
    integral = (values[0] + values[-1] + 4 * sum(values[1::2]) + 2 * sum(values[2:-1:2])) / (3 * steps)
    return math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)) * integral


def neighbours(residuals):
    squares = sum(r * r for r in residuals)
    rho = sum(r * s for r, s in zip(residuals, residuals[1:])) / squares if squares else 0
    return min(max(rho + (1 + 3 * max(rho, 0)) / len(residuals), 0), 0.95)


def rate_of(blocks):
    return sum(n for n, _ in blocks) / sum(of for _, of in blocks)


def interval_test(a, b):
    """Clopper and Pearson's interval, of as many as independent ones would say the same: (higher, lower)."""
    sizes = [sum(of for _, of in blocks) for blocks in (a, b)]
    counts = [sum(n for n, _ in blocks) for blocks in (a, b)]
    share = sum(counts) / sum(sizes)
    if share in (0, 1):
        return 1, 1
    variance = sum(longrun([n - rate_of(blocks) * of for n, of in blocks], size)[0] * size
                   for blocks, size in zip((a, b), sizes)) / sum(sizes)
    excess = max(variance / (share * (1 - share)), 1)
    in_a, in_b = (count / excess for count in counts)
    even = sizes[1] / sum(sizes)
    return (min(1, 2 * beta_distribution(even, in_b, in_a + 1)) if in_b else 1,
            min(1, 2 * beta_distribution(1 - even, in_a, in_b + 1)) if in_a else 1)


def rank_test(a, b):
    """Wilcoxon's: of all choices of blocks those with a sum of ranks like that of B, or beyond it."""
    shares = [n / of for n, of in a + b]
    ranks = [sum((x < share) + (x == share) / 2 for x in shares) for share in shares]
    seen, n, m = sum(ranks[len(a):]), len(shares), len(b)
    if n <= 32:
        ways = {(0, 0): 1}      # how many choices there are, by the number of ranks and their sum
        for rank in ranks:
            for (chosen, total), number in list(ways.items()):
                key = chosen + 1, total + rank
                ways[key] = ways.get(key, 0) + number
        sums = {total: number for (chosen, total), number in ways.items() if chosen == m}
        every = math.comb(n, m)
        return (min(1, 2 * sum(number for total, number in sums.items() if total >= seen) / every),
                min(1, 2 * sum(number for total, number in sums.items() if total <= seen) / every))
    mean = sum(ranks) / n
    deviation = math.sqrt(m * (n - m) / (n * (n - 1)) * sum((rank - mean) ** 2 for rank in ranks))
    if not deviation:
        return 1, 1
    above = [NormalDist().cdf(side * (seen - m * mean + side * 0.5) / deviation) for side in (-1, 1)]
    return tuple(min(1, 2 * p) for p in above)


def merged(blocks):
    return [tuple(map(sum, zip(*blocks[i:i + 2]))) for i in range(0, len(blocks), 2)]


def share_residuals(blocks):
    return [n / of - rate_of(blocks) for n, of in blocks]


def rate_tests(a, b):
    """Of shares, and of counts: four probabilities."""
    a, b = ([block for block in blocks if block[1]] for blocks in (a, b))
    fewer = min(len(a), len(b))
    if fewer < 8:
        return 1, 1, 1, 1
    factor = 1 if fewer >= 32 else 2.5 if fewer >= 16 else 5
    interval = interval_test(a, b)
    while min(len(a), len(b)) >= 16 and max(neighbours(share_residuals(a)), neighbours(share_residuals(b))) > 0.3:
        a, b = merged(a), merged(b)
    ranks = rank_test(a, b)
    return tuple(min(1, 2 * factor * min(pair)) for pair in zip(interval, ranks)) + tuple(
        min(1, factor * p) for p in interval)


def random_counts(dice, share):
    """Blocks of slots, of which some are missed, alone or in clusters."""
    cluster, of = dice.choice((0, 0.7)), dice.choice((50, 500))
    blocks, was = [], 0
    for _ in range(dice.choice((5, 8, 12, 16, 20, 64))):
        was = cluster * was + (1 - cluster) * dice.expovariate(1)
        blocks.append((min(of, int(share * of * was * dice.choice((0, 1, 2)))), of if dice.random() > 0.1 else 0))
    return [(n if of else 0, of) for n, of in blocks]


def counts_text(blocks):
    return f"{len(blocks)} " + " ".join(f"{n} {of}" for n, of in blocks)


def check_rates(program, dice):
    """Lines of what is wrong."""
    cases = [(random_counts(dice, share), random_counts(dice, share * dice.choice((0, 1, 1, 2, 5))))
             for _ in range(CASES) for share in (0.01, 0.1)]
    text = "\n".join(counts_text(blocks) for case in cases for blocks in case)
    output = subprocess.run([program, "rates"], input=text, text=True, capture_output=True, check=True).stdout
    rows = [tuple(float(word) for word in line.split()) for line in output.splitlines()]
    wrong = [f"# rates, case {number}: {found}, not {expected}"
             for number, (found, expected) in enumerate(zip(rows, (rate_tests(*case) for case in cases)))
             if any(abs(x - y) > 1e-4 * max(x, y) + 1e-12 for x, y in zip(found, expected))]
    return wrong if len(rows) == len(cases) else [*wrong, f"# {len(rows)} rows, not {len(cases)}"]


def as_text(blocks):
    rows = [" ".join([str(len(block)), *(f"{at} {n}" for at, n in sorted(block.items()))]) for block in blocks]
    return f"{len(blocks)}\n" + "\n".join(rows)


def main():
    dice = random.Random(20)
    cases = [(random_phase(dice, 1), random_phase(dice, dice.choice((1, 1, 1.03, 1.3, 0.5, 900))))
             for _ in range(CASES)]
    text = "\n".join(as_text(blocks) for case in cases for blocks in case)
    output = subprocess.run([sys.argv[1]], input=text, text=True, capture_output=True, check=True).stdout
    rows = [tuple(float(word) for word in line.split()) for line in output.splitlines()]

    wrong = []
    for number, (a, b) in enumerate(cases):
        for row, (found, expected) in enumerate(zip(rows[3 * number:3 * number + 3], shifts(Phase(a), Phase(b)))):
            if any(x != y and not abs(x - y) < TOLERANCE for x, y in zip(found, expected)):
                wrong.append(f"# case {number}, percentile {row}: {found}, not {expected}")
    good = not wrong and len(rows) == 3 * CASES
    print("TAP version 13")
    print("\n".join(wrong), end="\n" if wrong else "")
    print(f"{'ok' if good else 'not ok'} 1 - shifts are those of the reference, on {CASES} pairs of phases")
    wrong_rates = check_rates(sys.argv[1], dice)
    print("\n".join(wrong_rates), end="\n" if wrong_rates else "")
    print(f"{'not ok' if wrong_rates else 'ok'} 2 - tests of rates are those of the reference")
    print("1..2")
    return 1 if wrong_rates or not good else 0


if __name__ == "__main__":
    sys.exit(main())
