"""A poll for other programs: the exact odds and all counters in one text, or the counters as a
table.
"""

from __future__ import annotations

import csv
import io
import json

from shoal.exact import Number
from shoal.polls import written_poll
from shoal.polls.poll import Poll
from shoal.polls.results import Results, unarmed

FORM = "shoal.poll.counts"
VERSION = 1


def export_json(results: Results) -> str:
    """The definition, its mark and the counters; `read_export` reads it."""
    said = {
        "form": FORM,
        "version": VERSION,
        "mark": results.poll.mark,
        "open": results.is_open,
        "definition": results.poll.to_dict(),
        "cells": results.cells,
    }
    return json.dumps(said, ensure_ascii=False, indent=1)


def read_export(text: str, confidence: Number = "0.95") -> Results:
    """The results of an exported poll, computed anew from its counters.

    >>> results = Results(Poll("commute", "Have you ever ...?", odds=3), {"00": 60, "01": 40}, is_open=False)
    >>> read_export(export_json(results)).to_dict() == results.to_dict()
    True
    """
    said = written_poll.loaded(text)
    try:
        if (said["form"], said["version"]) != (FORM, VERSION):
            raise written_poll.unreadable()
        poll = Poll.from_json(json.dumps(said["definition"]))
        cells = said["cells"]
        counts = [*cells.values()]
        is_open = said["open"]
        if poll.mark != said["mark"] or type(is_open) is not bool:
            raise written_poll.unreadable()
        if any(type(count) is not int or count < 1 for count in counts):
            raise written_poll.unreadable()
        for cell in cells:
            poll.read(cell)
    except (KeyError, TypeError, AttributeError):
        raise written_poll.unreadable() from None
    return Results(poll, cells, is_open=is_open, confidence=confidence)


def export_csv(results: Results) -> str:
    """One line for each text that came: the arm, what each report says, and how often."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    poll = results.poll
    writer.writerow(["report", "arm", *(question.name for question in poll.questions), "count"])
    for cell, count in results.cells.items():
        arm, reports = poll.read(cell)
        designs = poll.arms[arm].designs
        told = [design.law.told(each) for design, each in zip(designs, reports, strict=True)]
        writer.writerow([cell, poll.arms[arm].name, *map(unarmed, told), count])
    return text.getvalue()
