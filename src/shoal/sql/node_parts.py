"""What each reader of a node reads of it; a node that says more is refused.

The parser can put a word into a node in one version that stood in another node before: sqlglot 30.30
writes NOT LIKE as LIKE with ``negate``, and a reader that does not look there answers the opposite.
So no part is passed over.  ``negate`` is read in one place, for every node.
"""

from __future__ import annotations

from collections.abc import Mapping

READ: Mapping[str, tuple[str, ...]] = {
    "Anonymous": ("this", "expressions"),
    "Between": ("this", "low", "high"),
    "Boolean": ("this",),
    "Case": ("this", "ifs", "default"),
    "Cast": ("this", "to"),
    "Coalesce": ("this", "expressions"),
    "Concat": ("expressions",),
    "ConcatWs": ("expressions",),
    "Date": ("this",),
    "DateAdd": ("this", "expression"),
    "DateDiff": ("this", "expression", "unit"),
    "DateFromParts": ("year", "month", "day"),
    "DateTrunc": ("this", "unit"),
    "Dayname": ("this",),
    "Escape": ("this", "expression"),
    "Exists": ("this",),
    "Extract": ("this", "expression"),
    "Greatest": ("this", "expressions"),
    "ILike": ("this", "expression"),
    "If": ("this", "true", "false"),
    "In": ("this", "expressions", "query"),
    "Is": ("this", "expression"),
    "LastDay": ("this",),
    "Least": ("this", "expressions"),
    "Like": ("this", "expression"),
    "Literal": ("this", "is_string"),
    "Monthname": ("this",),
    "Null": (),
    "Pad": ("this", "expression", "fill_pattern", "is_left"),
    "Paren": ("this",),
    "Pow": ("this", "expression"),
    "RegexpExtract": ("this", "expression", "group", "parameters", "null_if_pos_overflow"),
    "RegexpFullMatch": ("this", "expression", "options"),
    "RegexpILike": ("this", "expression", "flag"),
    "RegexpLike": ("this", "expression", "flag"),
    "RegexpReplace": ("this", "expression", "replacement", "modifiers", "single_replace"),
    "Replace": ("this", "expression", "replacement"),
    "Round": ("this", "decimals"),
    "SimilarTo": ("this", "expression"),
    "SplitPart": ("this", "delimiter", "part_index"),
    "StrPosition": ("this", "substr"),
    "StrToTime": ("this", "format"),
    "Subquery": ("this",),
    "Substring": ("this", "start", "length"),
    "TimeToStr": ("this", "format"),
    "TimeToUnix": ("this",),
    "TimestampTrunc": ("this", "unit"),
    "Trim": ("this", "position", "expression"),
    "TryCast": ("this", "to"),
    "WidthBucket": ("this", "min_value", "max_value", "num_buckets"),
}
"""By the class of the node, for every method of `Translator` that reads one."""
