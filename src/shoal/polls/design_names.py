"""Survey designs by name, as files and the command line say them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from shoal.errors import PollError
from shoal.local import Design, TransitionMatrix, survey_designs

_NUMBERS: Mapping[str, tuple[Callable[..., Design], tuple[str, ...]]] = {
    "warner": (survey_designs.warner, ("truth",)),
    "coins": (survey_designs.coins, ()),
    "forced": (survey_designs.forced, ("truth", "yes")),
    "unrelated": (survey_designs.unrelated, ("truth", "prevalence")),
    "kuk": (survey_designs.kuk, ("yes", "no", "draws")),
    "crosswise": (survey_designs.crosswise, ("probability",)),
    "triangular": (survey_designs.triangular, ("probability",)),
    "mangat": (survey_designs.mangat, ("truth",)),
}
NAMES = (*_NUMBERS, "kary", "matrix")


def design_named(name: str, parameters: Mapping[str, Any], answers: tuple[str, ...]) -> Design:
    """A design with its parameters; "kary" is made for the answers, "matrix" has ``chances`` and
    ``reports``.

    >>> design_named("crosswise", {"probability": "1/6"}, ("no", "yes")).floor
    Fraction(5, 6)
    """
    if name not in NAMES:
        raise PollError(
            f"there is no design {str(name)[:40]!r}.", remedy=f"Choose one of {', '.join(NAMES)}."
        )
    known = _NUMBERS[name][1] if name in _NUMBERS else _OTHERS[name]
    strange = sorted(set(parameters) - set(known))
    if strange:
        raise PollError(
            f"the design {name!r} has no parameter {strange[0][:40]!r}.",
            remedy=f"Its parameters are: {', '.join(known) or 'none'}.",
        )
    try:
        if name == "kary":
            return survey_designs.kary(answers, **parameters)
        if name == "matrix":
            return _matrix(answers, **parameters)
        return _NUMBERS[name][0](**parameters)
    except TypeError:
        raise PollError(
            f"the parameters of the design {name!r} cannot be read.",
            remedy=f"Give {', '.join(known)} as numbers, such as '1/4'.",
        ) from None


def _matrix(answers: tuple[str, ...], *, chances: Any, reports: Any = None) -> Design:
    made = TransitionMatrix(chances, answers=answers, reports=reports)
    return Design("odds", made, "Follow the instructions of the researcher.")


_OTHERS: Mapping[str, tuple[str, ...]] = {
    "kary": ("truth", "epsilon"),
    "matrix": ("chances", "reports"),
}
