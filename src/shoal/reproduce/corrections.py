"""Where the sources are wrong, unclear or at odds with each other, and what holds instead."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Weight(StrEnum):
    """What a statement does to those who take it as printed."""

    PRIVACY = "breaks privacy"
    USE = "misjudges accuracy"
    WORDING = "is unclear"


P, U, N = Weight.PRIVACY, Weight.USE, Weight.WORDING


@dataclass(frozen=True)
class Correction:
    """One place: its number, where it stands, what is printed there, and what holds."""

    number: int
    source: str
    weight: Weight
    printed: str
    holds: str


CHAPTER, LECTURES, TALK, SLIDES, THESIS = (
    "Chapter 7, Privacy-preserving inference",
    "CS6290 tutorial and Kamath's lectures 3-5",
    "Duchi, Four big ideas in privacy",
    "Raschia, Differential privacy (part II)",
    "Ferrari, The protection of personal data (thesis)",
)

_PLACES: dict[str, list[tuple[Weight, str, str]]] = {
    CHAPTER: [
        (
            N,
            "7.1.3: zero or one Tails, be honest; two Heads, lie",
            "The cases overlap and two Tails has none. At least one Tails: honest; two Heads: lie; so phi = 3/4.",
        ),
        (
            P,
            "7.1.3: the poll is not private at phi = 0, and privacy grows with phi",
            "epsilon = |ln(phi / (1 - phi))|: symmetric about 1/2, where it is 0, and infinite at 0 and at 1.",
        ),
        (
            P,
            "7.1.3: the variants 'say yes regardless' and 'yes to at least one of two questions'",
            "One answer is never given by some people, so no epsilon holds; they protect one side only.",
        ),
        (
            P,
            "Definition 7.3 adds or removes one person, 7.2.2 replaces one",
            "A replacement is at distance 2. Every sensitivity depends on which is meant, so it must be said.",
        ),
        (
            P,
            "Example 7.12: the mean moves by max / n",
            "Only for a replacement, a public n and values in [0, max]. If a person may be added, n is private as well.",
        ),
        (N, "7.2.2: e^-eps E u - delta |u| <= E u'", "It needs u >= 0."),
        (
            P,
            "Example 7.9: parallel composition, and contingency tables as where it fails",
            "It needs disjoint parts and added or removed people; a replaced person can be in two parts. The cells of one table are disjoint, its margins are not.",
        ),
        (
            U,
            "Proposition 7.10: delta grows by N e^(N eps)",
            "The sum is (e^(N eps) - 1) / (e^eps - 1) delta; the mechanism's own profile is better still.",
        ),
        (
            P,
            "7.2.4: the Laplace density (1 / 2b) e^(-b |y|)",
            "e^(-|y| / b); as printed its mass is 1 / b^2.",
        ),
        (
            P,
            "Proposition 7.18: the Gaussian formula holds for every epsilon",
            "It is proved for epsilon at most 1 and false for large epsilon. The exact condition is Balle and Wang's.",
        ),
        (
            U,
            "Proposition 7.19: error Delta_1 sqrt(log(d / beta))",
            "sigma sqrt(2 log(d / beta)), with Delta_2 in sigma; as printed it covers 81 % where 95 % is claimed, at d = 10.",
        ),
        (
            N,
            "Example 7.22: the sensitivity of the score equals that of f",
            "It is at most that for a finite set of outputs.",
        ),
        (
            P,
            "Proposition 7.31: local privacy implies central privacy",
            "For replaced people. If people are added or removed, the number of reports is seen.",
        ),
        (
            N,
            "Definition 7.32: the truth is told with probability about eps / (K + eps)",
            "With probability e^eps / (K + e^eps - 1), which goes to 1 / K.",
        ),
        (
            P,
            "Example 7.34: Delta_1 = 1 / n and b = 2 / (n eps^2)",
            "For a replacement Delta_1 = 2 / n and b = 2 / (n eps); as printed it costs eps^2.",
        ),
        (
            U,
            "Proposition 7.35: T / (eps^2 tau^2) people",
            "A factor log(T / beta) is needed for all answers to hold together; noise goes on each person's value.",
        ),
        (
            U,
            "Exercise 7.36: the largest noisy number estimates theta",
            "It grows without bound with n. The mean of the reports, or a quantile by a curator, converges.",
        ),
    ],
    LECTURES: [
        (
            P,
            "Tutorial: sigma > Delta sqrt(2 ln(1.25 / delta)) / (2 log(1.25 / delta))",
            "The denominator is epsilon, at most 1.",
        ),
        (
            N,
            "Tutorial: strict inequality in the definition",
            "At most, or events of chance 0 break it.",
        ),
        (
            N,
            "Lecture 3: the two relations are equivalent up to a factor of 2",
            "One way only: publishing n exactly costs nothing for replacements and has no price for added people.",
        ),
        (
            N,
            "Lecture 4: a minus sign in the proof for Laplace noise",
            "Without it; the conclusion stands.",
        ),
        (
            P,
            "Lecture 5: (eps, delta) if and only if the loss exceeds eps with chance at most delta",
            "If, not only if; the exact delta is E max(0, 1 - e^(eps - L)), for both orders.",
        ),
        (
            P,
            "Lecture 5, Theorem 6: no condition on epsilon",
            "As for Proposition 7.18 of the chapter.",
        ),
        (
            N,
            "Lecture 5: group privacy has a factor e^((k - 1) delta)",
            "k e^((k - 1) eps), and the sum above is tighter.",
        ),
        (
            P,
            "Lecture 5: advanced composition without k eps (e^eps - 1)",
            "The term is the mean of the loss; without it the bound is false for large epsilon.",
        ),
        (
            N,
            "Lecture 5: the loss is undefined where supports differ",
            "It is infinite there, and counts towards delta.",
        ),
    ],
    TALK: [
        (P, "The same equivalence of tail and (eps, delta)", "As for lecture 5."),
        (
            U,
            "sigma^2 of the order log(1 / delta) / eps^2",
            "For large epsilon 1 / eps has to be added.",
        ),
        (
            U,
            "From Rényi to (eps, delta) by + log(1 / delta) / (alpha - 1)",
            "True; the better conversion subtracts (log delta + log alpha) / (alpha - 1) and adds log((alpha - 1) / alpha).",
        ),
        (U, "k Gaussian releases are (2 eps, delta)", "True, and about twice what they cost."),
    ],
    SLIDES: [
        (
            P,
            "Sample an output with probability proportional to its score",
            "Proportional to exp(eps s / (2 Delta)).",
        ),
        (
            P,
            "Noisy max with Laplace noise of Delta / eps",
            "For monotone scores; others need 2 Delta / eps. It is not the exponential mechanism, which is Gumbel noise.",
        ),
        (N, "Pricing example: profit 3 at a price of 3.00", "Both buy: 6."),
        (N, "f on X^n with |D delta D'| <= 1", "A fixed n and added people do not go together."),
        (
            U,
            "Hair colour: the right answer with probability at least 0.973",
            "At least 0.981; and since counts are monotone eps / Delta may be used: 0.9999.",
        ),
    ],
    THESIS: [
        (
            P,
            "Chapter 4: sensitivity 1 / n, n the number of cells",
            "If a person is a row, one person moves all its cells: the noise is too small by the number of columns.",
        ),
        (
            N,
            "2.0 and 2.1: references and coins",
            "The central model is Definition 2.0.3; e^eps / (1 + e^eps) is the coin's chance, not the trait's.",
        ),
        (
            P,
            "General randomized response with a continuous uniform",
            "Uniform on the other k - 1 answers.",
        ),
        (
            N,
            "2.4.1: the variance of W",
            "It is the mean squared error of Z; 'eps >> n^(-1/2)' is when privacy is cheap, not what privacy needs.",
        ),
        (
            U,
            "Largest error of a histogram: ln((t / beta)(L / eps))",
            "ln(k / beta) L / eps, k the number of cells.",
        ),
        (
            P,
            "Definition 2.5.5: posterior odds at most e^eps",
            "At most e^eps times the prior odds.",
        ),
        (
            P,
            "Theorem 3.1.3: sigma without epsilon",
            "Divided by epsilon. Gaussian noise cannot be pure.",
        ),
        (N, "3.1: weight of the f-divergence; D_f", "q(x); and D_f = exp((a - 1) D_a) - 1."),
        (P, "(3.7): the exponent alpha - 1 / alpha", "(alpha - 1) / alpha."),
        (
            N,
            "Table 3.1: Bayes factor, composition, outcome",
            "e^((alpha - 1) eps); two eps-DP releases cost 2 eps; the outcome row lost its exponents.",
        ),
        (P, "Theorem 3.2.5: (alpha / 2, 3^c eps)", "(alpha / 2^c, 3^c eps)."),
        (
            N,
            "3.2.2: moments of the Bayes factor",
            "The exponent alpha - 1 is missing; the logarithm holds in the mean only.",
        ),
        (N, "Example 3.2.1: if and only if sigma^2 = L^2 alpha / (2 eps)", "At least that."),
        (
            N,
            "3.2.3: the integrals for Laplace noise",
            "Signs and ranges are wrong; the result is right.",
        ),
        (
            U,
            "Proposition 3.3.1: min(3 alpha eps^2 / 2, eps)",
            "alpha eps^2 / 2 holds; the exact value is randomized response's.",
        ),
        (
            P,
            "Proposition 3.3.3: the lesser of the two terms and delta",
            "The larger. (eps, delta) alone bounds no Rényi divergence.",
        ),
        (
            U,
            "Theorem 3.4.4 without epsilon under the root",
            "With it; the optimal composition is better still.",
        ),
        (
            P,
            "Algorithms 2 and 3: the sensitivity is the difference of one pair",
            "The largest difference over all pairs of neighbours.",
        ),
        (N, "4.3: d is the number of differences", "The length of the released vector."),
        (
            P,
            "4.4: the scale of the Bernstein mechanism grows with the sample size",
            "With the number of coefficients, (K + 1)^l.",
        ),
        (
            P,
            "4.1 and 4.4: the Bernstein runs are eps-DP",
            "With a sampled sensitivity they are random DP: for all but a share gamma of pairs drawn from a law, which was not the law of the data.",
        ),
        (
            U,
            "4.4: the kernel of the regression",
            "It is not normalised: all targets are 2.5066 times too high.",
        ),
        (N, "4.4: the mean squared error is over n points", "Over 50 points of a grid."),
    ],
}

CORRECTIONS: dict[int, Correction] = {
    number: Correction(number, source, *place)
    for number, (source, place) in enumerate(
        ((source, place) for source, places in _PLACES.items() for place in places), start=1
    )
}
"""Every correction by its number."""
