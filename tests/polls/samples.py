"""Polls of every kind, and the shared test vectors made from them."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

from shoal.local import coins, crosswise, forced, triangular
from shoal.polls import Arm, Poll, PollQuestion, by_device, by_own, directly

VECTORS = Path(__file__).parent / "vectors.json"
CASES = 40

FARE = PollQuestion("fare", "Have you ever travelled without a ticket?")
MODE = PollQuestion("mode", "How do you come?", answers=("foot", "bicycle", "bus", "train", "car"))
HOURS = PollQuestion("hours", "How many hours a week?", range=(0, 4, "0.5"), unit="hours")
AGE = PollQuestion("age", "How old are you?", answers=("under 30", "30 to 59", "60 or more"))


def polls() -> dict[str, Poll]:
    """Name -> poll."""
    one_hidden = {"fare": by_device(odds=3), "age": directly()}
    return {
        "simplest": Poll("simplest", FARE.text, epsilon=1),
        "words": Poll(
            "words",
            "Où allez-vous? \N{EARTH GLOBE EUROPE-AFRICA}",
            answers=("à pied", 'en "bus"', "\\", "x"),
            odds=3,
            intro="Two\nlines.",
            language="fr",
        ),
        "sets": Poll("sets", "Which?", answers=[f"choice {i}" for i in range(8)], epsilon="1/2"),
        "many": Poll("many", "Which?", answers=[str(i) for i in range(40)], epsilon=1),
        "hundreds": Poll("hundreds", "Which?", answers=[str(i) for i in range(200)], odds="3/2"),
        "number": Poll("number", "How many?", range=(-2, 2, "0.5"), unit="degrees", odds="7/2"),
        "bins": Poll("bins", "How many?", range=(0, 40, 1), bins=(1, 11, 21), epsilon=2),
        "several": Poll("several", title="Several", questions=[FARE, MODE, HOURS], epsilon=3),
        "arms": Poll(
            "arms",
            title="Arms",
            questions=[FARE, AGE],
            once="invitation",
            people=400,
            arms=[
                Arm("device", one_hidden, share=6),
                Arm(
                    "own",
                    {
                        "fare": by_own(crosswise("1/4"), harmless="Born in spring?"),
                        "age": directly(),
                    },
                    share=2,
                ),
                Arm("direct", directly(), share=2),
            ],
        ),
        "designs": Poll(
            "designs",
            title="Designs",
            questions=[FARE],
            arms=[
                Arm("coins", by_own(coins(), instructions="Toss two coins.", title="Coins")),
                Arm("forced", by_device(design=forced("3/4", yes="1/6"))),
                Arm("one-sided", by_own(triangular("1/4"), harmless="Born in spring?")),
            ],
        ),
        "everything": Poll(
            "everything",
            title="Everything",
            questions=[MODE, HOURS, FARE],
            arms=[
                Arm(
                    "sets",
                    {
                        "mode": by_device(odds=2, size=2),
                        "hours": by_device(odds=3),
                        "fare": by_own(crosswise("1/6"), harmless="Born in spring?"),
                    },
                    share=5,
                ),
                Arm(
                    "kary",
                    {"mode": by_device(odds=2, size=1), "hours": directly(), "fare": directly()},
                    share=8,
                ),
            ],
        ),
    }


def stream(seed: str) -> Callable[[int], bytes]:
    """Bytes that follow from a word: SHA-256 in counter mode."""
    counter, left = 0, b""

    def take(count: int) -> bytes:
        nonlocal counter, left
        while len(left) < count:
            left += sha256(f"{seed} {counter}".encode()).digest()
            counter += 1
        taken, left = left[:count], left[count:]
        return taken

    return take


def vectors() -> list[dict[str, Any]]:
    """Definitions, and for each bytes and answers with what they lead to."""
    return [_vector(poll) for poll in polls().values()]


def _vector(poll: Poll) -> dict[str, Any]:
    cases = []
    for number in range(CASES):
        source, taken = stream(f"{poll.name} {number}"), bytearray()

        def take(count: int) -> bytes:
            more = source(count)  # noqa: B023 - used before the next turn
            taken.extend(more)  # noqa: B023 - as above
            return more

        client = poll.client(take)
        answers = [
            (number * 7 + place) % len(design.choices)
            for place, design in enumerate(client.arm.designs)
        ]
        cases.append(
            {
                "bytes": taken.hex(),
                "answers": answers,
                "arm": client.arm.name,
                "report": client.respond_by_place(answers),
            }
        )
    return {"poll": poll.to_dict(), "mark": poll.mark, "cases": cases}
