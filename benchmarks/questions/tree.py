"""What a process and all it started have used: CPU seconds, and resident memory at its peak."""

from __future__ import annotations

import psutil

MEBIBYTE = 2**20


def cpu_seconds(root: psutil.Process) -> float:
    """User and system time of a process and its descendants, those that have ended included."""
    spent = 0.0
    for process in _all(root):
        try:
            times = process.cpu_times()
        except psutil.NoSuchProcess:
            continue
        spent += times.user + times.system
        spent += getattr(times, "children_user", 0.0) + getattr(times, "children_system", 0.0)
    return spent


def megabytes(root: psutil.Process) -> float:
    """Resident memory of a process and its descendants at this moment."""
    found = 0.0
    for process in _all(root):
        try:
            found += process.memory_info().rss / MEBIBYTE
        except psutil.NoSuchProcess:
            continue
    return found


def end(root: psutil.Process) -> None:
    """End a process and all it started."""
    for process in reversed(_all(root)):
        try:
            process.kill()
        except psutil.NoSuchProcess:
            continue


def _all(root: psutil.Process) -> list[psutil.Process]:
    try:
        return [root, *root.children(recursive=True)]
    except psutil.NoSuchProcess:
        return []
