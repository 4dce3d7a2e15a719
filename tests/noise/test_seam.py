from __future__ import annotations

import ast
import re
import threading
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import shoal
from shoal.errors import PriceError
from shoal.mechanisms.witness import NoiseWitness
from shoal.noise import current, discrete_laplace, secret
from shoal.noise.seam import seeded, use
from shoal.noise.source import Keystream, Words

SOURCE = Path(shoal.__file__).parent
FILES = sorted(SOURCE.rglob("*.py"))
OTHER_GENERATORS = {"random", "secrets", "uuid", "default_rng", "RandomState", "getrandom"}
NOISE = discrete_laplace(Fraction(10**6))


def draws(seed: int | str) -> list[int]:
    with seeded(seed):
        return [*NOISE.many(50).tolist(), *(NOISE.one() for _ in range(50))]


def test_the_same_seed_repeats_and_another_does_not() -> None:
    assert draws(7) == draws(7)
    assert draws(7) != draws(8)
    assert len(set(draws(7))) > 90


def test_a_long_seeded_stream_repeats_past_the_life_of_a_key(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Keystream, "_KEY_LIFE", 1 << 15)
    streams = []
    for _ in range(2):
        with seeded("long") as source:
            streams.append([source.words(np.uint8, 30_000).tobytes() for _ in range(20)])
    assert streams[0] == streams[1]


def test_a_seeded_source_is_not_private_and_is_gone_afterwards() -> None:
    before = current()
    with seeded(1) as source:
        assert current() is source
        assert not current().private
    assert current() is before
    assert current().private


def test_an_error_inside_the_block_takes_the_source_away_too() -> None:
    with pytest.raises(KeyError), seeded(1):
        raise KeyError
    assert current().private


def test_a_source_that_calls_itself_private_is_refused() -> None:
    with pytest.raises(ValueError, match="private = False"), use(Keystream()):
        pass
    assert current().private


def test_other_threads_keep_the_secret_source() -> None:
    seen: list[bool] = []
    with seeded(1):
        thread = threading.Thread(target=lambda: seen.append(current().private))
        thread.start()
        thread.join()
    assert seen == [True]


def test_draws_made_ahead_do_not_cross_the_seam() -> None:
    outside = [NOISE.one() for _ in range(5)]
    inside = draws(7)
    outside += [NOISE.one() for _ in range(5)]
    assert not set(outside) & set(inside)
    assert draws(7) == inside


def other_generators(source: str) -> set[str]:
    """Names of generators that are not ours, wherever they stand in the code."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        names = [alias.name for alias in getattr(node, "names", []) if isinstance(alias, ast.alias)]
        names += [getattr(node, "module", None) or "", getattr(node, "attr", "")]
        for name in names:
            found |= set(name.split(".")) & OTHER_GENERATORS if isinstance(name, str) else set()
    return found


def test_no_file_draws_from_another_generator() -> None:
    """The demo makes up its people with one; nothing else may."""
    looked_at = [path for path in FILES if path.name != "demo.py"]
    assert len(looked_at) > 500
    found = {str(path): other_generators(path.read_text()) for path in looked_at}
    assert {path: names for path, names in found.items() if names} == {}


@pytest.mark.parametrize(
    "planted",
    ["import random", "from secrets import token_bytes", "import numpy as np\nnp.random.normal()",
     "from numpy.random import default_rng", "import numpy.random", "x.default_rng(3)"],
)  # fmt: skip
def test_a_planted_generator_is_found(planted: str) -> None:
    assert other_generators(planted)


def test_only_the_source_asks_the_operating_system() -> None:
    assert [path.name for path in FILES if "urandom" in path.read_text()] == ["source.py"]


class Turncoat:
    """A source that calls itself private once it is in."""

    def __init__(self) -> None:
        self.private = False
        self.pools: dict[object, list[int]] = {}

    def words(self, kind: type[np.unsignedinteger[Any]], count: int) -> Words:
        return np.zeros(count, dtype=kind)

    def meet(self, meeting: NoiseWitness, draw: Callable[[], Any]) -> Any:
        """The input itself, without noise; ``draw`` is not called."""
        del draw
        return meeting.given


def test_a_source_that_calls_itself_private_once_it_is_in_place_is_not_believed() -> None:
    mechanism, source = shoal.Laplace.for_epsilon(1, sensitivity=1), Turncoat()
    with use(source):
        source.private = True
        assert mechanism.release(41) == 41
        assert not secret()
        assert not mechanism.event.private


@pytest.mark.slow
def test_no_budget_pays_for_an_answer_before_a_witness_that_calls_itself_private() -> None:
    held = shoal.private(pa.table({"x": [1, 2]}), protects=shoal.Row(), budget=shoal.Pure(1))
    ask, source = held.sql("SELECT COUNT(*) AS n FROM data"), Turncoat()
    with pytest.raises(PriceError, match="rehearsal"), use(source):
        source.private = True
        ask.release(epsilon=1)


def test_no_file_asks_a_source_whether_it_is_private_but_the_seam() -> None:
    asking = [
        path.name for path in FILES if re.search(r"(source|current\(\))\.private", path.read_text())
    ]
    assert asking == ["seam.py"]
