from __future__ import annotations

import csv
import io
import json
import math
from collections import Counter
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from tests.polls.samples import AGE, FARE, HOURS, polls, stream

from shoal.errors import PollError
from shoal.local import TransitionMatrix, crosswise, interval_of, number_below
from shoal.polls import (
    Arm,
    Poll,
    PollQuestion,
    Results,
    by_device,
    by_own,
    directly,
    export_csv,
    export_json,
    needs,
    read_export,
)
from shoal.polls.protocol import OWN

POLLS = polls()


def text_chances(poll: Poll, arm: int, answers: tuple[int, ...]) -> dict[str, Fraction]:
    """The chance of every text of an arm under answers by their places."""
    designs = poll.arms[arm].designs
    found = {}
    for reports in product(*(range(design.law.kinds) for design in designs)):
        chance = Fraction(1)
        for design, answer, report in zip(designs, answers, reports, strict=True):
            chance *= design.law.chance(answer, report)
        if chance:
            found[poll.written(arm, reports)] = chance
    return found


def weights(poll: Poll) -> dict[tuple[int, ...], Fraction]:
    """A population: shares of lists of answers, all different."""
    every = list(product(*(range(len(question.answers)) for question in poll.questions)))
    total = len(every) * (len(every) + 1) // 2
    return {answers: Fraction(place + 1, total) for place, answers in enumerate(every)}


SMALL = Poll(
    "small",
    title="Small",
    questions=[FARE, AGE],
    arms=[
        Arm("device", {"fare": by_device(odds=3), "age": by_device(odds=2, size=2)}, share=2),
        Arm(
            "own", {"fare": by_own(crosswise("1/4"), harmless="Born in spring?"), "age": directly()}
        ),
        Arm("direct", directly()),
    ],
)


def expected(poll: Poll, arm: int, value: Any) -> Fraction:
    """The mean of an estimate that is linear in the counters: that of one respondent, over all
    texts.
    """
    total = Fraction(0)
    for answers, share in weights(poll).items():
        for text, chance in text_chances(poll, arm, answers).items():
            total += share * chance * value(Results(poll, {text: 1}, is_open=False))
    return total


@pytest.mark.parametrize("arm", [0, 1, 2])
@pytest.mark.parametrize("question", [0, 1])
def test_the_estimates_of_an_arm_are_unbiased_exactly(arm: int, question: int) -> None:
    poll = SMALL
    name, armed = poll.questions[question].name, poll.arms[arm].name
    for place in range(len(poll.questions[question].answers)):
        mean = expected(poll, arm, lambda r: r[name].arms[armed][place].value)  # noqa: B023 - used here
        assert mean == sum(s for answers, s in weights(poll).items() if answers[question] == place)


@pytest.mark.parametrize("arm", [0, 1, 2])
def test_the_cells_of_a_cross_table_are_unbiased_exactly(arm: int) -> None:
    armed = SMALL.arms[arm].name
    for answers, share in weights(SMALL).items():
        a, b = answers
        mean = expected(
            SMALL,
            arm,
            lambda r: r.cross_tab("fare", "age").arms[armed][a][b].value,  # noqa: B023 - used here
        )
        assert mean == share


@pytest.mark.parametrize("way", [by_device(odds=3), directly()])
def test_the_mean_of_a_range_is_unbiased_exactly(way: Any) -> None:
    poll = Poll("range", title="R", questions=[HOURS], arms=[Arm("one", way)])
    mean = expected(poll, 0, lambda r: r["hours"].arms["one"][0].value)
    assert HOURS.scale is not None
    numbers = HOURS.scale.numbers
    assert mean == sum(share * numbers[place] for (place,), share in weights(poll).items())


@pytest.mark.parametrize("share", [0, Fraction(1, 10), Fraction(1, 2)])
@pytest.mark.parametrize("people", [20, 60])
def test_the_interval_of_a_yes_covers_at_least_as_often_as_it_says(
    share: Fraction, people: int
) -> None:
    poll = POLLS["simplest"]
    law = poll.arms[0].designs[0].law
    told = float(law.chance(0, 1) * (1 - share) + law.chance(1, 1) * share)
    covered = 0.0
    for yes in range(people + 1):
        cells = {text: n for text, n in (("00", people - yes), ("01", yes)) if n}
        (_, found) = Results(poll, cells, is_open=False)["simplest"].arms["randomised"]
        if found.interval[0] <= share <= found.interval[1]:
            covered += math.comb(people, yes) * told**yes * (1 - told) ** (people - yes)
    assert covered >= 0.95


@pytest.mark.parametrize("mean", [0, Fraction(1, 4), Fraction(1, 2), 1])
def test_the_interval_of_a_mean_covers_at_least_as_often_as_it_says(mean: Fraction) -> None:
    poll, people = POLLS["number"], 40
    law, scale = poll.arms[0].designs[0].law, poll.questions[0].scale
    assert scale is not None
    place = int(mean * (len(scale.numbers) - 1))
    told, truth = float(law.chance(place, 1)), scale.numbers[place]
    covered = 0.0
    for high in range(people + 1):
        cells = {text: n for text, n in (("00", people - high), ("01", high)) if n}
        (found,) = Results(poll, cells, is_open=True)["number"].arms["randomised"]
        assert found.always is not None
        assert found.always[0] <= found.interval[0] <= found.interval[1] <= found.always[1]
        if found.interval[0] <= truth <= found.interval[1]:
            covered += math.comb(people, high) * told**high * (1 - told) ** (people - high)
    assert covered >= 0.95


def test_the_interval_of_a_difference_covers_at_least_as_often_as_it_says() -> None:
    poll = Poll(
        "two",
        title="T",
        questions=[FARE],
        arms=[Arm("one", by_device(odds=3)), Arm("two", directly())],
    )
    people, (p, q) = 15, (Fraction(3, 10), Fraction(1, 10))
    told = float(Fraction(1, 4) + p / 2)
    covered = 0.0
    for x, y in product(range(people + 1), repeat=2):
        cells = {"00": people - x, "01": x, "10": people - y, "11": y}
        found = Results(poll, {t: n for t, n in cells.items() if n}, is_open=False)["fare"]
        low, high = found.differences[1].interval
        if low <= p - q <= high:
            covered += (
                math.comb(people, x)
                * told**x
                * (1 - told) ** (people - x)
                * math.comb(people, y)
                * float(q) ** y
                * (1 - float(q)) ** (people - y)
            )
    assert covered >= 0.95


def simulated(
    poll: Poll, people: int, truth: dict[str, tuple[str, ...]], seed: str
) -> Counter[str]:
    """Counters of so many respondents, whose answers go round in a list."""
    cells: Counter[str] = Counter()
    for number in range(people):
        client = poll.client(stream(f"{seed} {number}"))
        dice = stream(f"dice {seed} {number}")
        said: dict[str, object] = {}
        for design in client.arm.designs:
            answers = truth[design.question]
            answer = answers[number % len(answers)]
            if design.way == OWN:
                place = design.law.answers.index(answer)
                assert isinstance(design.law, TransitionMatrix)
                answer = design.choices[design.law.report(place, take=dice)]
            said[design.question] = answer
        cells[client.respond(said)] += 1
    return cells


TRUTH = {"fare": ("no", "no", "no", "yes"), "age": ("under 30", "30 to 59")}


def test_the_results_cover_the_truth_in_every_arm_and_together() -> None:
    cells = simulated(SMALL, 4000, TRUTH, "cover")
    results = Results(SMALL, cells, is_open=False, confidence="0.9999")
    shares = {"fare": (0.75, 0.25), "age": (0.5, 0.5, 0.0)}
    for result in results:
        together = [result.together] if result.together else []
        for found in (*result.arms.values(), *together):
            for estimate, share in zip(found, shares[result.question.name], strict=True):
                assert estimate.interval[0] <= share <= estimate.interval[1]
        for each in result.differences:
            assert each.interval[0] <= 0 <= each.interval[1]
    table = results.cross_tab("fare", "age")
    pairs = Counter((TRUTH["fare"][n % 4], TRUTH["age"][n % 2]) for n in range(4))
    assert table.together == ()  # one arm asks openly what the other hides
    for rows in table.arms.values():
        for fare, row in zip(FARE.answers, rows, strict=True):
            for age, cell in zip(AGE.answers, row, strict=True):
                assert cell.interval[0] <= pairs[fare, age] / 4 <= cell.interval[1]


def test_the_results_of_counters_are_those_of_the_matrix_on_the_list_of_reports() -> None:
    poll = POLLS["arms"]
    cells = simulated(poll, 600, TRUTH, "roads")
    results = Results(poll, cells, is_open=False)
    for number, arm in enumerate(poll.arms):
        for place, design in enumerate(arm.designs):
            matrix = design.law
            assert isinstance(matrix, TransitionMatrix)
            reports = [
                poll.read(text)[1][place]
                for text, count in cells.items()
                for _ in range(count)
                if poll.read(text)[0] == number
            ]
            other = matrix.estimate(np.array(reports))
            for mine, share in zip(results[design.question].arms[arm.name], other, strict=True):
                assert mine.value == share.value
                assert mine.interval == pytest.approx(share.interval())
                assert mine.error == pytest.approx(share.error)


def test_a_cross_table_adds_up_to_its_margins() -> None:
    cells = simulated(SMALL, 500, TRUTH, "margins")
    results = Results(SMALL, cells, is_open=False)
    for name, rows in results.cross_tab("fare", "age").arms.items():
        for row, alone in zip(rows, results["fare"].arms[name], strict=True):
            assert sum(cell.value for cell in row if cell.value is not None) == alone.value


def test_a_cross_table_of_a_range_or_of_one_question_is_refused() -> None:
    results = Results(POLLS["everything"], {}, is_open=True)
    with pytest.raises(PollError, match="bins"):
        results.cross_tab("mode", "hours")
    with pytest.raises(PollError, match="two different"):
        results.cross_tab("mode", "mode")
    with pytest.raises(PollError, match="no question"):
        results.cross_tab("mode", "nothing")


@pytest.mark.parametrize("name", POLLS)
def test_a_poll_without_reports_has_results_that_say_so(name: str) -> None:
    results = Results(POLLS[name], {}, is_open=True)
    assert results.people == 0
    for result in results:
        for found in result.arms.values():
            for each in found:
                assert each.value is None
                assert each.interval == each.always
        assert result.together == result.differences == ()
    json.loads(results.to_json())
    assert "no reports" in str(results)


def test_a_difference_seen_while_the_poll_is_open_has_an_interval_for_looking() -> None:
    cells = {"000": 30, "010": 10, "100": 20, "110": 20}
    for is_open in (True, False):
        results = Results(POLLS["arms"], cells, is_open=is_open)
        cells_of = results.cross_tab("fare", "age").arms["device"][0]
        found: list[Any] = [*results["fare"].differences, *cells_of]
        for each in found:
            assert (each.always is not None) == is_open
            if each.always is not None:
                assert each.always[0] <= each.interval[0] <= each.interval[1] <= each.always[1]


def test_without_an_arm_named_the_first_that_hides_the_answer_is_meant() -> None:
    arms = [Arm("open", directly()), Arm("device", by_device(odds=3))]
    poll = Poll("two", title="T", questions=[FARE], arms=arms)
    assert Results(poll, {}, is_open=True).suspicion("fare").arm == "device"


def test_a_poll_that_is_open_shows_intervals_for_looking_and_a_closed_one_does_not() -> None:
    cells = {"00": 60, "01": 40}
    poll = POLLS["simplest"]
    (yes,) = (Results(poll, cells, is_open=True)["simplest"].arms["randomised"][1],)
    groups = ((Fraction(-7, 12), 60), (Fraction(19, 12), 40))
    assert yes.always == interval_of(groups, method="always")
    assert Results(poll, cells, is_open=False)["simplest"].arms["randomised"][1].always is None


def test_the_combination_of_arms_leans_to_the_arm_that_knows_more() -> None:
    poll = Poll(
        "two",
        title="T",
        questions=[FARE],
        arms=[Arm("dear", by_device(odds=20)), Arm("cheap", by_device(odds="3/2"))],
    )
    cells = {"00": 70, "01": 30, "10": 50, "11": 50}
    result = Results(poll, cells, is_open=False)["fare"]
    dear, cheap = (result.arms[name][1] for name in ("dear", "cheap"))
    (_, both) = result.together
    assert None not in (dear.value, cheap.value, both.value, dear.error, both.error)
    assert abs(both.value - dear.value) < abs(both.value - cheap.value)  # type: ignore[operator]
    assert both.error < dear.error  # type: ignore[operator]
    assert both.method == "hoeffding"


def test_the_direct_arm_is_never_mixed_in() -> None:
    cells = {"000": 30, "010": 10, "100": 20, "110": 20, "200": 0, "210": 500}
    poll = POLLS["arms"]
    with_direct = Results(poll, {t: n for t, n in cells.items() if n}, is_open=False)
    without = Results(poll, {t: n for t, n in cells.items() if t[0] != "2"}, is_open=False)
    assert with_direct["fare"].together == without["fare"].together != ()


# one respondent


def test_the_suspicion_after_a_report_is_the_prior_times_the_chances() -> None:
    results = Results(POLLS["simplest"], {"00": 60, "01": 40}, is_open=True)
    found = results.suspicion("simplest", prior=["9/10", "1/10"])
    assert found.rows[1] == ("yes", (Fraction(63, 82), Fraction(19, 82)))
    at_estimate = results.suspicion("simplest")
    yes = results["simplest"].arms["randomised"][1].value
    assert at_estimate.prior[1] == yes


def test_the_suspicion_after_a_set_is_at_most_the_ratio_apart_in_odds() -> None:
    results = Results(POLLS["sets"], {}, is_open=True)
    found = results.suspicion("sets")
    ratio = POLLS["sets"].arms[0].ratio
    assert ratio is not None
    assert len(found.rows) == 16
    for _, chances in found.rows:
        assert sum(chances) == 1
        for chance, before in zip(chances, found.prior, strict=True):
            odds, was = chance / (1 - chance), before / (1 - before)
            assert 1 / ratio <= odds / was <= ratio


def test_a_one_sided_report_is_a_certain_answer() -> None:
    results = Results(POLLS["designs"], {}, is_open=True)
    rows = dict(results.suspicion("fare", arm="one-sided").rows)
    assert rows["both no"] == (Fraction(1), Fraction(0))


@pytest.mark.parametrize("prior", [["1/2"], ["1/2", "1/3"], ["1/2", "1/4", "1/4"]])
def test_a_prior_that_does_not_fit_is_refused(prior: list[str]) -> None:
    with pytest.raises(PollError):
        Results(POLLS["simplest"], {}, is_open=True).suspicion("simplest", prior=prior)


def test_an_arm_that_is_not_there_is_refused() -> None:
    with pytest.raises(PollError, match="no arm"):
        Results(POLLS["arms"], {}, is_open=True).suspicion("fare", arm="other")


# all respondents


@pytest.mark.slow
def test_counters_cost_less_than_a_report_and_the_more_people_the_less() -> None:
    poll = POLLS["simplest"]
    costs = []
    for people in (1000, 10_000):
        found = Results(poll, {"00": people // 2, "01": people // 2}, is_open=False).shuffled()
        one = found["randomised"]
        assert one is not None
        assert one.people == people
        costs.append(one.central)
    assert costs[1] < costs[0] < poll.arms[0].hidden_epsilon


def test_direct_answers_hide_nobody_among_those_who_answer_otherwise() -> None:
    cells = {"000": 500, "010": 400, "001": 30, "011": 20}
    found = Results(POLLS["arms"], cells, is_open=False).shuffled()
    assert found["device"] is not None
    assert found["device"].people == 50
    assert found["direct"] is None


def test_the_total_variation_of_two_questions_is_at_most_the_one_that_is_used() -> None:
    one, two = TransitionMatrix.for_truth("3/4"), TransitionMatrix.for_truth("2/3", size=3)
    rows = [
        [one.chance(a, y) * two.chance(b, z) for y in range(2) for z in range(3)]
        for a in range(2)
        for b in range(3)
    ]
    pair = TransitionMatrix(rows)
    assert pair.variation <= 1 - (1 - one.variation) * (1 - two.variation)


def test_what_if_needs_fewer_people_at_a_higher_epsilon() -> None:
    results = Results(POLLS["simplest"], {"00": 600, "01": 400}, is_open=True)
    rows = results.what_if(["1/2", 1, 2, 4])
    assert [row.people for row in rows] == sorted((row.people for row in rows), reverse=True)
    assert [row.margin for row in rows] == sorted((row.margin for row in rows), reverse=True)
    assert rows[1].people == 1000  # the present design, at the present margin


@pytest.mark.parametrize("question", ["mode", "hours", "fare"])
def test_what_if_serves_every_kind_of_question(question: str) -> None:
    results = Results(POLLS["everything"], {}, is_open=True)
    (row,) = results.what_if([1], question=question, margin="0.1")
    assert row.people > 1


def test_a_plan_counts_the_people_of_all_arms() -> None:
    found = needs(POLLS["arms"], margin="0.05", guess="0.2")
    by = {(each.arm, each.question): each for each in found}
    device = by["device", "fare"]
    assert device.in_all == math.ceil(device.people * 5 / 3)
    assert by["direct", "fare"].people < device.people
    assert by["device", "fare"].people == by["own", "fare"].people
    assert needs(POLLS["number"], margin="0.1")[0].people > 100


@pytest.mark.slow
@pytest.mark.parametrize("name", ["sets", "number", "simplest"])
def test_the_planned_margin_is_the_spread_of_the_estimate(name: str) -> None:
    poll = POLLS[name]
    (need,) = needs(poll, margin="0.2", guess=1)
    last = len(poll.questions[0].answers) - 1
    estimates = []
    law = poll.arms[0].designs[0].law
    for run in range(60):
        take = stream(f"{name} {run}")
        cells = Counter(
            poll.written(0, [law.place(last, number_below(law.total, take))])
            for _ in range(need.people)
        )
        (*_, found) = Results(poll, cells, is_open=False)[name].arms["randomised"]
        assert found.value is not None
        estimates.append(float(found.value))
    wanted = 0.2 / 1.96
    assert 0.7 * wanted < np.std(estimates) < 1.4 * wanted


# in writing


@pytest.mark.slow
@pytest.mark.parametrize("name", POLLS)
def test_an_export_is_read_back_with_the_exact_odds_and_the_same_results(name: str) -> None:
    poll = POLLS[name]
    cells = Counter(
        (client := poll.client(stream(f"{name} {n}"))).respond_by_place(
            [0] * len(client.arm.designs)
        )
        for n in range(40)
    )
    results = Results(poll, cells, is_open=False)
    again = read_export(export_json(results))
    assert again.poll == poll
    assert again.cells == results.cells
    for mine, other in zip(poll.arms, again.poll.arms, strict=True):
        assert [d.law for d in mine.designs] == [d.law for d in other.designs]
    assert again.to_dict() == results.to_dict()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"shoal.poll.counts"', '"other"'),
        ('"open": false', '"open": 0'),
        ('"00": 60', '"00": -60'),
        ('"00": 60', '"00": 60.0'),
        ('"00": 60', '"07": 60'),
        ('"00": 60', '"01": 60'),
        ('"same": "19"', '"same": "20"'),
        ('"cells"', '"sells"'),
    ],
)
def test_an_export_that_was_changed_is_refused(old: str, new: str) -> None:
    text = export_json(Results(POLLS["simplest"], {"00": 60, "01": 40}, is_open=False))
    assert old in text
    with pytest.raises(ValueError):
        read_export(text.replace(old, new))


def test_the_table_of_counters_has_a_line_for_each_text_in_words() -> None:
    results = Results(POLLS["arms"], {"000": 3, "111": 2, "212": 1}, is_open=False)
    rows = list(csv.reader(io.StringIO(export_csv(results))))
    assert rows == [
        ["report", "arm", "fare", "age", "count"],
        ["000", "device", "no", "under 30", "3"],
        ["111", "own", "same", "30 to 59", "2"],
        ["212", "direct", "yes", "60 or more", "1"],
    ]


def test_no_cell_of_a_table_is_a_formula() -> None:
    question = PollQuestion("sums", "Sum?", answers=("=1+1", "@x", "-3", "fine"))
    poll = Poll("sums", title="S", questions=[question], arms=[Arm("one", directly())])
    results = Results(poll, {"00": 1, "01": 1, "02": 1, "03": 1}, is_open=False)
    for text in (export_csv(results), results.to_csv()):
        cells = [cell for row in csv.reader(io.StringIO(text)) for cell in row]
        assert not [cell for cell in cells if cell[:1] in ("=", "@", "+")]
        assert "'=1+1" in cells


def test_the_table_of_results_has_a_line_for_each_estimate() -> None:
    results = Results(SMALL, simulated(SMALL, 60, TRUTH, "table"), is_open=True)
    rows = list(csv.DictReader(io.StringIO(results.to_csv())))
    assert len(rows) == 4 * 2 + 3 * 3  # age has one hidden arm and so no line for all together
    assert {row["arm"] for row in rows} == {"device", "own", "direct", "together"}
    for row in rows:
        assert float(row["low"]) <= float(row["high"])
