"""What an error tells a Python programmer to write, as it is typed on a command line."""

from __future__ import annotations

import re
from collections.abc import Callable

_TYPED = re.compile(r"'([^']+)': '([^']+)'")
_COLUMNS = re.compile(r"column '([^']+)'")
_READ = re.compile(r"""\b(?:FROM|JOIN)\s+(\w+|"[^"]+")""", re.IGNORECASE)


def _types(found: re.Match[str]) -> str:
    """Types as options: what stands in braces, and that there is no header."""
    listed = " ".join(f"--type {_word(name)}={kind}" for name, kind in _TYPED.findall(found[0]))
    return f"--no-header {listed}" if "header=False" in found[0] else listed


def _ranges(found: re.Match[str]) -> str:
    """A range for each column that is named."""
    listed = " ".join(f"--range {_word(name)}=0:100" for name in _COLUMNS.findall(found[0]))
    return f"State what you know, for example: shoal update DATASET {listed}."


def _word(name: str) -> str:
    return name if re.fullmatch(r"[\w.-]+", name) else f'"{name}"'


_Instead = str | Callable[[re.Match[str]], str]
_SPELLINGS: tuple[tuple[str, _Instead], ...] = (
    (r"[a-z_]+='[^']*' \((--[^()]+)\)", r"\1"),
    (r"[a-z_]+=[A-Za-z]+ \((--[^()]+)\)", r"\1"),
    (r"shoal\.CsvFile\([^()]*\) \(or (--[^()]+)\)", r"\1"),
    (r"shoal\.CsvFile\((?:[^()]|\([0-9]+\))*\)", _types),
    (r"SparkTable\(session, path, types=\{[^}]*\}\)", _types),
    (r"types=\{[^}]*\}", _types),
    (r"header=False", "--no-header"),
    (r"State a Range for column .*, for example Range\(0, 100\)\.", _ranges),
    (r"State a Range of dates, or Choices of text", "State --range of dates, or --choices of text"),
    (r"State a Range or Choices too", "State --range or --choices too"),
    (
        r"Give Range\(0, 120\) or Range\('2026-01-01', '2026-12-31'\)",
        "Give --range x=0:120 or --range x=2026-01-01:2026-12-31",
    ),
    (r"Give Choices\(\['a', 'b'\]\)", "Give --choices city=a,b"),
    (r"Register both with Person\(\.\.\.\)", "Add both with --person"),
    (
        r"Register both tables with Person\(\.\.\.\), or both with Row\(\)",
        "Add both tables with --person, or both with --row",
    ),
    (r"protect Person\(\.\.\.\)", "add the dataset with --person"),
    (
        r"Give Person\(\"user_id\"\), or several different names",
        "Give --person user_id, or several times with different names",
    ),
    (r"keys=\{\('([^']*)',\): 1\}", r"--keys \1=1"),
    (r"shares= with", "--shares with"),
    (r"Choose noise='(\w+)'", r"Choose --noise \1"),
    (r"Give delta, at most", "Give --delta, at most"),
    (r"state Choices for", "state --choices for"),
    (r"See vault\.log\(\)", "See shoal log"),
    (r"nulls='drop'", 'nulls = "drop" in [protects] of its declaration'),
    (r"Give SparkTable\(address, '([^']+)'\)", r"Give --table \1"),
    (r"Leave groups and rows_per_group out", "Leave --groups and --rows-per-group out"),
    (r"relation='change'", "--relation change"),
    (r"Write release\((\w+)=([^)]+)\)\.", r"Give --\1 \2."),
    (r"Ask with (epsilon|rho)=", r"Ask with --\1 "),
    (
        r"State Choices for the keys, or give a budget such as shoal\.Approx\([^)]*\)\. .*check\.",
        "State --choices for the keys, or choices in the declaration. Or add the dataset with a budget such as 1,1e-6.",
    ),
    (r"vault\.grant\('[^']+', '[^']+', [^)]+\)\), or ", ""),
    (r"vault\.grant\('([^']+)', '([^']+)', [^)]+\)\)", r"shoal grant \1 \2 --budget 1"),
    (
        r"Give budget=shoal\.Approx\([^)]*\), or shoal\.Pure\(1\)\.",
        "Give --budget 3,1e-7, or --budget 1.",
    ),
    (
        r"Give budget=shoal\.Approx\(3, '1e-7'\), for example\.",
        "Give --budget 3,1e-7, for example.",
    ),
    (r"Give rows=,", "Give --rows,"),
    (r"or column= for", "or --column for"),
    (r"vault\.update\('([^']+)', relation='same people'\), or ", ""),
    (
        r"Ask questions of a file: shoal\.private\(.*\)\. Or open a vault and add the file to it: shoal\.open\('office\.shoal'\)\.",
        "Make a vault, and add the file to it: shoal init office.shoal, then shoal add NAME FILE.",
    ),
    (r", or shoal\.open\('[^']*'\)", ""),
    (r"vault\.log\(\), ", ""),
    (r"relation='(same people|new people|all people|same rows)'", r"--relation '\1'"),
    (r"shoal\.Pure\(([^)]*)\)", r"--budget \1"),
    (r"shoal\.Person\('(\w+)'\)", r"--person \1"),
    (r"sql\(text, intervals='([^']+)'\)", r"--intervals \1"),
)


def as_typed(words: str, sql: str = "") -> str:
    """An error in the words of the command line.

    Where the question ``sql`` reads one table only, a remedy names this dataset.

    >>> ask_for_a_range = "State a Range for column 'age', for example Range(0, 100)."
    >>> as_typed(ask_for_a_range, "SELECT AVG(age) FROM visits")
    'State what you know, for example: shoal update visits --range age=0:100.'

    >>> as_typed("Ask with epsilon=0.48, which fits.")
    'Ask with --epsilon 0.48, which fits.'
    >>> as_typed("If nobody is, give relation='new people' (--new-people).")
    'If nobody is, give --new-people.'
    """
    for pattern, instead in _SPELLINGS:
        words = re.sub(pattern, instead, words)
    read = {name.strip('"') for name in _READ.findall(sql)}
    if len(read) == 1:
        words = words.replace("shoal update DATASET", f"shoal update {_word(read.pop())}")
    return words
