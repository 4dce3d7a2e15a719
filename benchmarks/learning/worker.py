"""One contestant on one task, in its own environment: ``python -m benchmarks.learning.worker
CONTESTANT TASK SEEDS EPSILON ...``.

Prints for each epsilon the scores of so many fits and their CPU seconds, those of reading the data
and of scoring left out.
"""

from __future__ import annotations

import importlib
import json
import sys
import time
import warnings

from benchmarks.learning.problems import TASKS, scored


def main() -> None:
    contestant, task, seeds, *epsilons = sys.argv[1:]
    warnings.simplefilter("ignore")
    code = importlib.import_module(f"benchmarks.learning.contestants.{contestant}")
    problem = TASKS[task].problem()
    found: dict[str, dict[str, list[float]]] = {}
    if problem is not None:
        for epsilon in epsilons:
            scores, seconds = [], []
            for seed in range(int(seeds)):
                start = time.process_time()
                predict = code.train(task, TASKS[task].kind, problem, float(epsilon), seed)
                seconds.append(time.process_time() - start)
                if predict is not None:
                    scores.append(scored(task, problem, predict))
            found[epsilon] = {"scores": scores, "seconds": seconds}
    print(json.dumps(found))


if __name__ == "__main__":
    main()
