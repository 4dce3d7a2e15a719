"""What EXISTS may select, and which clauses leave the rows of a sub-query as they are.

EXISTS asks for a row alone, so what it selects is not computed.  Functions can change how many rows
there are: an aggregate has one row even of none, and UNNEST may have none.
"""

from __future__ import annotations

from typing import Any

from shoal.sql.question_text import Text

ROWS_AS_THEY_ARE = ("expressions", "from_", "from", "joins", "where", "with_", "with")
"""The clauses of a sub-query that are read where it is compared with the row at hand."""


def check_items_of_exists(select: Any, text: Text) -> None:
    """Refuse EXISTS (SELECT COUNT(*) ...) and other functions there."""
    from sqlglot import exp  # noqa: PLC0415 - heavy

    for item in select.expressions:
        if item.find(exp.Func, exp.Query) is not None:
            raise text.refused(
                item,
                "EXISTS asks whether there is a row; what it selects is not computed.",
                "Write EXISTS (SELECT 1 FROM ...), with conditions in WHERE.",
            )
