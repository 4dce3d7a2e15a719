"""Others who answer all prefix sums and ranges of one column, under epsilon 1 alone.

OpenDP counts a tree of the fan-out that it proposes, adds Laplace noise and makes the counts
consistent; what it measures here are releases, each compared with the truth.  HDMM cannot be
installed beside current libraries, so its figures are those of its paper's strategies (OPT0).
"""

from __future__ import annotations

from math import sqrt

import numpy as np

OPENDP, HDMM = "OpenDP's b-ary tree, measured", "HDMM's OPT0, as published"
_REPETITIONS = 300


def hdmm() -> tuple[float, float]:
    """The expected error of 1024 prefix sums, and of all ranges."""
    return 9.61, 11.10


def opendp_tree(values: int) -> tuple[float, float]:
    """The measured error of all prefix sums, and of all ranges."""
    import opendp.prelude as dp

    dp.enable_features("contrib")
    fan_out = dp.t.choose_branching_factor(values)
    counts = dp.vector_domain(dp.atom_domain(T=int))
    tree = dp.t.make_b_ary_tree(
        counts, dp.l1_distance(T=int), leaf_count=values, branching_factor=fan_out
    )
    noisy = tree >> dp.m.make_laplace(
        tree.output_domain, tree.output_metric, scale=float(tree.map(1))
    )
    consistent = dp.t.make_consistent_b_ary_tree(branching_factor=fan_out)
    true = np.random.default_rng(1).poisson(50, values)
    prefixes = ranges = 0.0
    for _ in range(_REPETITIONS):
        leaves = np.array(consistent(noisy(true.tolist()))[:values])
        ends = np.concatenate([[0.0], np.cumsum(leaves - true)])
        prefixes += float((ends[1:] ** 2).sum())
        # over all pairs of ends: n times the sum of squares, less the square of the sum
        ranges += (values + 1) * float((ends**2).sum()) - float(ends.sum()) ** 2
    return (
        sqrt(prefixes / (_REPETITIONS * values)),
        sqrt(ranges / (_REPETITIONS * values * (values + 1) / 2)),
    )
