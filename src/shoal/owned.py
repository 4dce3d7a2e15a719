"""Whoever holds a budget holds it alone: what can be spent refuses to be copied, sent away or used
after a fork.

`owned.md` argues why that is enough, and what it does not cover.
"""

from __future__ import annotations

import os
from typing import Any, ClassVar, NoReturn, Self

from shoal.errors import OwnerError


class _Life:
    """One process, from its start or from the fork that made it."""


_life = _Life()


def _begin_life() -> None:
    global _life  # noqa: PLW0603 - a forked child is another process from here on
    _life = _Life()


if hasattr(os, "register_at_fork"):  # where processes can fork at all
    os.register_at_fork(after_in_child=_begin_life)


def this_process() -> tuple[object, int]:
    """A value that is equal in one process only: a fork changes it, even if the child gets a number
    that was used before.

    >>> this_process() == this_process()
    True
    """
    return _life, os.getpid()


class NotCopied:
    """What exists once: copying, pickling and replacing it are refused before anything is made.

    ``called`` is what an error calls it, ``harm`` what a second one would do, and ``way_out`` what
    to do instead.
    """

    called: ClassVar[str] = "this object"
    harm: ClassVar[str] = "each copy could be spent whole."
    way_out: ClassVar[str] = (
        "Pass the object itself on within one process. "
        "Between processes use a vault, which they all share: shoal.open('office.shoal')."
    )

    def __copy__(self) -> NoReturn:
        self._refuse_copy()

    def __deepcopy__(self, memo: dict[int, Any]) -> NoReturn:
        self._refuse_copy()

    def __replace__(self, **changes: Any) -> NoReturn:
        self._refuse_copy()

    def __reduce__(self) -> NoReturn:
        self._refuse_copy()

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        self._refuse_copy()

    def __getstate__(self) -> NoReturn:
        self._refuse_copy()

    def __setstate__(self, state: object) -> NoReturn:
        self._refuse_copy()

    def _refuse_copy(self) -> NoReturn:
        raise OwnerError(
            f"{self.called} cannot be copied, pickled or sent to another process: {self.harm}",
            remedy=self.way_out,
        )


class Owned(NotCopied):
    """What exists once and belongs to the process that made it: a forked child cannot use it.

    Whatever reads or changes the state calls `_check_owner` first, before it waits for a lock: a
    lock that was held at the moment of the fork stays held in the child for ever.
    """

    def __new__(cls, *_: Any, **__: Any) -> Self:
        made = super().__new__(cls)
        object.__setattr__(made, "_owner", this_process())
        return made

    @property
    def _is_at_home(self) -> bool:
        owner: tuple[object, int] = self.__dict__["_owner"]
        return owner == this_process()

    def _check_owner(self) -> None:
        if not self._is_at_home:
            raise OwnerError(
                f"{self.called} belongs to the process that made it, and this process is a fork of that one: {self.harm}",
                remedy=self.way_out,
            )
