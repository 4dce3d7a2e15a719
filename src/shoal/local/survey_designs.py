"""The survey designs by name, each as a `Design`.

The answers are "no" and "yes", and the last kind of reply speaks for "yes": it comes with floor +
lean * share.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction

from shoal.errors import RangeError
from shoal.exact import Number, closed_unit, open_unit, out_of_range, short, whole
from shoal.local.design import DICE, HARMLESS, NO, YES, Design, times
from shoal.local.transition import TransitionMatrix


def warner(truth: Number = "3/4") -> Design:
    """Warner's design, also called mirrored: the question is asked with this chance, and its
    opposite else.

    >>> print(warner())
    Warner: your true answer is sent 3 times out of 4
    """
    chance = _not_half(open_unit(truth, "truth"), "truth")
    how = f"Toss in secret. Say the true answer {times(chance)}, and the opposite else."
    return Design("Warner", TransitionMatrix.for_truth(chance, answers=(NO, YES)), how, DICE)


def coins() -> Design:
    """Warner's design by one's own two coins: say the opposite if both show heads.  It costs ln
    3.
    """
    matrix = warner("3/4").matrix
    return Design(
        "two coins",
        matrix,
        "Toss two coins in secret. If both show heads, say the opposite of the truth.",
        DICE,
    )


def forced(truth: Number = "2/3", *, yes: Number | None = None) -> Design:
    """Forced response: the truth with this chance, a forced "yes" with ``yes`` (half of the rest if
    left out), else a forced "no".

    >>> design = forced("3/4", yes="1/6")
    >>> design.floor, design.lean
    (Fraction(1, 6), Fraction(3, 4))
    """
    chance = open_unit(truth, "truth")
    says = (1 - chance) / 2 if yes is None else closed_unit(yes, "yes")
    if chance + says > 1:
        raise out_of_range("yes", says, f"at most {short(1 - chance)}, what the truth leaves")
    denies = 1 - chance - says
    how = f"Roll in secret. Say the true answer {times(chance)}, 'yes' whatever is true {times(says)}, and 'no' whatever is true {times(denies)}."
    return Design("forced response", _two(says, says + chance), how, DICE)


def unrelated(truth: Number = "2/3", *, prevalence: Number = "1/2") -> Design:
    """The unrelated question, whose share of "yes" is known: with this chance the sensitive one is
    answered, else the other.

    >>> unrelated("2/3", prevalence="1/4").floor
    Fraction(1, 12)
    """
    chance, known = open_unit(truth, "truth"), closed_unit(prevalence, "prevalence")
    says = (1 - chance) * known
    how = (
        f"Roll in secret. Answer the sensitive question {times(chance)}, and the harmless one else. "
        f"Of the harmless one the answer is 'yes' {times(known)}."
    )
    return Design("unrelated question", _two(says, says + chance), how, HARMLESS)


def kuk(yes: Number = "3/4", no: Number = "1/4", *, draws: int = 1) -> Design:
    """Kuk's design, also called disguised response: a card from one of two decks, red with the
    chance of the true answer.

    With several ``draws`` the reply is how many cards were red; it costs as many times as much.

    >>> kuk("4/5", "1/5", draws=2).matrix.reports
    ('0 red', '1 red', '2 red')
    """
    red = _different(open_unit(yes, "yes"), open_unit(no, "no"))
    count = whole(draws, "draws", at_least=1)
    rows = [
        [math.comb(count, j) * chance**j * (1 - chance) ** (count - j) for j in range(count + 1)]
        for chance in (red[1], red[0])
    ]
    names = ("black", "red") if count == 1 else tuple(f"{j} red" for j in range(count + 1))
    matrix = TransitionMatrix(rows, answers=(NO, YES), reports=names)
    many = "a card" if count == 1 else f"{count} cards, each put back,"
    how = (
        f"Draw {many} from the first deck if your answer is 'yes' ({times(red[0])} red), "
        f"and from the second if it is 'no' ({times(red[1])} red). Tell only what was red."
    )
    return Design("Kuk", matrix, how, DICE)


def crosswise(probability: Number = "1/4") -> Design:
    """The crosswise design: say whether the answers to the sensitive and to a harmless question are
    the same.

    ``probability`` is how often the harmless answer is "yes", for example that one's mother was
    born in three given months.  It is as private as Warner's design towards whoever does not know
    the harmless answer.
    """
    chance = _not_half(open_unit(probability, "probability"), "probability")
    matrix = TransitionMatrix(
        [[chance, 1 - chance], [1 - chance, chance]],
        answers=(NO, YES),
        reports=("different", "same"),
    )
    how = f"Answer both questions in your mind; the harmless one has 'yes' {times(chance)}. Say only whether the two answers are the same."
    return Design("crosswise", matrix, how, HARMLESS)


def triangular(probability: Number = "1/4") -> Design:
    """The triangular design: say whether both answers are "no", or at least one is "yes".
    One-sided: "both no" is a certain no.
    """
    chance = open_unit(probability, "probability")
    matrix = TransitionMatrix(
        [[1 - chance, chance], [0, 1]], answers=(NO, YES), reports=("both no", "at least one yes")
    )
    how = f"Answer both questions in your mind; the harmless one has 'yes' {times(chance)}. Say whether both answers are 'no', or at least one is 'yes'."
    return Design("triangular", matrix, how, HARMLESS)


def mangat(truth: Number = "2/3") -> Design:
    """Mangat's design: who has the trait says "yes"; who has not says "no" with this chance.
    One-sided: "no" is a certain no.
    """
    chance = open_unit(truth, "truth")
    how = f"If the true answer is 'yes', say 'yes'. Else roll in secret and say 'no' {times(chance)}, and 'yes' else."
    return Design("Mangat", _two(1 - chance, Fraction(1)), how, DICE)


def kary(
    answers: Iterable[str], *, truth: Number | None = None, epsilon: Number | None = None
) -> Design:
    """k-ary randomized response: the true answer with one chance, each of the others with another.

    >>> print(kary(["never", "once", "often"], truth="1/2"))
    k-ary response: your true answer is sent 1 time out of 2, and each of the 2 others 1 time out of 4
    """
    names = tuple(answers)
    if (truth is None) == (epsilon is None):
        raise RangeError(
            "exactly one of truth and epsilon must be given.",
            remedy="Give truth, the probability of a true answer, or epsilon, from which it follows.",
        )
    if truth is not None:
        matrix = TransitionMatrix.for_truth(truth, size=len(names), answers=names)
    else:
        assert epsilon is not None
        matrix = TransitionMatrix.for_epsilon(epsilon, size=len(names), answers=names)
    how = f"Roll in secret. Say the true answer {times(matrix.chance(0, 0))}, and each other one {times(matrix.chance(0, 1))}."
    return Design("k-ary response", matrix, how, DICE)


def for_epsilon(epsilon: Number) -> Design:
    """Warner's design at a price: the most truthful one that costs at most epsilon."""
    matrix = TransitionMatrix.for_epsilon(epsilon, answers=(NO, YES))
    how = f"Let the device roll. It sends the true answer {times(matrix.chance(0, 0))}, and the opposite else."
    return Design("Warner", matrix, how)


def _two(floor: Fraction, top: Fraction) -> TransitionMatrix:
    return TransitionMatrix([[1 - floor, floor], [1 - top, top]], answers=(NO, YES))


def _not_half(chance: Fraction, name: str) -> Fraction:
    if chance == Fraction(1, 2):
        raise out_of_range(name, chance, "another chance than 1/2, at which replies tell nothing")
    return chance


def _different(yes: Fraction, no: Fraction) -> tuple[Fraction, Fraction]:
    if yes == no:
        raise out_of_range("yes", yes, "another chance than that of no: else replies tell nothing")
    return yes, no
