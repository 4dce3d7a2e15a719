"""Numbers that are typed as options: read by the one grammar of `shoal.exact.numeral`, not by
``int()`` and ``float()`` alone.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, get_args, get_type_hints

import typer

from shoal.exact import TooFar, numeral, whole_numeral

_MOST_DIGITS = 40


def read_plainly(command: Any) -> Any:
    """The same command, whose options and arguments refuse underscores, digits of other scripts and
    words for infinity.
    """
    for each in getattr(command, "commands", {}).values():
        read_plainly(each)
    hints = {} if command.callback is None else get_type_hints(command.callback)
    for param in command.params:
        hint = hints.get(param.name)
        kinds = {hint, *get_args(hint)}
        if kinds & {int, float}:
            is_plain = _is_whole if int in kinds else _is_decimal
            param.process_value = partial(_processed, param, param.process_value, is_plain)
    return command


def _processed(
    param: Any,
    process: Callable[[Any, Any], Any],
    is_plain: Callable[[str], bool],
    ctx: Any,
    value: Any,
) -> Any:
    for each in value if isinstance(value, list | tuple) else [value]:
        if isinstance(each, str) and not is_plain(each):
            raise typer.BadParameter(f"{each[:40]!r} is not a number.", ctx=ctx, param=param)
    return process(ctx, value)


def _is_whole(text: str) -> bool:
    return whole_numeral(text, digits=_MOST_DIGITS) is not None


def _is_decimal(text: str) -> bool:
    try:
        return "/" not in text and numeral(text) is not None
    except TooFar:
        return False
