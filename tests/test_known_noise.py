from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

from shoal.noise import discrete_laplace, secret
from shoal.noise.source import handed_out


def drawn() -> list[int]:
    found: list[int] = discrete_laplace(Fraction(2**50)).many(3).tolist()
    return found


def test_the_noise_of_a_test_is_the_same_in_every_run_and_counts_as_secret() -> None:
    before = handed_out()
    assert drawn() == [-2162139044882412, -3807657956582549, 31174678378339]
    assert secret()
    assert handed_out() > before


def test_another_thread_draws_afresh() -> None:
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(drawn).result() != drawn()
