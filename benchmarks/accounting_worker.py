"""One contestant on one workload, in a process of its own: ``python -m benchmarks.accounting_worker NAME WORKLOAD``.

Prints CPU seconds of the first answer after imports, peak memory of the whole process, and what was found.
"""

from __future__ import annotations

import importlib
import json
import resource
import sys
import time

from benchmarks.workloads import CONTESTANTS, running

IMPORTED = {
    "**Shoal**": ["shoal.accounting", "scipy.fft", "scipy.special"],
    "dp-accounting": ["dp_accounting.pld.privacy_loss_distribution"],
    "prv-accountant": ["prv_accountant"],
}


def main() -> None:
    contestant, workload = sys.argv[1:]
    if workload == "running":
        print(json.dumps(running()))
        return
    for module in IMPORTED[contestant]:
        importlib.import_module(module)
    start = time.process_time()
    found = CONTESTANTS[contestant](workload)
    found["seconds"] = time.process_time() - start
    found["megabytes"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps(found))


if __name__ == "__main__":
    main()
