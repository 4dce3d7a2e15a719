"""Neural networks for tables, trained by noisy gradients over secret samples or batches."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin

from shoal.errors import FactsError, InternalError
from shoal.exact import Number, whole
from shoal.learning.estimator import OWNERS, TARGET, PrivateEstimator, several_classes
from shoal.learning.exact_sums import Floats
from shoal.learning.feature_columns import STEPS, FeatureColumn, stated_column
from shoal.learning.nets.averaged_adam import AveragedAdam, read_learning_rate
from shoal.learning.nets.correlated_plan import CorrelatedPlan
from shoal.learning.nets.full_layers import FullLayers
from shoal.learning.nets.gradient_grid import LENGTH, read_clip, torch_of
from shoal.learning.nets.network_training import sampled_rows
from shoal.learning.nets.noise_kinds import INDEPENDENT, steps_with
from shoal.learning.nets.row_gradients import MOST_SIZE, Loss, RowGradients
from shoal.learning.nets.step_plan import StepPlan, planned_steps
from shoal.learning.nets.step_sums import StepSums
from shoal.learning.row_designs import Arrays, LinearDesign
from shoal.learning.several_classes import SeveralClassClassifier
from shoal.learning.training_plan import NoisySums, PlannedSum
from shoal.measures import Measure
from shoal.sensitivity import Relation


@dataclass(kw_only=True, eq=False, repr=False)
class NeuralNet(PrivateEstimator):
    """What networks for tables share: layers, steps, and the training."""

    hidden: Sequence[int] = (32,)
    steps: int = 200
    rate: Number = "1/20"
    clip: Number = 1
    learning_rate: Number = "0.02"
    noise: str = INDEPENDENT

    @abstractmethod
    def _outputs_wanted(self) -> int:
        """How many outputs the target needs."""

    @abstractmethod
    def _targets(self, values: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        """Each row's target as torch takes it, and which rows have one."""

    @abstractmethod
    def _loss(self, torch: Any) -> Loss:
        """The loss of one row."""

    def _layers(self, columns: tuple[FeatureColumn, ...]) -> FullLayers:
        between = [whole(each, "hidden", at_least=1) for each in self.hidden]
        return FullLayers((LinearDesign(columns).size - 1, *between, self._outputs_wanted()))

    def _sums(self, columns: tuple[FeatureColumn, ...]) -> tuple[PlannedSum, ...]:
        size = self._layers(columns).size
        if size > MOST_SIZE:
            raise FactsError(
                f"the network has {size} parameters; at most {MOST_SIZE} can be trained.",
                remedy="Give smaller layers: hidden=(32,).",
            )
        return planned_steps(self.steps, size)

    def _planned(
        self,
        columns: tuple[FeatureColumn, ...],
        measure: Measure,
        *,
        reach: int,
        relation: Relation,
    ) -> StepPlan | CorrelatedPlan:
        torch_of(type(self).__name__)  # before anything is charged
        read_clip(self.clip)
        read_learning_rate(self.learning_rate)
        return steps_with(
            self.noise, self._sums(columns), self.rate, measure, reach=reach, relation=relation
        )

    def settings(self) -> dict[str, str]:
        """As every model's; independent noise goes without saying, as in trainings that were
        released before there was any other.
        """
        found = super().settings()
        if self.noise == INDEPENDENT:
            del found["noise"]
        return found

    def _train(self, columns: tuple[FeatureColumn, ...], arrays: Arrays, sums: NoisySums) -> None:
        if not isinstance(sums, StepSums):
            raise InternalError("a network was planned without samples.", remedy="Report it.")
        torch = torch_of(type(self).__name__)
        layers = self._layers(columns)
        values, known = self._targets(arrays[TARGET])
        rows = torch.from_numpy(np.ascontiguousarray(_inputs(columns, arrays), dtype=np.float32))
        targets = torch.from_numpy(values)
        owners = arrays.get(OWNERS, np.arange(len(values)))
        gradients = RowGradients(
            layers.network(), self._loss(torch), clip=read_clip(self.clip), slots=None
        )
        path = AveragedAdam(layers.start(), read_learning_rate(self.learning_rate))
        for planned in self._sums(columns):
            gradients.set_parameters(path.weights)
            taken = sampled_rows(sums, owners)
            total = gradients.total(rows, targets, taken[known[taken]])
            noisy, _ = sums.release(planned.name, total)
            path.step(noisy / LENGTH)
        self.layers_, self.parameters_ = layers.sizes, path.average
        self.n_iter_ = int(self.steps)

    def _outputs(self, arrays: Arrays) -> Floats:
        """What the network says of rows; of each by that row alone."""
        return FullLayers(self.layers_).outputs(self.parameters_, _inputs(self._columns(), arrays))

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:  # noqa: ARG002
        """What each input belongs to."""
        return np.array(LinearDesign(self._columns()).names, dtype=object)


@dataclass(kw_only=True, eq=False, repr=False)
class NeuralNetClassifier(NeuralNet, SeveralClassClassifier):
    """A neural network that tells two or more classes apart.

    ``hidden`` are the sizes of the layers between inputs and outputs.  In each of ``steps`` steps
    every row (or person) takes part with probability ``rate``; more of both needs more time.
    Gradients are clipped to a length of ``clip``.  Weights move by Adam, at ``learning_rate``.
    With ``noise="correlated"`` every row (or person) is dealt to one of 1 / ``rate`` batches, and
    the noise of later steps takes back a part of that of earlier ones.

    Guarantee: so many noisy sums of clipped gradients, each over a fresh secret sample or over a
        secret batch, together at the stated price.
    Needs: ``columns`` and ``classes`` are public facts; torch, which is an extra.  A trained model
        needs torch no more.
    Edges: rows whose target is none of the classes add nothing.  A price in rho gains nothing from
        samples: give rate=1 or noise="correlated" with it.
    Proof: nets.md.
    """

    def _outputs_wanted(self) -> int:
        return len(several_classes(self.target_).levels)

    def _targets(self, values: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        codes = self.target_.codes(values)
        known = codes < len(self.target_.levels)
        return np.where(known, codes, 0), known

    def _loss(self, torch: Any) -> Loss:
        found: Loss = torch.nn.functional.cross_entropy
        return found

    def _class_scores(self, arrays: Arrays) -> list[Floats]:
        return list(self._outputs(arrays).T)


@dataclass(kw_only=True, eq=False, repr=False)
class NeuralNetRegressor(NeuralNet, RegressorMixin):  # type: ignore[misc]
    """A neural network that predicts a number.

    ``target_range`` is the declared range of the target; the other settings are those of
    `NeuralNetClassifier`.

    Guarantee, Needs, Proof: as `NeuralNetClassifier`.
    Edges: rows without a target add nothing; targets beyond the range count as its nearer end.
    """

    target_range: Any = None

    def _target(self) -> FeatureColumn:
        if self.target_range is None:
            raise FactsError(
                "the range of the target is not declared, and it is never read off private rows.",
                remedy="Give target_range=shoal.Range(0, 100000).",
            )
        return stated_column("target", self.target_range)

    def _outputs_wanted(self) -> int:
        if not (self.target_.ordered and self.target_.half > 0):
            raise FactsError(
                "the target of a regression must be a number with a range.",
                remedy="State shoal.Range(0, 100000) for it.",
            )
        return 1

    def _targets(self, values: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        found, missing = self.target_.steps(values)
        return (found / STEPS).astype(np.float32), ~missing

    def _loss(self, torch: Any) -> Loss:
        mean_squared = torch.nn.functional.mse_loss

        def loss(output: Any, target: Any) -> Any:
            return mean_squared(output[:, 0], target)

        return loss

    def predict(self, X: Any) -> Floats:  # noqa: N803 - scikit-learn's name
        """The expected target of each row."""
        scaled = self._outputs(self._arrays(X))[:, 0]
        return np.asarray(scaled * float(self.target_.half) + float(self.target_.middle))


def _inputs(columns: tuple[FeatureColumn, ...], arrays: Arrays) -> Floats:
    """Rows by their declared facts: numbers from -1 to 1, and one column for each level."""
    return LinearDesign(columns).matrix(arrays)[:, :-1] * (1 / STEPS)
