"""How many questions of `tests/corpus` are answered, by class, and what planning them takes.

Usage: python -m scripts.corpus
"""

from __future__ import annotations

import statistics
import time

from tests.corpus.corpus import hospital, planned, questions

from shoal.query.ask import Ask


def main() -> None:
    """The share answered per class, and the CPU time of planning and preview."""
    held, times = hospital(), list[tuple[float, str]]()
    planned(held, questions()[0])  # loads the parser
    tally: dict[str, list[int]] = {}
    for question in questions():
        start = time.process_time()
        found = planned(held, question)
        times.append((time.process_time() - start, question.sql))
        count = tally.setdefault(question.kind, [0, 0])
        count[0] += isinstance(found, Ask)
        count[1] += 1
        if isinstance(found, Ask) != question.answered:
            told = found if isinstance(found, Exception) else "it is answered"
            print(f"NOT AS EXPECTED {question.kind}: {question.sql}\n    {told}")
    for kind, (answered, asked) in tally.items():
        print(f"{kind:20} {answered:4} of {asked}")
    answered, asked = (sum(each[at] for each in tally.values()) for at in (0, 1))
    slowest, sql = max(times)
    middle = statistics.median(each for each, _ in times)
    print(f"{'all':20} {answered:4} of {asked}")
    print(f"planning: median {1000 * middle:.1f} ms, worst {1000 * slowest:.1f} ms ({sql[:60]})")


if __name__ == "__main__":
    main()
