"""Random questions over the whole region that accounting is made for: ``python -m
benchmarks.accounting_sweep --seed 1 --pairs 300``.

Each question is asked beside a harder one, with less noise, a larger sample, more releases or a
smaller delta.  Printed are the certified gaps, CPU seconds and peak memory, and whether a harder
question was ever answered with less.
"""

from __future__ import annotations

import argparse
import math
import random
import resource
import sys
import time
from dataclasses import dataclass, replace

from benchmarks.accounting_goals import MOST_GAP, MOST_MEGABYTES, MOST_SECONDS

SIGMA, RATE, RELEASES, DELTA = (0.3, 1000.0), (1e-7, 1.0), (1.0, 1e7), (1e-15, 1e-3)
HARDER = ("sigma", "rate", "releases", "delta")
LARGE = 1000.0
"""Above such an epsilon a gap is counted relative to it: nobody quotes more digits."""
NO_SHARE = 1.0


@dataclass(frozen=True)
class Question:
    """Gaussian noise on Poisson samples, so many times, at a delta."""

    sigma: float
    rate: float
    releases: int
    delta: float

    @property
    def text(self) -> str:
        sampled = "" if self.rate == NO_SHARE else f" | sampled q={self.rate:.6g}"
        return f"gaussian sigma={self.sigma:.6g}{sampled} | x {self.releases}"

    def harder(self, name: str, factor: float) -> Question:
        """The same with one parameter changed for the worse, within the region."""
        if name == "sigma":
            return replace(self, sigma=max(SIGMA[0], self.sigma / factor))
        if name == "rate":
            return replace(self, rate=min(RATE[1], self.rate * factor))
        if name == "releases":
            return replace(self, releases=min(int(RELEASES[1]), math.ceil(self.releases * factor)))
        return replace(self, delta=max(DELTA[0], self.delta / factor))


@dataclass(frozen=True)
class Told:
    """An answer: both ends, and what it took."""

    question: Question
    low: float
    high: float
    seconds: float

    @property
    def gap(self) -> float:
        return (self.high - self.low) / max(1.0, self.high / LARGE)

    def line(self) -> str:
        question = f"{self.question.text} @ {self.question.delta:.3g}"
        return f"{question}: [{self.low:.9g}, {self.high:.9g}], {self.seconds:.3f} s"


def drawn(chance: random.Random) -> Question:
    """A question, even in the logarithms of its parameters."""

    def between(ends: tuple[float, float]) -> float:
        return math.exp(chance.uniform(math.log(ends[0]), math.log(ends[1])))

    return Question(between(SIGMA), between(RATE), round(between(RELEASES)), between(DELTA))


def told(question: Question) -> Told:
    """What Shoal answers, and the CPU seconds it takes."""
    from shoal import account

    start = time.process_time()
    found = account(question.text).epsilon(delta=f"{question.delta:.6g}")
    seconds = time.process_time() - start
    low = 0.0 if found.lower is None else float(found.lower)
    return Told(question, low, float(found.epsilon), seconds)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.accounting_sweep", description=__doc__
    )
    parser.add_argument("--seed", type=int, required=True, help="of the questions that are drawn")
    parser.add_argument("--pairs", type=int, default=300, help="how many pairs of questions")
    chosen = parser.parse_args()
    chance = random.Random(chosen.seed)
    answers: list[Told] = []
    crossed = lower = 0
    told(Question(1.0, 0.5, 2, 1e-5))  # loads what is needed
    for number in range(chosen.pairs):
        easy = drawn(chance)
        hard = easy.harder(HARDER[number % len(HARDER)], chance.choice((1.0001, 1.01, 1.5)))
        one, other = told(easy), told(hard)
        answers += [one, other]
        if one.low > other.high:
            crossed += 1
            print("ends crossed:", one.line(), "and", other.line(), flush=True)
        if one.high > other.high:
            lower += 1
        for each in (one, other):
            if each.gap > MOST_GAP or each.seconds > MOST_SECONDS:
                print("wide or slow:", each.line(), flush=True)
    _summary(answers, crossed, lower)
    sys.exit(1 if crossed else 0)


def _summary(answers: list[Told], crossed: int, lower: int) -> None:
    gaps, seconds = sorted(each.gap for each in answers), sorted(each.seconds for each in answers)
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{len(answers)} answers")
    print(f"lower ends above the upper end of a harder question: {crossed}")
    print(f"harder questions quoted less, within the brackets: {lower}")
    print(f"gap: largest {gaps[-1]:.3g}, above {MOST_GAP:g}: {sum(g > MOST_GAP for g in gaps)}")
    print(
        f"CPU s: median {seconds[len(seconds) // 2]:.3f}, "
        f"99 in 100 within {seconds[len(seconds) * 99 // 100]:.3f}, largest {seconds[-1]:.3f}, "
        f"above {MOST_SECONDS}: {sum(s > MOST_SECONDS for s in seconds)}"
    )
    print(f"memory: {megabytes:.0f} MB of {MOST_MEGABYTES}")


if __name__ == "__main__":
    main()
