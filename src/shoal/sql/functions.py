"""The allow-list: which SQL stands for which function of the plan, and why some SQL stands for
none.
"""

from __future__ import annotations

from typing import Any

from shoal.plan import BOOLEAN, DATE, INTEGER, REAL, TEXT, TIMESTAMP, Type, decimal
from shoal.plan.types import LARGEST_SCALE

BINARY = {
    "Add": "add",
    "Sub": "subtract",
    "Mul": "multiply",
    "Div": "divide",
    "IntDiv": "int_divide",
    "Mod": "mod",
    "EQ": "eq",
    "NEQ": "ne",
    "LT": "lt",
    "LTE": "le",
    "GT": "gt",
    "GTE": "ge",
    "NullSafeEQ": "same",
    "NullSafeNEQ": "same",
    "And": "and",
    "Or": "or",
    "DPipe": "concat",
    "Nullif": "nullif",
    "StartsWith": "starts_with",
    "EndsWith": "ends_with",
    "Contains": "contains",
    "Left": "left",
    "Right": "right",
}
"""sqlglot's nodes of two operands."""

UNARY = {
    "Not": "not",
    "Neg": "negate",
    "Abs": "abs",
    "Floor": "floor",
    "Ceil": "ceil",
    "Sign": "sign",
    "Sqrt": "sqrt",
    "Lower": "lower",
    "Upper": "upper",
    "Length": "length",
}
"""sqlglot's nodes of one operand."""

RELEASED_BY_CLASS = {"Exp": "exp", "Ln": "ln", "Log10": "log10", "Log2": "log2", "Log": "log10"}
"""sqlglot's nodes for functions of released values only; LOG(x) has base 10, as in DuckDB."""

PARTS_BY_CLASS = {
    "Year": "year",
    "Quarter": "quarter",
    "Month": "month",
    "Week": "week",
    "WeekOfYear": "week",
    "Day": "day",
    "DayOfMonth": "day",
    "DayOfWeek": "dow",
    "Hour": "hour",
    "Minute": "minute",
    "Second": "second",
    "DayOfYear": "doy",
    "DayOfWeekIso": "isodow",
}
"""sqlglot's nodes for a part of a date."""

BY_NAME = {
    **{
        name: name
        for name in (
            "abs",
            "bin",
            "ceil",
            "coalesce",
            "contains",
            "date_part",
            "date_trunc",
            "ends_with",
            "floor",
            "greatest",
            "least",
            "left",
            "length",
            "lower",
            "ltrim",
            "mod",
            "nullif",
            "replace",
            "right",
            "round",
            "rtrim",
            "sign",
            "sqrt",
            "starts_with",
            "substring",
            "trim",
            "upper",
            "width_bucket",
        )
    },
    "ceiling": "ceil",
    "datepart": "date_part",
    "datetrunc": "date_trunc",
    "ifnull": "coalesce",
    "len": "length",
    "prefix": "starts_with",
    "substr": "substring",
    "suffix": "ends_with",
}
"""Functions by the names people write."""

KNOWN = sorted(
    {
        *BY_NAME,
        *[
            "age",
            "cast",
            "concat",
            "concat_ws",
            "count",
            "count_if",
            "avg",
            "sum",
            "min",
            "max",
            "median",
            "mode",
            "quantile_cont",
        ],
        *[
            "percentile_cont",
            "percentile_disc",
            "approx_quantile",
            "approx_count_distinct",
            "variance",
        ],
        *[
            "var_pop",
            "var_samp",
            "stddev",
            "stddev_pop",
            "stddev_samp",
            "skewness",
            "kurtosis",
            "corr",
            "covar_pop",
        ],
        *[
            "covar_samp",
            "regr_slope",
            "regr_intercept",
            "regr_r2",
            "regr_count",
            "regr_avgx",
            "regr_avgy",
        ],
        *[
            "regr_sxx",
            "regr_syy",
            "regr_sxy",
            "date_diff",
            "date_sub",
            "dayname",
            "monthname",
            "strftime",
        ],
        *[
            "strptime",
            "epoch",
            "last_day",
            "make_date",
            "year",
            "quarter",
            "month",
            "week",
            "day",
            "hour",
            "minute",
        ],
        *[
            "second",
            "dayofweek",
            "dayofyear",
            "isodow",
            "split_part",
            "strpos",
            "position",
            "instr",
            "lpad",
            "rpad",
        ],
        *["power", "extract", "if", "regexp_matches", "regexp_full_match", "regexp_extract"],
        *["regexp_replace"],
    }
    - {"mode"}
)
"""Every function there is, aggregates too, as people write them."""

_VOLATILE = (
    "a value that changes from one run to the next cannot be part of a question.",
    "Compare with a constant, such as DATE '2026-01-31'.",
)
_RANDOM = (
    "a random choice cannot be part of a question.",
    "Leave it out: noise is drawn after the rows are counted, and a sample would only add error.",
)
_SINGLE = (
    "{name} would show values of single rows.",
    "Count the values instead: SELECT x, COUNT(*) AS n FROM t GROUP BY x.",
)
_EXTREME_ROW = (
    "{name} would show a value of a single row.",
    "Compare groups instead: SELECT x, AVG(y) AS y FROM t GROUP BY x ORDER BY y DESC.",
)
_HANGS_ON_ONE = (
    "whether any or every row meets a condition hangs on one row.",
    "Count them: COUNT_IF(x > 100), or their share: AVG(CASE WHEN x > 100 THEN 1 ELSE 0 END).",
)
_INEXACT = (
    "this function is not computed to the same bits by every engine.",
    "Only + - * / and SQRT are allowed on reals; write x * x for a square, or transform released values: LN(AVG(x)).",
)
_REGULAR = (
    "what a regular expression finds in a text differs between engines.",
    "Ask whether it is there: REGEXP_MATCHES(x, '[0-9]+'); or take a run: REGEXP_EXTRACT(x, '[0-9]+').",
)
_NESTED = (
    "a sub-query inside an expression is not answered.",
    "Put the sub-query in FROM, or ask two questions.",
)
_MISPLACED = (
    "an aggregate can stand only in SELECT, HAVING and ORDER BY, and not inside another.",
    "Filter rows with WHERE before, and groups with HAVING after.",
)

AGGREGATES = {
    "Count",
    "CountIf",
    "Sum",
    "Avg",
    "Variance",
    "VariancePop",
    "Stddev",
    "StddevSamp",
    "StddevPop",
    "Median",
    "Quantile",
    "PercentileCont",
    "PercentileDisc",
    "ApproxQuantile",
    "WithinGroup",
    "Min",
    "Max",
    "Skewness",
    "Kurtosis",
    "ApproxDistinct",
    "CovarPop",
    "CovarSamp",
    "Corr",
    "RegrSlope",
    "RegrIntercept",
    "RegrR2",
    "RegrCount",
    "RegrAvgx",
    "RegrAvgy",
    "RegrSxx",
    "RegrSyy",
    "RegrSxy",
    "Filter",
}

REASONS = {
    **dict.fromkeys(
        (
            "CurrentDate",
            "CurrentTimestamp",
            "CurrentTime",
            "CurrentDatetime",
        ),
        _VOLATILE,
    ),
    **dict.fromkeys(("Rand", "Randn", "Uuid"), _RANDOM),
    **dict.fromkeys(
        ("AnyValue", "First", "Last", "FirstValue", "LastValue", "ArrayAgg", "GroupConcat"), _SINGLE
    ),
    **dict.fromkeys(("ArgMax", "ArgMin"), _EXTREME_ROW),
    "Glob": ("GLOB is not read.", "Use LIKE, or REGEXP_FULL_MATCH(x, 'a.*')."),
    **dict.fromkeys(
        (
            "Pow",
            "Exp",
            "Ln",
            "Log",
            "Log2",
            "Log10",
            "Sin",
            "Cos",
            "Tan",
            "Asin",
            "Acos",
            "Atan",
            "Cbrt",
        ),
        _INEXACT,
    ),
    **dict.fromkeys(
        ("RegexpSubstr", "RegexpCount", "RegexpInstr", "RegexpSplit", "RegexpExtractAll"), _REGULAR
    ),
    **dict.fromkeys(("Subquery", "Select", "Exists", "Union", "Any", "All"), _NESTED),
    **dict.fromkeys(AGGREGATES, _MISPLACED),
    "Window": (
        "window functions are not answered: a row's value would depend on other persons' rows.",
        "Aggregate with GROUP BY, and rank the released values with ORDER BY and LIMIT.",
    ),
    **dict.fromkeys(
        ("Rollup", "Cube", "GroupingSets"),
        ("ROLLUP, CUBE and GROUPING SETS ask several questions at once.", "Ask once per grouping."),
    ),
    "Mode": (
        "MODE needs the count of every value.",
        "Write SELECT x, COUNT(*) AS n ... GROUP BY x ORDER BY n DESC LIMIT 1.",
    ),
    **dict.fromkeys(("LogicalOr", "LogicalAnd"), _HANGS_ON_ONE),
    **dict.fromkeys(
        ("IgnoreNulls", "RespectNulls"),
        (
            "IGNORE NULLS and RESPECT NULLS are not read.",
            "Leave them out; filter with WHERE first.",
        ),
    ),
    "AtTimeZone": (
        "time zones are not converted: a timestamp is what its column says.",
        "Leave AT TIME ZONE out, or convert the data once before they are registered.",
    ),
    "Reverse": ("engines disagree on reversed texts.", "Use RIGHT(x, n), or ENDS_WITH."),
    "IsNan": ("NaN and infinities are NULL here.", "Write x IS NULL."),
    "Interval": ("an interval is not a value here.", "Add days to a date: d + 7."),
    "Placeholder": ("a parameter has no value here.", "Write the value itself."),
    "Parameter": ("a parameter has no value here.", "Write the value itself."),
    "Star": (
        "* stands only in COUNT(*) and in sub-queries: rows are not shown.",
        "Ask for numbers: SELECT COUNT(*) AS n FROM t, or AVG, SUM, MEDIAN of a column.",
    ),
    "Array": ("lists are not values here.", "Ask for each element by itself."),
    "Tuple": ("rows are not values here.", "Compare the columns one by one."),
}
"""Why a construct is refused and what to write instead, by sqlglot's name for it."""

_TENTHS = "QUANTILE_CONT(x, [0.05, 0.15, 0.25, 0.35, 0.45, 0.55, 0.65, 0.75, 0.85, 0.95])"

REASONS_BY_NAME = {
    **dict.fromkeys(("every", "some"), _HANGS_ON_ONE),
    **dict.fromkeys(("list", "approx_top_k", "histogram"), _SINGLE),
    "product": (
        "one row moves a product without limit.",
        "Add up instead: SUM(x), or AVG(x).",
    ),
    "gini": (
        "one number for inequality has no error bar that holds for all data.",
        f"Release the middles of the tenths, {_TENTHS} AS tenth, and compute it from them: docs/questions.md, Inequality.",
    ),
    "entropy": (
        "{name} is computed from the counts of all values.",
        "Release them: SELECT x, COUNT(*) AS n FROM t GROUP BY x.",
    ),
    "mad": ("{name} needs the median first.", "State a centre: MEDIAN(ABS(x - 500))."),
    **dict.fromkeys(
        ("to_char", "date_format"),
        ("dates are written by STRFTIME here.", "Write STRFTIME(d, '%Y-%m')."),
    ),
}
"""The same for functions that sqlglot does not know, by their names."""

_TYPES = {
    **dict.fromkeys(
        (
            "TINYINT",
            "SMALLINT",
            "INT",
            "BIGINT",
            "UTINYINT",
            "USMALLINT",
            "UINT",
            "UBIGINT",
            "INT128",
            "MEDIUMINT",
        ),
        INTEGER,
    ),
    **dict.fromkeys(("FLOAT", "DOUBLE"), REAL),
    **dict.fromkeys(("TEXT", "VARCHAR", "CHAR", "NVARCHAR", "NCHAR", "BPCHAR"), TEXT),
    "BOOLEAN": BOOLEAN,
    "DATE": DATE,
    "DATE32": DATE,
    **dict.fromkeys(("TIMESTAMP", "TIMESTAMPNTZ", "DATETIME"), TIMESTAMP),
}


def type_of(written: Any) -> Type | None:
    """The type a cast names; None if it is none of ours."""
    name = getattr(written.this, "value", str(written.this)).upper()
    if name == "DECIMAL":
        sizes = [part.name for part in written.expressions]
        if not all(size.isascii() and size.isdigit() for size in sizes):
            return None
        width, scale = (*(int(size) for size in sizes), *((18, 3)[len(sizes) :]))[:2]
        if len(sizes) == 1:
            scale = 0
        return decimal(scale) if scale <= LARGEST_SCALE and scale <= width <= 38 else None
    return (
        None
        if written.expressions and name not in ("VARCHAR", "TEXT", "CHAR")
        else _TYPES.get(name)
    )
