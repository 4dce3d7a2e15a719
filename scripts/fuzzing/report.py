"""The summary of a run, as a table for people and as JSON."""

from __future__ import annotations

import json

from scripts.fuzzing.running import Run


def printed(done: Run, seconds: float) -> str:
    """Cases, time and findings by kind, and then each finding with the lines that show it."""
    lines = [
        f"{'kind':<14}{'cases':>9}{'seconds':>10}{'a second':>10}{'answered':>10}{'findings':>10}"
    ]
    for name, tally in done.tallies.items():
        if tally.cases:
            answered = f"{100 * tally.outcomes['answered'] / tally.cases:.0f} %"
            lines.append(
                f"{name:<14}{tally.cases:>9,}{tally.seconds:>10.1f}{tally.cases / max(tally.seconds, 1e-9):>10.0f}{answered:>10}{tally.findings:>10,}"
            )
    lines.append(
        f"{'all':<14}{done.cases:>9,}{seconds:>10.1f}{done.cases / max(seconds, 1e-9):>10.0f}{'':>10}{done.findings:>10,}"
    )
    for found in done.found:
        again = f"make fuzz SEED={found.seed}"
        lines += [
            "",
            f"{found.kind}, {found.finding}",
            f"  again: {again}",
            *(f"    {line}" for line in found.written.splitlines()),
        ]
    return "\n".join(lines)


def as_json(done: Run, seconds: float) -> str:
    """The same as JSON."""
    return json.dumps(
        {
            "cases": done.cases,
            "seconds": round(seconds, 2),
            "findings": done.findings,
            "kinds": {
                name: {
                    "cases": tally.cases,
                    "cpu_seconds": round(tally.seconds, 2),
                    "outcomes": dict(tally.outcomes),
                    "rules": dict(tally.rules),
                }
                for name, tally in done.tallies.items()
                if tally.cases
            },
            "first": {f"{kind}, {rule}": after for (kind, rule), after in done.first.items()},
            "found": [
                {
                    "seed": found.seed,
                    "kind": found.kind,
                    "rule": found.finding.rule,
                    "said": found.finding.said,
                    "python": found.written,
                }
                for found in done.found
            ],
        },
        indent=1,
    )
