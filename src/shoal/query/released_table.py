"""The tables that follow from a release, one for each step, and where their numbers are.

Each stage has the rows that its step makes of those before.  It also knows, for each of its
columns, where the values are without noise, at any confidence: a value made of several released
numbers lies where these are if each of them is within its own interval, and what may fail is
shared among them (Bonferroni).  Sums of independent noise over groups that were not chosen by it
have a tighter bound of their own (`Noised.error_of_sum`).
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from shoal.plan import Call, Expression, Literal, Ref, Statistic, Value, columns_of, evaluate
from shoal.plan.released_steps import (
    PLACES,
    Cut,
    Keep,
    Levels,
    LookUp,
    Regroup,
    Step,
    Summary,
    Window,
)
from shoal.query.computed_columns import computed_interval, is_followed
from shoal.query.estimates import Interval, Noisy, interval
from shoal.query.noise_choice import Noised
from shoal.query.recipes import Recipe
from shoal.query.window_frames import in_parts, sorted_places, summarised, windowed

Row = dict[str, Value]
Bounds = Sequence[Interval | None]
"""Where the values of a column are, row by row; None where nothing is known."""

NOWHERE = Interval(-math.inf, math.inf)
_BOUNDED = (
    Summary.SUM,
    Summary.MEAN,
    Summary.LEAST,
    Summary.GREATEST,
    Summary.FIRST,
    Summary.LAST,
    Summary.NTH,
    Summary.BEFORE,
    Summary.AFTER,
)
"""Summaries that have an interval where their arguments have."""
_COUNTS = (Statistic.COUNT, Statistic.COUNT_ROWS)


class Stage(ABC):
    """A table of released values."""

    rows: list[Row]

    @property
    def chosen(self) -> bool:
        """Whether noise has decided which rows there are."""
        return False

    @property
    def drawn(self) -> bool:
        """Whether some interval was drawn at one confidence, so that it cannot be widened."""
        return False

    @abstractmethod
    def noisy(self, name: str) -> bool | None:
        """Whether a column has noise in it; None if it has, and nothing more is known."""

    @abstractmethod
    def bound(self, name: str, level: Fraction) -> Bounds:
        """Where each value of a noisy column is, each with at least this confidence."""

    def recipe(self, name: str) -> Recipe | None:  # noqa: ARG002 - few stages have some
        """The one total that a column is, where it is one, for each group as it was released."""
        return None

    def sources(self, expression: Expression) -> list[str] | None:
        """The noisy columns of an expression whose interval follows from theirs; None if it has
        none.
        """
        names = list(dict.fromkeys(column.name for column in columns_of(expression)))
        found = {name: self.noisy(name) for name in names}
        if not any(found.values()) and None not in found.values():
            return []
        if None in found.values() or not (isinstance(expression, Ref) or is_followed(expression)):
            return None
        return [name for name, noisy in found.items() if noisy]

    def known(self, expression: Expression) -> bool:
        """Whether no value of an expression depends on noise."""
        return self.sources(expression) == []

    def intervals(self, expression: Expression, level: Fraction) -> list[Interval]:
        """Where an expression is in each row, each with at least this confidence."""
        names = self.sources(expression)
        assert names
        each = 1 - (1 - level) / len(names)
        bounds = {name: self.bound(name, each) for name in names}
        found = []
        for at, row in enumerate(self.rows):
            parts = {name: where for name in names if (where := bounds[name][at]) is not None}
            infinite = any(math.isinf(end) for p in parts.values() for end in (p.lo, p.hi))
            if isinstance(expression, Ref):
                found.append(parts.get(names[0], NOWHERE))
            elif len(parts) < len(names) or infinite:
                found.append(NOWHERE)
            else:
                found.append(computed_interval(expression, row, parts))
        return found


@dataclass
class FirstStage(Stage):
    """The groups as they were released."""

    rows: list[Row]
    keys: frozenset[str]
    recipes: Mapping[str, Recipe]
    totals: Sequence[Noisy]
    noised: Noised

    def noisy(self, name: str) -> bool | None:
        if name in self.keys:
            return False
        recipe = self.recipes[name]
        return True if recipe.place is None or recipe.ends else None

    def bound(self, name: str, level: Fraction) -> Bounds:
        recipe = self.recipes[name]
        errors = self.noised.errors([recipe], level)
        if any(map(math.isinf, errors.values())):  # only sums of groups were measured
            return [None] * len(self.totals)
        return [interval(recipe, noisy, errors) for noisy in self.totals]

    @property
    def drawn(self) -> bool:
        return any(each.place is not None and each.ends for each in self.recipes.values())

    def recipe(self, name: str) -> Recipe | None:
        found = self.recipes.get(name)
        return found if found is not None and len(found.terms) == 1 else None

    def error_of_sum(self, recipe: Recipe, level: Fraction, places: Sequence[int]) -> float:
        groups = [self.rows[at] for at in places]
        return self.noised.error_of_groups(recipe.terms[0], level, groups)


class _Over(Stage):
    """A stage over another."""

    def __init__(self, before: Stage) -> None:
        self.before = before

    @property
    def chosen(self) -> bool:
        return self.before.chosen

    @property
    def drawn(self) -> bool:
        return self.before.drawn

    def noisy(self, name: str) -> bool | None:
        return self.before.noisy(name)


class ChosenStage(_Over):
    """Some rows of a table, in another order or beside public columns.

    Where noise chooses them, a number may be there because its noise is large.  So its interval
    holds for all rows of the table before at once: then it holds for any that are chosen.
    """

    def __init__(
        self,
        before: Stage,
        places: Sequence[int],
        names: Sequence[str] = (),
        more: Sequence[Row] = (),
        *,
        by: Sequence[Expression],
    ) -> None:
        super().__init__(before)
        self.places, self.by = places, by
        self.more = frozenset(names)
        beside = more if names else [{}] * len(places)
        self.rows = [{**before.rows[at], **new} for at, new in zip(places, beside, strict=True)]

    @cached_property
    def by_noise(self) -> bool:
        """Whether something with noise in it has chosen the rows."""
        return not all(map(self.before.known, self.by))

    @property
    def chosen(self) -> bool:
        return self.by_noise or self.before.chosen

    def noisy(self, name: str) -> bool | None:
        if name in self.more:
            return None if self.by_noise else False
        found = self.before.noisy(name)
        return None if found and self.by_noise and self.drawn else found

    def bound(self, name: str, level: Fraction) -> Bounds:
        rows = max(1, len(self.before.rows)) if self.by_noise else 1
        found = self.before.bound(name, 1 - (1 - level) / rows)
        return [found[at] for at in self.places]


class WindowStage(_Over):
    """A table with one more column, by a window."""

    def __init__(self, before: Stage, window: Window) -> None:
        super().__init__(before)
        self.window = window
        values, self.seen = windowed(before.rows, window)
        self.rows = [
            {**row, window.name: value} for row, value in zip(before.rows, values, strict=True)
        ]

    @cached_property
    def _fixed(self) -> bool:
        """Whether no noise decides which rows a row sees."""
        order = [each.expression for each in self.window.order]
        known = all(map(self.before.known, [*self.window.parts, *order]))
        return known and not self.before.chosen

    def noisy(self, name: str) -> bool | None:
        if name != self.window.name:
            return self.before.noisy(name)
        window, before = self.window, self.before
        if window.argument is None or window.summary in PLACES:
            return False if self._fixed else None
        if window.otherwise is not None and not before.known(window.otherwise):
            return None
        if before.known(window.argument):
            return False if self._fixed else None
        bounded = window.summary in _BOUNDED and window.argument.type.numeric
        return True if bounded and before.sources(window.argument) else None

    def bound(self, name: str, level: Fraction) -> Bounds:
        if name != self.window.name:
            return self.before.bound(name, level)
        assert self.window.argument is not None
        found = bounds_of(
            self.before,
            (self.window.summary, self.window.argument),
            self.seen,
            level,
            fixed=self._fixed,
        )
        values = (row[name] for row in self.rows)
        return [
            _own(value) if not seen else where
            for where, seen, value in zip(found, self.seen, values, strict=True)
        ]


def _own(value: Value) -> Interval | None:
    """What stands where LAG and LEAD find no row, as its own interval."""
    return Interval(float(value), float(value)) if isinstance(value, int | float) else None


class RegroupStage(_Over):
    """Groups of released groups."""

    def __init__(self, before: Stage, step: Regroup) -> None:
        super().__init__(before)
        self.step = step
        made = [made for _, made in step.keys]
        self.members = in_parts(before.rows, made) if made else [[*range(len(before.rows))]]
        self.rows = []
        for places in self.members:
            row = {name: evaluate(e, before.rows[places[0]]) for name, e in step.keys}
            for each in step.summed:
                values = [
                    None if each.argument is None else evaluate(each.argument, before.rows[at])
                    for at in places
                ]
                kind = each.column.type if each.argument is None else each.argument.type
                row[each.name] = summarised(each.summary, values, kind)
            self.rows.append(row)

    @cached_property
    def _fixed(self) -> bool:
        known = all(self.before.known(made) for _, made in self.step.keys)
        return known and not self.before.chosen

    @property
    def chosen(self) -> bool:
        return bool(self.step.keys) and not self._fixed

    def noisy(self, name: str) -> bool | None:
        for key, made in self.step.keys:
            if key == name:
                return False if self.before.known(made) else None
        found = next(each for each in self.step.summed if each.name == name)
        if found.argument is None or self.before.known(found.argument):
            return False if self._fixed else None
        _, argument = self._filtered(found.argument)
        bounded = found.summary in _BOUNDED and argument.type.numeric
        return True if bounded and self.before.sources(argument) else None

    def bound(self, name: str, level: Fraction) -> Bounds:
        found = next(each for each in self.step.summed if each.name == name)
        assert found.argument is not None
        condition, argument = self._filtered(found.argument)
        seen: Sequence[Sequence[int]] = self.members
        if condition is not None:
            rows = self.before.rows
            seen = [
                [at for at in places if evaluate(condition, rows[at]) is True] for places in seen
            ]
        asked = found.summary, argument
        return bounds_of(self.before, asked, seen, level, fixed=self._fixed)

    def _filtered(self, argument: Expression) -> tuple[Expression | None, Expression]:
        """What is summed where a condition without noise holds, as FILTER writes it; the condition
        is None where there is none.
        """
        match argument:
            case Call("case", (condition, value, Literal(None))) if self.before.known(condition):
                return condition, value
        return None, argument


class LevelsStage(Stage):
    """Tables of the same rows, one below the other."""

    def __init__(self, before: Stage, step: Levels) -> None:
        self.names = [column.name for column in step.columns]
        self.parts = [(staged(before, each.steps), each.shown) for each in step.branches]
        self.rows = [
            {name: evaluate(made, row) for name, made in zip(self.names, shown, strict=True)}
            for stage, shown in self.parts
            for row in stage.rows
        ]

    @property
    def chosen(self) -> bool:
        return any(stage.chosen for stage, _ in self.parts)

    @property
    def drawn(self) -> bool:
        return any(stage.drawn for stage, _ in self.parts)

    def _shown(self, name: str) -> list[tuple[Stage, Expression]]:
        at = self.names.index(name)
        return [(stage, shown[at]) for stage, shown in self.parts]

    def noisy(self, name: str) -> bool | None:
        found = [stage.sources(made) for stage, made in self._shown(name)]
        return None if None in found else any(map(bool, found))

    def bound(self, name: str, level: Fraction) -> Bounds:
        found: list[Interval | None] = []
        for stage, made in self._shown(name):
            if stage.sources(made):
                found += stage.intervals(made, level)
            else:
                found += [_own(evaluate(made, row)) for row in stage.rows]
        return found


def bounds_of(
    before: Stage,
    asked: tuple[Summary, Expression],
    seen: Sequence[Sequence[int]],
    level: Fraction,
    *,
    fixed: bool,
) -> list[Interval | None]:
    """Where a summary of an expression over some rows is, for each list of them.

    ``fixed`` says that these lists do not depend on noise; otherwise they may be any, so every row
    of the table must be within its interval.
    """
    summary, argument = asked
    most = max(map(len, seen), default=1) if fixed else len(before.rows)
    each = before.intervals(argument, 1 - (1 - level) / max(1, most))
    tight = before.recipe(argument.column.name) if isinstance(argument, Ref) and fixed else None
    found: list[Interval | None] = []
    for places in seen:
        parts = [each[at] for at in places if evaluate(argument, before.rows[at]) is not None]
        where = _summed(summary, parts)
        if tight is not None and where is not None and isinstance(before, FirstStage):
            where = _tighter(summary, where, before, (tight, places, level))
        found.append(where)
    return found


def _summed(summary: Summary, parts: Sequence[Interval]) -> Interval | None:
    if not parts:
        return None
    if len(parts) == 1:
        return parts[0]
    los, his = [part.lo for part in parts], [part.hi for part in parts]
    match summary:
        case Summary.LEAST:
            return Interval(min(los), min(his))
        case Summary.GREATEST:
            return Interval(max(los), max(his))
        case Summary.SUM | Summary.MEAN:
            lo = math.nextafter(math.fsum(los), -math.inf)
            hi = math.nextafter(math.fsum(his), math.inf)
            size = len(parts) if summary is Summary.MEAN else 1
            if size == 1:
                return Interval(lo, hi)
            down, up = math.nextafter(lo / size, -math.inf), math.nextafter(hi / size, math.inf)
            return Interval(down, up)
    return Interval(min(los), max(his))


def _tighter(
    summary: Summary,
    where: Interval,
    before: FirstStage,
    asked: tuple[Recipe, Sequence[int], Fraction],
) -> Interval:
    """The interval of a sum by the law of summed noise, where that is narrower."""
    recipe, places, level = asked
    if summary not in (Summary.SUM, Summary.MEAN) or len(places) < 2:
        return where
    total = sum((before.totals[at][recipe.terms[0]] for at in places), Fraction(0))
    error = before.error_of_sum(recipe, level, places)
    if math.isinf(error):
        return where
    off = Fraction(error)
    size = len(places) if summary is Summary.MEAN else 1
    lo, hi = ((total + side * off) / size for side in (-1, 1))
    if recipe.aggregate.statistic in _COUNTS:
        lo, hi = max(Fraction(0), lo), max(Fraction(0), hi)
    narrow = Interval(
        math.nextafter(float(lo), -math.inf) if lo else 0.0, math.nextafter(float(hi), math.inf)
    )
    return narrow if narrow.hi - narrow.lo < where.hi - where.lo else where


def staged(first: Stage, steps: Sequence[Step]) -> Stage:
    """The table that steps make of the first one."""
    stage = first
    for step in steps:
        stage = _next(stage, step)
    return stage


def _next(stage: Stage, step: Step) -> Stage:
    match step:
        case Window():
            return WindowStage(stage, step)
        case Regroup():
            return RegroupStage(stage, step)
        case LookUp():
            return _looked_up(stage, step)
        case Levels():
            return LevelsStage(stage, step)
        case Keep(condition):
            places = [at for at, row in enumerate(stage.rows) if evaluate(condition, row) is True]
            by = [condition]
        case Cut(order, limit, offset):
            places = sorted_places(stage.rows, range(len(stage.rows)), order)
            places = places[offset : None if limit is None else offset + limit]
            cut = len(places) < len(stage.rows)
            by = [each.expression for each in order] if cut else []
    return ChosenStage(stage, places, by=by)


def _looked_up(stage: Stage, step: LookUp) -> Stage:
    assert step.rows is not None
    on = [step.sources.index(name) for _, name in step.on]
    held: dict[tuple[Value, ...], list[Row]] = {}
    names = [column.name for column in step.columns]
    for values in step.rows:
        row = dict(zip(names, values, strict=True))
        held.setdefault(tuple(values[at] for at in on), []).append(row)
    places, more = list[int](), list[Row]()
    for at, row in enumerate(stage.rows):
        key = tuple(evaluate(made, row) for made, _ in step.on)
        agree = [] if None in key else held.get(key, [])
        if not agree and step.outer:
            agree = [dict.fromkeys(names)]
        places += [at] * len(agree)
        more += agree
    return ChosenStage(stage, places, names, more, by=[made for made, _ in step.on])
