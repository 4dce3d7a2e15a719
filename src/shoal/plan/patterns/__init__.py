"""Regular expressions that every engine matches alike, in time that grows with the text only."""

from shoal.plan.patterns.automaton import Automaton, automaton_of
from shoal.plan.patterns.reading import pattern_of, read_pattern
from shoal.plan.patterns.runs import LetterRun, run_of
from shoal.plan.patterns.syntax import Pattern
from shoal.plan.patterns.transition_table import TransitionTable, table_of

__all__ = [
    "Automaton",
    "LetterRun",
    "Pattern",
    "TransitionTable",
    "automaton_of",
    "pattern_of",
    "read_pattern",
    "run_of",
    "table_of",
]
