"""What all models share: public facts in, a plan and its price before rows are read, and what is
kept of a fit.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from shoal.errors import DataError, FactsError, RangeError, ShapeError
from shoal.exact import Number, open_unit, positive, whole
from shoal.learning.feature_columns import (
    FeatureColumn,
    column_array,
    frame_columns,
    plan_column,
    plan_values,
    stated_column,
)
from shoal.learning.learning_curve import CurvePoint, learning_curve
from shoal.learning.model_card import model_card
from shoal.learning.model_files import write_model
from shoal.learning.model_state import packed, unpacked
from shoal.learning.persons import owner_numbers, person_keys, rows_within
from shoal.learning.pure_sums_plan import PureSumsPlan
from shoal.learning.row_designs import Arrays
from shoal.learning.training_plan import NoisySums, PlannedSum, ReleasePlan, TrainingPlan
from shoal.measures import Approx, Measure, Pure, ZeroConcentrated
from shoal.page import Page
from shoal.plan import Choices, Column
from shoal.sensitivity import Relation

TARGET = " target"
"""The name of the target among the arrays of a fit; a column of this name is refused."""

OWNERS = " owners"
"""The name of the number of each row's person, where persons are protected."""

PART = " held out"
"""The name of the mark of rows that a search holds out."""

_RESERVED = frozenset({TARGET, OWNERS, PART})


@dataclass(kw_only=True, eq=False, repr=False)
class PrivateEstimator(BaseEstimator, ABC):  # type: ignore[misc]
    """A model that reads private rows through planned releases, and through nothing else: noisy
    sums, or of one model a minimiser.

    ``columns`` states each feature: `shoal.Range`, `shoal.Choices`, or one fact for all.  The price
    is ``epsilon`` with ``delta``, or ``rho``, or ``epsilon`` alone where `takes_pure_budgets` says
    so; ``people.learn(model, ...)`` takes both from the table and its budget instead.  ``nullable`` names the columns whose missing values get an
    indicator; elsewhere a missing number is read as the middle of its range.
    """

    takes_pure_budgets = False
    """Whether a training can be paid from a budget without a delta."""

    _target_needed = True
    _read_through = "Sums over rows with {noise} noise, and nothing else."
    # Settings are fields.  scikit-learn reads them from the constructor, which `dataclass` writes.
    epsilon: Number | None = None
    delta: Number | None = None
    rho: Number | None = None
    columns: Any = None
    nullable: Sequence[str] = ()
    rows_per_person: int = 1

    @abstractmethod
    def _sums(self, columns: tuple[FeatureColumn, ...]) -> Sequence[PlannedSum]:
        """Everything that will be released, in order; made of public facts alone."""

    @abstractmethod
    def _train(self, columns: tuple[FeatureColumn, ...], arrays: Arrays, sums: NoisySums) -> None:
        """Make the model; rows may be used for the planned sums only."""

    def _price(self) -> Measure:
        """What a fit costs, as the caller stated it."""
        if self.takes_pure_budgets and self.delta is None and self.rho is None:
            return Pure(positive(_stated_epsilon(self.epsilon), "epsilon"))
        return stated_measure(self.epsilon, self.delta, self.rho)

    def _planned(
        self,
        columns: tuple[FeatureColumn, ...],
        measure: Measure,
        *,
        reach: int,
        relation: Relation,
    ) -> ReleasePlan:
        """The plan of all releases, with their noise."""
        kind = PureSumsPlan if isinstance(measure, Pure) else TrainingPlan
        return kind.of(self._sums(columns), measure, reach=reach, relation=relation)

    def __sklearn_tags__(self) -> Any:
        """What scikit-learn is told: missing values and sparse rows are taken, fits are random."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        tags.non_deterministic = True
        tags.target_tags.required = self._target_needed
        return tags

    def _target(self) -> FeatureColumn | None:
        """The target as the caller stated it."""
        return None

    def fit(self, X: Any, y: Any = None, *, persons: Any = None) -> Self:  # noqa: N803 - scikit-learn's name
        """Train on a frame or an array.

        Each row is protected by itself; with ``persons``, which names the person of each row, every
        person is, and counts with ``rows_per_person`` rows at most, chosen at random.

        Guarantee: the model costs what was stated, by the events in ``event_``.  Nothing is
            remembered of earlier fits: ``people.learn`` charges a budget.
        Needs: the types of a frame's columns, and of an array, do not depend on single rows.  In
            lists every value is read by itself.
        """
        self._forget()
        measure = self._price()
        arrays = frame_columns(X)
        columns = self._stated(tuple(arrays), named=hasattr(X, "columns"))
        held = dict(arrays)
        if self._target_needed:
            held[TARGET] = column_array(target_needed(y))
        lengths = {len(each) for each in held.values()}
        if len(lengths) > 1:
            raise ShapeError(
                "X and y have different numbers of rows.", remedy="Give one target for each row."
            )
        owners = None if persons is None else person_keys(persons)
        if owners is not None and {len(owners)} != lengths:
            raise ShapeError(
                "X and persons have different numbers of rows.",
                remedy="Name one person for each row.",
            )
        target = self._target()
        reach = self.rows_per_person if owners is not None else 1
        training = PlannedTraining.of(
            self, columns, target, measure, reach=reach, relation=Relation.ADD_REMOVE
        )
        if owners is not None:
            chosen = rows_within(owners, training.plan.reach)
            held[OWNERS] = owner_numbers(owners)
            held = {name: values[chosen] for name, values in held.items()}
        training.fitted(held)
        return self

    def _forget(self) -> None:
        """Drop all that an earlier fit left: its certificate would vouch for the new one."""
        for name in [each for each in vars(self) if _is_learned(each)]:
            delattr(self, name)

    def _stated(self, names: Sequence[str], *, named: bool) -> tuple[FeatureColumn, ...]:
        facts = self.columns
        nullable = set(self.nullable)
        self.n_features_in_ = len(names)
        if named:
            self.feature_names_in_ = np.array(names, dtype=object)
        if isinstance(facts, Mapping):
            said = {str(name): fact for name, fact in facts.items()}
            return tuple(
                stated_column(each, said.get(each), nullable=each in nullable) for each in names
            )
        return tuple(stated_column(each, facts, nullable=each in nullable) for each in names)

    def learning(
        self,
        features: Sequence[Column],
        target: Column | None,
        measure: Measure,
        reach: int,
        relation: Relation,
    ) -> PlannedTraining:
        """The training that ``people.learn`` charges for; a copy of this model is trained."""
        from sklearn.base import clone  # noqa: PLC0415 - only here

        model = cast("PrivateEstimator", clone(self))
        columns = tuple(plan_column(each) for each in features)
        model.n_features_in_ = len(columns)
        model.feature_names_in_ = np.array([each.name for each in columns], dtype=object)
        if (target is None) == self._target_needed:
            raise FactsError(
                "the target is missing." if self._target_needed else "this model has no target.",
                remedy="Write people.learn(model, target='income', features=[...], epsilon=1)."
                if self._target_needed
                else "Leave target out.",
            )
        found = None if target is None else plan_column(target)
        return PlannedTraining.of(model, columns, found, measure, reach=reach, relation=relation)

    def settings(self) -> dict[str, str]:
        """The parameters that decide what is released, beside columns and price."""
        return {
            name: repr(value)
            for name, value in sorted(self.get_params().items())
            if name not in ("columns", "nullable", "epsilon", "delta", "rho")
        }

    def _columns(self) -> tuple[FeatureColumn, ...]:
        check_is_fitted(self, "columns_")
        return cast("tuple[FeatureColumn, ...]", self.columns_)

    def _arrays(self, rows: Any) -> dict[str, NDArray[Any]]:
        """Rows to predict for, by the names that the model was trained with."""
        columns = self._columns()
        found = frame_columns(rows)
        if not hasattr(rows, "columns") and not hasattr(rows, "column_names"):
            if len(found) != len(columns):
                raise ShapeError(
                    f"X has {len(found)} features, but {type(self).__name__} is expecting "
                    f"{len(columns)} features as input.",
                    remedy="Give the columns that the model was trained with.",
                )
            names = (each.name for each in columns)
            return dict(zip(names, found.values(), strict=True))
        return found

    @property
    def cost(self) -> Measure:
        """What the fit costs, as it was stated."""
        check_is_fitted(self, "columns_")
        return cast("Measure", self.cost_)

    def report(self) -> Page:
        """The model's card: what it predicts, from which declared columns, and at which price.

        ``report().markdown()`` and ``report().html()`` are texts.  All of it is public or released.
        """
        columns = self._columns()
        told = self._certificate() or {}
        intervals = hasattr(self, "coefficients") and hasattr(self, "covariance_")
        return model_card(
            type(self).__name__,
            columns=columns,
            target=self.target_,
            cost=str(self.cost_),
            read_through=self._read_through.format(
                noise="discrete Laplace" if isinstance(self.cost_, Pure) else "Gaussian"
            ),
            releases=getattr(self, "releases_", ()),
            protects=str(
                told.get("protects", "as whoever trained it with fit() says; no account was kept")
            ),
            coefficients=self.coefficients() if intervals else (),
        )

    def plan(
        self,
        rows: int,
        *,
        epsilons: Sequence[Number] = ("0.1", "0.5", 1, 3),
        delta: Number = "1e-6",
    ) -> list[CurvePoint]:
        """How good this model would be with so many rows, tried on made-up ones of its ``columns``.

        It costs nothing.  Real rows can be harder or easier: read it as a comparison of epsilons.
        """
        whole(rows, "rows", at_least=1)
        if not isinstance(self.columns, Mapping):
            raise FactsError(
                "a plan needs the columns by name.",
                remedy="Write LogisticRegression(columns={'age': shoal.Range(0, 100)}).plan(10000).",
            )
        stated = [stated_column(str(name), fact) for name, fact in self.columns.items()]
        return learning_curve(self, stated, rows=rows, epsilons=epsilons, delta=delta)

    def save(self, folder: str | Path) -> None:
        """Write what was learned into a new folder: ``model.json`` and one ``.npy`` per array.

        The certificate and the events are in it, and no row.  `shoal.learning.load` reads it again
        without executing anything.
        """
        write_model(Path(folder), type(self).__name__, self._state(), self._certificate())

    def _certificate(self) -> dict[str, Any] | None:
        self._columns()
        return getattr(self, "certificate_", None)

    def _state(self) -> dict[str, Any]:
        """What was learned, as JSON: every attribute that ends in one underscore."""
        return {
            name: packed(value)
            for name, value in sorted(vars(self).items())
            if _is_learned(name) and name != "certificate_"
        }

    def restore(self, state: Mapping[str, Any], certificate: Mapping[str, Any] | None) -> None:
        """Become the model that was stored."""
        for name, value in state.items():
            if not _is_learned(name):
                raise DataError("this is not a stored model.", remedy="Load what save() wrote.")
            setattr(self, name, unpacked(value))
        if certificate is not None:
            self.certificate_ = dict(certificate)


@dataclass(frozen=True)
class PlannedTraining:
    """A model, its public columns, and the plan of everything that it will be told."""

    model: PrivateEstimator
    columns: tuple[FeatureColumn, ...]
    target: FeatureColumn | None
    plan: ReleasePlan
    measure: Measure

    @classmethod
    def of(
        cls,
        model: PrivateEstimator,
        columns: tuple[FeatureColumn, ...],
        target: FeatureColumn | None,
        measure: Measure,
        *,
        reach: int,
        relation: Relation,
    ) -> PlannedTraining:
        if not columns:
            raise FactsError(
                "0 feature(s): there is no column to learn from, while a minimum of 1 is required.",
                remedy="Name at least one feature.",
            )
        _check_names((*columns, *([] if target is None else [target])))
        model.columns_, model.target_ = columns, target
        try:
            plan = model._planned(columns, measure, reach=reach, relation=relation)  # noqa: SLF001 - the model's own part
        except BaseException:
            model._forget()  # noqa: SLF001 - with its columns it would count as trained
            raise
        return cls(model, columns, target, plan, measure)

    def identity(self) -> dict[str, Any]:
        """What decides the draws, beside the rows: the model, its settings and its columns."""
        return {
            "model": type(self.model).__name__,
            "settings": self.model.settings(),
            "columns": [each.to_dict() for each in self.columns],
            "target": None if self.target is None else self.target.to_dict(),
        }

    @property
    def event(self) -> Any:
        return self.plan.event

    @property
    def samples_units(self) -> bool:
        return self.plan.samples_units

    @property
    def noise(self) -> str:
        return self.plan.noise_law

    def terms(self) -> list[dict[str, str]]:
        return self.plan.terms()

    def read(
        self,
        rows: Sequence[tuple[Any, ...]],
        features: Sequence[Column],
        target: Column | None,
        owners: NDArray[Any] | None,
    ) -> Arrays:
        """Rows of an engine as arrays, the features in order, then the target; of each owner as many
        as count.
        """
        found: dict[str, NDArray[Any]] = {}
        if owners is not None:
            chosen = rows_within(owners, self.plan.reach)
            rows = [rows[at] for at in chosen.tolist()]
            found[OWNERS] = owner_numbers(owners)[chosen]
        wanted = [*features, *([] if target is None else [target])]
        names = [*(each.name for each in features), *([] if target is None else [TARGET])]
        lines = list(zip(*rows, strict=True)) if rows else [()] * len(wanted)
        for name, line, column in zip(names, lines, wanted, strict=False):
            found[name] = plan_values(line, column)
        return found

    def fitted(self, arrays: Arrays) -> PrivateEstimator:
        """Draw every planned sum once and make the model.

        Guarantee: numpy gives no warning and no error about a number, whatever its settings are:
            one of them would tell that somebody has such a row.
        """
        model = self.model
        with np.errstate(all="ignore"):
            model._train(self.columns, arrays, self.plan.begin())  # noqa: SLF001 - the model's own part
        model.event_, model.cost_ = self.plan.event, self.measure
        model.releases_ = self.plan.releases
        return model

    def stored(self) -> dict[str, Any]:
        """The model as a ledger keeps it."""
        return self.model._state()  # noqa: SLF001 - the model's own part

    def restored(
        self, state: Mapping[str, Any], certificate: Mapping[str, Any]
    ) -> PrivateEstimator:
        """The model that was stored, without a row."""
        self.model.restore(state, certificate)
        return self.model

    def certified(self, certificate: Mapping[str, Any]) -> PrivateEstimator:
        self.model.certificate_ = dict(certificate)
        return self.model


def _is_learned(name: str) -> bool:
    """Whether an attribute is what a fit leaves, by scikit-learn's rule for names."""
    return name.endswith("_") and not name.startswith("_")


def _check_names(columns: Sequence[FeatureColumn]) -> None:
    """Refuse names under which a training keeps what is no column: one would be read as the other."""
    taken = [each.name for each in columns if each.name in _RESERVED]
    if taken:
        raise FactsError(
            f"a column is called {taken[0]!r}, with a space before it; this name is reserved.",
            remedy=f"Rename the column, such as to {taken[0].strip()!r}.",
        )


def stated_measure(
    epsilon: Number | None, delta: Number | None, rho: Number | None
) -> Approx | ZeroConcentrated:
    """The price as a measure: epsilon and delta, or rho."""
    if rho is not None and epsilon is None and delta is None:
        return ZeroConcentrated(positive(rho, "rho"))
    if epsilon is None or delta is None or rho is not None:
        raise RangeError(
            "a model needs a price: epsilon and delta, or rho.",
            remedy="Write LogisticRegression(epsilon=1, delta=1e-6, columns={...}).",
        )
    return Approx(positive(epsilon, "epsilon"), open_unit(delta, "delta"))


def _stated_epsilon(epsilon: Number | None) -> Number:
    if epsilon is None:
        raise RangeError(
            "a model needs a price: epsilon, with a delta or without, or rho.",
            remedy="Write PCA(epsilon=1, delta=1e-6, columns={...}).",
        )
    return epsilon


def target_needed(y: Any) -> Any:
    """Refuse a fit without a target."""
    if y is None:
        raise FactsError(
            "requires y to be passed, but the target y is None: there is nothing to predict.",
            remedy="Call fit(X, y).",
        )
    return y


def stated_range(fact: Any, *, count: bool = False) -> FeatureColumn:
    """The range that a target has, as the caller stated it."""
    if fact is None:
        raise FactsError(
            f"the range of the {'count' if count else 'target'} is not declared, and it is never "
            "read off private rows.",
            remedy=f"Give target_range=shoal.Range(0, {20 if count else 100000}).",
        )
    return stated_column("target", fact)


def ranged_target(target: FeatureColumn) -> FeatureColumn:
    """Refuse a target that is no number with a range."""
    if not (target.ordered and target.half > 0):
        raise FactsError(
            "the target of a regression must be a number with a range.",
            remedy="State shoal.Range(0, 100000) for it.",
        )
    return target


def stated_classes(classes: Any) -> FeatureColumn:
    """The classes that a target may have."""
    fact = classes if isinstance(classes, Choices) else None
    if fact is None and classes is not None:
        fact = Choices(list(classes))
    if fact is None:
        raise FactsError(
            "the classes are not declared, and they are never read off private rows.",
            remedy="Give classes=[0, 1], or the labels of your target.",
        )
    return stated_column("classes", fact)


def two_classes(target: FeatureColumn) -> FeatureColumn:
    """Refuse a target that has not two classes."""
    if len(target.levels) != 2:
        raise FactsError(
            f"the target has {len(target.levels)} declared classes; this model tells two apart.",
            remedy="Declare two: shoal.Choices(['no', 'yes']).",
        )
    return target


def several_classes(target: FeatureColumn) -> FeatureColumn:
    """Refuse a target that has not two classes or more."""
    if len(target.levels) < 2:
        raise FactsError(
            f"the target has {len(target.levels)} declared classes; two at least are needed.",
            remedy="Declare them: shoal.Choices(['red', 'green', 'blue']).",
        )
    return target
