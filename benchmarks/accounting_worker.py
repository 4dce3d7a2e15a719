"""One contestant on one composition, in a process of its own: ``python -m
benchmarks.accounting_worker NAME TITLE``.

Prints CPU seconds of the first answer after imports, peak memory of the whole process, and what was
found.
"""

from __future__ import annotations

import importlib
import json
import resource
import sys
import time

from benchmarks.accountants import CONTESTANTS, OTHER, OURS, PEER, REFEREE
from benchmarks.running_account import MIXES, measured
from benchmarks.workloads import COMPOSITIONS

IMPORTED = {
    OURS: ["shoal.accounting", "scipy.fft", "scipy.special"],
    REFEREE: ["shoal.accounting"],
    PEER: ["dp_accounting.pld.privacy_loss_distribution"],
    OTHER: ["prv_accountant"],
}


def main() -> None:
    contestant, title = sys.argv[1:]
    if title in MIXES:
        print(json.dumps(measured(title)))
        return
    for module in IMPORTED[contestant]:
        importlib.import_module(module)
    start = time.process_time()
    found = CONTESTANTS[contestant](COMPOSITIONS[title])
    found["seconds"] = time.process_time() - start
    found["megabytes"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps(found))


if __name__ == "__main__":
    main()
