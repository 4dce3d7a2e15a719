"""Kinds of event in which one or more candidates were chosen by their scores.

In all of them but the last the candidates are public and fixed before the data are seen, each score
moves by at most ``sensitivity`` between neighbours, and ``monotone`` says that all scores move the
same way (none up and another down) between any two neighbours; the noise may then be half as large
for the same epsilon.  Write t = 2 * sensitivity / epsilon, or t = sensitivity / epsilon when
monotone.
"""

# ruff: noqa: RUF009 - a parameter is a descriptor, not a shared default value

from __future__ import annotations

from dataclasses import dataclass

from shoal.errors import EventError, RangeError
from shoal.events.event import Event
from shoal.events.parameter import Count, Exact, Flag, Word, count, exact, flag, word
from shoal.exact import positive


@dataclass(frozen=True)
class Exponential(Event, kind="exponential"):
    """The exponential mechanism.

    Meaning: one of ``candidates`` candidates is released, with probability proportional to
        exp(score / t), where t = 2 ``sensitivity`` / ``epsilon``, or sensitivity / epsilon when
        ``monotone``.
    Edges: the law needs epsilon > 0 and sensitivity > 0.
    Reference: McSherry and Talwar 2007; Dong, Durfee and Rogers 2020 for its bounded range.
    """

    epsilon: Exact = exact(positive)
    sensitivity: Exact = exact(positive)
    candidates: Count = count(at_least=1)
    monotone: Flag = flag()


@dataclass(frozen=True)
class PermuteAndFlip(Event, kind="permute_and_flip"):
    """Permute and flip.

    Meaning: one of ``candidates`` candidates is released: they are visited in a uniformly random
        order, and the first whose coin falls on heads is it, the coin of a candidate having
        probability exp((score - best score) / t), where t = 2 ``sensitivity`` / ``epsilon``, or
        sensitivity / epsilon when ``monotone``.
    Edges: the law needs epsilon > 0 and sensitivity > 0.  Its range is not bounded as that of the
        exponential mechanism is, so it must not be priced as one.
    Reference: McKenna and Sheldon 2020.
    """

    epsilon: Exact = exact(positive)
    sensitivity: Exact = exact(positive)
    candidates: Count = count(at_least=1)
    monotone: Flag = flag()


@dataclass(frozen=True)
class NoisyMax(Event, kind="noisy_max"):
    """Report noisy max.

    Meaning: the candidate, one of ``candidates``, whose score plus noise is largest is released,
        and nothing else.  The noises are independent, of the law ``noise`` ("laplace",
        "exponential" or "gumbel") with scale t = 2 ``sensitivity`` / ``epsilon``, or sensitivity /
        epsilon when ``monotone``; ties have probability 0 or are broken independently of the
        scores.
    Edges: the law needs epsilon > 0 and sensitivity > 0.  With Gumbel noise the choice has the law
        of `Exponential`, with exponential noise that of `PermuteAndFlip`, with Laplace noise its
        own.
    Reference: Dwork and Roth 2014, Section 3.3; Ding and others 2021.
    """

    noise: Word = word("laplace", "exponential", "gumbel")
    epsilon: Exact = exact(positive)
    sensitivity: Exact = exact(positive)
    candidates: Count = count(at_least=1)
    monotone: Flag = flag()


@dataclass(frozen=True)
class TopK(Event, kind="top_k"):
    """The top k candidates in one shot, by Gumbel noise.

    Meaning: independent Gumbel noise of scale ``k`` t is added to the score of each of
        ``candidates`` candidates, where t = 2 ``sensitivity`` / ``epsilon``, or sensitivity /
        epsilon when ``monotone``, and the k largest are released in their noisy order, without the
        noisy scores.  That is the law of k exponential mechanisms one after the other, each with
        epsilon / k on the candidates left.
    Fields: epsilon is the pure cost of all k together.
    Edges: 1 <= k <= candidates; the law needs epsilon > 0 and sensitivity > 0.
    Reference: Durfee and Rogers 2019.
    """

    k: Count = count(at_least=1)
    epsilon: Exact = exact(positive)
    sensitivity: Exact = exact(positive)
    candidates: Count = count(at_least=1)
    monotone: Flag = flag()

    def __post_init__(self) -> None:
        if self.k > self.candidates:
            raise RangeError(
                "k must not be above the number of candidates.",
                remedy="Choose k from 1 to candidates.",
            )


@dataclass(frozen=True)
class GaussianNoisyMax(Event, kind="gaussian_noisy_max"):
    """The label with the most votes, each count with Gaussian noise.

    Meaning: every voter (a teacher, in PATE) votes for one of ``candidates`` labels; independent
        N(0, ``sigma``²) noise is added to the number of votes of each label, and the label with the
        largest sum is released, and nothing else.  Neighbours differ in one voter, whose vote moves
        from one label to another.
    Fields: ``relation`` is never "add_remove": the number of voters is fixed and public.
    Edges: one candidate tells nothing.  In PATE a voter stands for all people whose rows trained
        that teacher.
    Reference: Papernot, Song, Mironov, Raghunathan, Talwar and Erlingsson 2018.
    """

    sigma: Exact = exact(positive)
    candidates: Count = count(at_least=1)

    def __post_init__(self) -> None:
        if self.relation == "add_remove":
            raise EventError(
                "relation must not be 'add_remove': neighbours differ in one vote, not in the number of voters.",
                remedy="Use relation 'change', or leave it out.",
            )
