"""Pictures: they show the numbers of the account, in files that stand alone."""

from __future__ import annotations

import re
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from shoal import account, plots
from shoal.accounting import Account, compare, profile_points, promise_of
from shoal.errors import ExtraError, PriceError, RangeError
from shoal.interpret import trade_off
from shoal.measures import GaussianDP, gaussian_delta_up
from shoal.plots.measure_names import COLOURS, LOWER, MEASURES

GAUSSIANS = account("gaussian sigma=30 | x 1000")
LAPLACES = account("laplace scale=10 | x 100")
SHUFFLED = account("rr epsilon=1 | shuffled people=200")

DRAWN = {
    "profile": plots.profile,
    "trade_off": plots.trade_off,
    "renyi_curve": plots.renyi_curve,
    "every_curve": plots.every_curve,
}


def texts(spec: Any) -> list[str]:
    """Every text of a chart."""
    if isinstance(spec, dict):
        return [text for value in spec.values() for text in texts(value)]
    if isinstance(spec, list):
        return [text for value in spec for text in texts(value)]
    return [spec] if isinstance(spec, str) else []


# the numbers


def test_the_profile_of_gaussians_is_the_closed_form() -> None:
    data = plots.ProfileData.of(GAUSSIANS, delta="1e-6")
    cost = GAUSSIANS.cost(GaussianDP)
    assert isinstance(cost, GaussianDP)
    for epsilon, delta in data.lines["Gaussian"]:
        assert delta == pytest.approx(float(gaussian_delta_up(cost.mu, epsilon)), rel=1e-3)
    assert data.best == compare(GAUSSIANS, delta="1e-6").best


@pytest.mark.slow
@pytest.mark.parametrize("several", [GAUSSIANS, LAPLACES, SHUFFLED], ids=["normal", "pure", "mix"])
def test_no_line_of_a_profile_lies_below_the_lower_end_and_none_rises(several: Account) -> None:
    data = plots.ProfileData.of(several, delta="1e-6")
    assert data.lines
    for line in data.lines.values():
        assert [delta for _, delta in line] == sorted((delta for _, delta in line), reverse=True)
    lower = {round(at, 9): delta for at, delta in data.lower}
    for line in data.lines.values():
        assert all(delta >= lower.get(round(at, 9), 0) for at, delta in line)


def test_the_lower_end_of_a_profile_is_close_to_the_tightest_line() -> None:
    data = plots.ProfileData.of(LAPLACES, delta="1e-6")
    assert next(iter(data.lines)) == "loss distribution"
    upper = {round(at, 9): delta for at, delta in data.lines["loss distribution"]}
    shared = [(delta, upper[round(at, 9)]) for at, delta in data.lower if round(at, 9) in upper]
    assert len(shared) > 20
    assert all(low <= high <= 1.001 * low for low, high in shared)


def test_the_trade_off_of_gaussians_is_the_closed_form() -> None:
    data = plots.TradeOffData.of(GAUSSIANS, delta="1e-6")
    curve = trade_off(GAUSSIANS.cost(GaussianDP))
    for alarms, missed in data.line:
        assert missed == pytest.approx(float(curve.type_two_down(alarms)), abs=1e-6)
    assert data.mark[0] == 0.05


def test_the_renyi_curve_of_gaussians_is_the_straight_line_of_its_rho() -> None:
    data = plots.RenyiData.of(GAUSSIANS, delta="1e-6")
    straight = dict(data.straight)
    assert all(
        value == pytest.approx(straight[order]) for order, value in data.line if order in straight
    )
    known = next(b for b in GAUSSIANS.all(delta="1e-6") if b.measure == "Renyi")
    assert float(data.best.epsilon) == pytest.approx(float(known.epsilon), rel=1e-6)


def test_points_end_at_the_delta_asked_about_and_their_promise_is_as_tight() -> None:
    points = profile_points(LAPLACES, least_delta="1e-6", count=5)
    assert len(points) == 5
    assert points[0].best.epsilon == 0
    assert points[-1].best == compare(LAPLACES, delta="1e-6").best
    promise = promise_of(LAPLACES, delta="1e-6", count=5)
    assert promise.epsilon_up("1e-6") <= points[-1].best.epsilon


def test_an_account_without_a_renyi_curve_is_drawn_without_it() -> None:
    failing = account("approx epsilon=1 delta=1e-9")
    with pytest.raises(PriceError):
        plots.renyi_curve(failing)
    assert "The Rényi curve" not in texts(plots.every_curve(failing).to_dict())


@pytest.mark.parametrize("delta", [0, 1])
def test_a_mark_needs_a_delta_between_0_and_1(delta: int) -> None:
    with pytest.raises(RangeError, match="delta must be above 0 and below 1"):
        plots.profile(GAUSSIANS, delta=delta)


# the drawing


@pytest.mark.parametrize("name", DRAWN)
def test_a_chart_has_a_title_axes_in_words_and_the_mark(name: str) -> None:
    spec = DRAWN[name](GAUSSIANS, delta=Fraction(1, 10**6)).to_dict()
    said = texts(spec)
    assert any("1e-6" in text for text in said)
    assert any("epsilon 5." in text for text in said)
    assert any(len(text.split()) > 3 for text in said)


def test_no_two_measures_have_the_same_colour() -> None:
    assert set(COLOURS) == {*MEASURES.values(), LOWER}
    assert len(set(COLOURS.values())) == len(COLOURS)


def test_a_picture_is_written_by_its_ending(tmp_path: Path) -> None:
    chart = plots.profile(account("gdp mu=1"))
    assert plots.save(chart, tmp_path / "p.png").read_bytes().startswith(b"\x89PNG")
    assert "<svg" in plots.save(chart, tmp_path / "p.svg").read_text()
    assert '"$schema"' in plots.save(chart, tmp_path / "p.json").read_text()
    with pytest.raises(RangeError, match=r"p\.gif"):
        plots.save(chart, tmp_path / "p.gif")


def test_a_page_loads_nothing_from_elsewhere(tmp_path: Path) -> None:
    page = plots.save(plots.profile(account("gdp mu=1")), tmp_path / "p.html").read_text()
    assert "privacy profile" in page
    outside_scripts = re.sub(r"(?s)<script[^>]*>.*?</script>", "<script>", page)
    assert not re.search(r"(src|href)=|@import|url\(", outside_scripts)
    assert not re.search(r"<script[^>]*src=", page[:2000])


def test_without_the_drawing_library_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "altair", None)
    with pytest.raises(ExtraError, match=r"shoal\[plots\]") as caught:
        plots.profile(GAUSSIANS)
    assert isinstance(caught.value, ImportError)


@pytest.mark.parametrize("module", ["shoal.plots", "shoal.cli"])
def test_the_drawing_library_is_not_loaded_before_a_picture_is_drawn(module: str) -> None:
    script = f"import sys, {module}; print('altair' in sys.modules, 'vl_convert' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["False", "False"]
