"""A promise in plain words; numbers stand in three digits, rounded to the side that promises
less.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction

from shoal.errors import ConversionError
from shoal.exact import (
    Number,
    ball,
    closed_unit,
    float_down,
    float_up,
    open_unit,
    rational,
    short,
    upper,
)
from shoal.interpret.bayes import guess_up, posterior_interval
from shoal.interpret.profiles import Promise, profile
from shoal.interpret.testing import advantage_up, power_up
from shoal.measures.approx import Approx
from shoal.measures.measure import Measure

DELTA = Fraction(1, 10**6)
"""Where an explanation draws the line when a promise has no delta of its own; it says so."""

FALSE_ALARMS = Fraction(1, 20)


@dataclass(frozen=True, slots=True)
class Explanation:
    """Short sentences about a promise, and the figures in them.

    ``print`` shows the sentences; `to_dict` gives them with the figures as floats, each rounded to
    the side that promises less.
    """

    subject: str
    sentences: tuple[str, ...]
    figures: tuple[tuple[str, float], ...]

    def __str__(self) -> str:
        return "\n".join(self.sentences)

    def to_dict(self) -> dict[str, object]:
        """The wire shape of an explanation."""
        return {
            "subject": self.subject,
            "sentences": list(self.sentences),
            "figures": dict(self.figures),
        }


def explain(promise: Promise, *, delta: Number | None = None, prior: Number = "1/2") -> Explanation:
    """What a promise means, in a few sentences with figures.

    Guarantee: every figure is implied by the promise and rounded to the side that promises less.
    Needs: 0 < prior < 1; delta, if given, in [0, 1].  It is the probability of failure at which a
        promise without an epsilon of its own is read, 1e-6 if none is given.
    Edges: an approximate promise speaks at its own delta, and of beliefs at ten times that.
    Reference: `trade_off`, `posterior_interval`, `guess_up`, `advantage_up`.

    >>> from shoal.measures import Pure
    >>> print(explain(Pure("1/10")))
    Promise: epsilon 0.1. Whatever is released is at most 1.11 times as likely with a person's data as without.
    A tester who raises a false alarm 5 % of the time recognises the person at most 5.53 % of the time; without the release, 5 %.
    A suspicion of 50 % rises to at most 52.5 % and falls to no less than 47.5 %, whatever is released.
    The best guess in a bet at that suspicion is right at most 52.5 % of the time; without the release, 50 %.
    In an even bet the release is no better than a tip that is right 5 % of the time and a coin toss otherwise.
    """
    belief = open_unit(prior, "prior")
    at = None if delta is None else closed_unit(delta, "delta")
    epsilon, failing = _at_delta(promise, at)
    sentences = [_promise(promise, epsilon, failing)]
    figures = [("epsilon", _float_up(epsilon)), ("delta", _float_up(failing))]
    for words, numbers in (
        _tester(promise),
        _belief(promise, belief, failing if at is None else max(at, failing)),
        _guess(promise, belief),
        _comparison(promise),
    ):
        sentences.append(words)
        figures.extend(numbers.items())
    return Explanation(_name(promise), tuple(sentences), tuple(figures))


def explain_belief(
    promise: Promise, *, delta: Number | None = None, prior: Number = "1/2"
) -> Explanation:
    """How far a suspicion can move: the sentence of `explain` on that, and its figures, alone.

    Guarantee, Needs, Edges: as for `explain`.

    >>> from shoal.measures import Pure
    >>> print(explain_belief(Pure("1/10")))
    A suspicion of 50 % rises to at most 52.5 % and falls to no less than 47.5 %, whatever is released.
    """
    belief = open_unit(prior, "prior")
    at = None if delta is None else closed_unit(delta, "delta")
    _, failing = _at_delta(promise, at)
    words, numbers = _belief(promise, belief, failing if at is None else max(at, failing))
    return Explanation(_name(promise), (words,), tuple(numbers.items()))


def risk_of(promise: Promise) -> str:
    """How far a belief about one person can move, in one sentence."""
    try:
        moved = explain_belief(promise)
        is_bounded = "posterior_high" in dict(moved.figures)
        found = moved.sentences[0] if is_bounded else explain(promise).sentences[-1]
    except ConversionError:
        return "nothing is promised."
    return found[0].lower() + found[1:]


_Part = tuple[str, dict[str, float]]


def _at_delta(promise: Promise, delta: Fraction | None) -> tuple[Fraction, Fraction]:
    """The (epsilon, delta) to speak of: its own, or that at the delta asked for."""
    if isinstance(promise, Approx) and (delta is None or delta < promise.delta):
        return promise.epsilon, promise.delta
    whole = profile(promise)
    if delta is None:
        try:
            return whole.epsilon_up(0), Fraction(0)
        except ConversionError:
            return whole.epsilon_up(DELTA), DELTA
    return whole.epsilon_up(delta), delta


def _name(promise: Promise) -> str:
    if isinstance(promise, Measure):
        return str(promise)
    return "a privacy profile"


def _promise(promise: Promise, epsilon: Fraction, delta: Fraction) -> str:
    start = f"Promise: {_name(promise)}."
    if delta == 1:
        return f"{start} With delta 1 nothing is promised at all."
    most = f"at most {factor_up(epsilon)} times" if epsilon else "exactly"
    times = f"{most} as likely with a person's data as without"
    if delta == 0:
        return f"{start} Whatever is released is {times}."
    own = isinstance(promise, Approx) and delta == promise.delta
    line = "" if own else f" at delta {short(delta)}, epsilon {digits_up(epsilon)}:"
    soft = (
        "any set of releases is " + times + f", plus delta, {one_in(delta)}: "
        "with that probability everything may be told."
        if isinstance(promise, Approx)
        else f"any set of releases is {times}, plus {one_in(delta)}. Larger losses stay possible, and rarer."
    )
    return f"{start} {_capital(f'{line} {soft}'.strip())}"


def _tester(promise: Promise) -> _Part:
    power = power_up(promise, type_one=FALSE_ALARMS)
    words = (
        f"A tester who raises a false alarm {percent_up(FALSE_ALARMS)} of the time recognises the "
        f"person at most {percent_up(power)} of the time; without the release, "
        f"{percent_up(FALSE_ALARMS)}."
    )
    return words, {"false_alarms": float(FALSE_ALARMS), "power": float_up(power)}


def _belief(promise: Promise, prior: Fraction, failing: Fraction) -> _Part:
    allowed = failing
    if isinstance(promise, Approx):
        allowed = min(Fraction(1), max(failing, 10 * promise.delta))
    if allowed > Fraction(1, 2):
        return (
            f"How far a suspicion of {short(100 * prior)} % moves is not bounded for most releases.",
            {"prior": float(prior)},
        )
    low, high = posterior_interval(promise, prior, except_with=allowed)
    when = "whatever is released" if allowed == 0 else f"but for {one_in(allowed)} releases"
    words = (
        f"A suspicion of {short(100 * prior)} % rises to at most {percent_up(high)} and falls to no "
        f"less than {percent_down(low)}, {when}."
    )
    return words, {
        "prior": float(prior),
        "posterior_low": float_down(low),
        "posterior_high": float_up(high),
        "failing": _float_up(allowed),
    }


def _guess(promise: Promise, prior: Fraction) -> _Part:
    right, before = guess_up(promise, prior), max(prior, 1 - prior)
    words = (
        f"The best guess in a bet at that suspicion is right at most {percent_up(right)} of the "
        f"time; without the release, {percent_down(before)}."
    )
    return words, {"right_guesses": float_up(right), "right_guesses_before": float_down(before)}


def _comparison(promise: Promise) -> _Part:
    advantage = advantage_up(promise)
    words = (
        "In an even bet the release is no better than a tip that is right "
        f"{percent_up(advantage)} of the time and a coin toss otherwise."
    )
    return words, {"advantage": float_up(advantage)}


def _float_up(number: Fraction) -> float:
    """The float that is written like the number, where there is one, else the next above."""
    nearest = float(min(number, Fraction(10**300)))
    return nearest if rational(nearest, "figure") == number else float_up(number)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


_LARGEST_EXPONENT = 1000


def digits_up(number: Fraction) -> str:
    """Three digits, rounded up.

    >>> digits_up(Fraction(2, 3)), digits_up(Fraction(12345)), digits_up(Fraction(1, 10**7))
    ('0.667', '12400', '1e-7')
    """
    return _digits(number, ROUND_CEILING)


def digits_down(number: Fraction) -> str:
    """Three digits, rounded down.

    >>> digits_down(Fraction(2, 3)), digits_down(Fraction(12345))
    ('0.666', '12300')
    """
    return _digits(number, ROUND_FLOOR)


def percent_up(probability: Fraction) -> str:
    """A probability in percent, rounded up.

    >>> percent_up(Fraction(2, 3)), percent_up(Fraction(99999, 100000))
    ('66.7 %', '100 %')
    """
    return f"{digits_up(100 * probability)} %"


def percent_down(probability: Fraction) -> str:
    """A probability in percent, rounded down."""
    return f"{digits_down(100 * probability)} %"


def one_in(probability: Fraction) -> str:
    """A small probability as "1 in so many", so many rounded down.

    >>> one_in(Fraction(1, 10**6)), one_in(Fraction(3, 10**9))
    ('1 in 1,000,000', '1 in 333,000,000')
    """
    many = Fraction(digits_down(1 / probability))
    return f"1 in {int(many):,}" if 2 <= many < 10**12 else f"probability {digits_up(probability)}"


def factor_up(epsilon: Fraction) -> str:
    """e^epsilon, rounded up.

    >>> factor_up(Fraction(1)), factor_up(Fraction(5000))
    ('2.72', 'e^5000')
    """
    if epsilon == 0:
        return "1"
    if epsilon > _LARGEST_EXPONENT:
        return f"e^{short(epsilon)}"
    return digits_up(upper(lambda: ball(epsilon).exp()))


def _digits(number: Fraction, rounding: str) -> str:
    context = Context(prec=3, rounding=rounding, Emin=MIN_EMIN, Emax=MAX_EMAX, traps=[])
    found = context.divide(Decimal(number.numerator), Decimal(number.denominator))
    return short(Fraction(found))
