from __future__ import annotations

import inspect
import pickle
import re

import pytest

from shoal import errors
from shoal.errors import ShoalError


def every_kind() -> list[type[ShoalError]]:
    classes = [kind for _, kind in inspect.getmembers(errors, inspect.isclass)]
    return [kind for kind in classes if issubclass(kind, ShoalError)]


def leaves() -> list[type[ShoalError]]:
    return [kind for kind in every_kind() if not kind.__subclasses__()]


@pytest.mark.parametrize("kind", every_kind())
def test_the_text_of_an_error_is_its_code_its_problem_and_its_remedy(
    kind: type[ShoalError],
) -> None:
    error = kind("epsilon must be above 0; got -1.", remedy="Choose epsilon above 0.")
    assert str(error) == (
        f"[{kind.code}] epsilon must be above 0; got -1.\n    Choose epsilon above 0."
    )


@pytest.mark.parametrize("kind", every_kind())
def test_an_error_has_one_wire_shape(kind: type[ShoalError]) -> None:
    error = kind("what", remedy="do")
    assert error.to_dict() == {"code": kind.code, "problem": "what", "remedy": "do"}


@pytest.mark.parametrize("kind", every_kind())
@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_an_error_survives_the_way_between_processes(kind: type[ShoalError], protocol: int) -> None:
    error = kind("what", remedy="do")
    copy = pickle.loads(pickle.dumps(error, protocol))
    assert type(copy) is kind
    assert copy.to_dict() == error.to_dict()
    assert str(copy) == str(error)


@pytest.mark.parametrize("kind", every_kind())
def test_an_error_cannot_be_made_without_a_remedy(kind: type[ShoalError]) -> None:
    with pytest.raises(TypeError, match="remedy"):
        kind("what")  # type: ignore[call-arg]


def test_every_kind_of_error_has_a_code_of_its_own() -> None:
    codes = [kind.code for kind in every_kind()]
    assert sorted(codes) == sorted(set(codes))


@pytest.mark.parametrize("kind", leaves())
def test_the_code_of_an_error_that_is_raised_is_a_word_and_a_number(
    kind: type[ShoalError],
) -> None:
    assert "code" in vars(kind)
    assert re.fullmatch(r"[a-z]+-[1-9]\d*", kind.code)


@pytest.mark.parametrize("kind", leaves())
def test_the_tree_drawn_in_the_module_names_every_error_with_its_code(
    kind: type[ShoalError],
) -> None:
    assert errors.__doc__ is not None
    assert re.search(rf"── {kind.__name__} +{kind.code} ", errors.__doc__)


def test_the_tree_drawn_in_the_module_names_nothing_else() -> None:
    drawn = set(re.findall(r"── (\w+)", errors.__doc__ or ""))
    assert drawn == {kind.__name__ for kind in every_kind()} - {"ShoalError"}


def test_an_input_error_is_a_value_error() -> None:
    assert issubclass(errors.InputError, ValueError)
    with pytest.raises(ValueError, match="number-2"):
        raise errors.RangeError("what", remedy="do")


def test_a_comparison_without_an_order_is_a_type_error() -> None:
    assert issubclass(errors.ComparisonError, TypeError)


def test_one_except_clause_catches_everything_shoal_raises() -> None:
    assert all(issubclass(kind, ShoalError) for kind in every_kind())
    assert not issubclass(errors.InternalError, errors.InputError)
