"""The rows of some datasets: opened when first needed, and only if they are what was declared."""

from __future__ import annotations

import ctypes
import weakref
from collections.abc import Iterator, Mapping, Sequence
from threading import RLock

from shoal.engines.engine import Engine
from shoal.engines.engine_choice import close, engine_over
from shoal.engines.limits import NONE, EngineLimits
from shoal.errors import ChangedError, SourceError
from shoal.owned import this_process
from shoal.plan import Bounded, Column, Rows, Scan, Spread, Value, ValueWeights, tables_of
from shoal.vault.dataset import Dataset
from shoal.vault.sources.data_source import DataSource, Handle
from shoal.vault.sources.fingerprint import Dates, Progress

_NOT_READ = "Nothing was read or spent."
_READ = "Rows may have been read; what was charged stays spent, and no answer was kept."


class CheckedEngine:
    """An engine over the sources of some datasets.

    Guarantee: rows are read only from content whose keyed hash is the one declared.  Files are held
        open: what is hashed is what is read, wherever their path leads meanwhile.  They are hashed
        at the first use; afterwards their sizes and dates say whether they were written.  What has
        none that prove it, as a file that was written just now, is hashed at every `check_content`:
        before a question is charged, and before its answer is kept.
    Edges: what Spark reads, and files where the system reads none through a handle, are known by
        their path alone.  A forked child opens an engine of its own.
    """

    def __init__(
        self,
        datasets: Sequence[Dataset],
        secret: bytes,
        progress: Progress | None = None,
        limits: EngineLimits = NONE,
    ) -> None:
        self.datasets = {each.name: each for each in datasets}
        self._secret = secret
        self._progress, self._limits = progress, limits
        self._engine: Engine | None = None
        self._end: weakref.finalize[..., CheckedEngine] | None = None
        self._handles: dict[str, Handle] = {}
        self._dates: dict[str, Dates] = {}
        self._settled: set[str] = set()
        self._begin()

    def _begin(self) -> None:
        self._process = this_process()
        self._open_lock = RLock()

    @property
    def _lock(self) -> RLock:
        """The lock of this process; a forked child begins anew with an engine that is not open."""
        if self._process != this_process():
            _never_end(self._engine)
            if self._end is not None:
                self._end.detach()
            self._engine = self._end = None
            self._begin()
        return self._open_lock

    def check(self, relation: Rows) -> None:
        """Refuse tables that are stated otherwise than they are declared; what their sources have
        is checked when they are opened.
        """
        for table in tables_of(relation).values():
            held = self.datasets.get(table.name)
            declared = {each.name: each.type for each in held.columns} if held else {}
            if any(declared.get(each.name) != each.type for each in table.columns):
                raise SourceError(
                    f"table {table.name!r} is stated otherwise than the vault declares it.",
                    remedy="Ask through the vault: vault.sql(...).",
                )

    def check_content(self, *, after_reading: bool = False) -> None:
        """Refuse content that was not declared; no row is looked at.  ``after_reading`` says that
        rows were before.
        """
        with self._lock:
            for each in self.datasets.values():
                self._check(each, _READ if after_reading else _NOT_READ)

    def _check(self, dataset: Dataset, what: str, *, opening: bool = False) -> None:
        name, known = dataset.name, self._known(dataset)
        is_same = known is not None and known == dataset.location.dates() == self._held(dataset)
        if is_same and (opening or name in self._settled):
            return
        if not is_same:  # the engine and the handle may be of what was there before
            self._forget(name)
            if what is _READ and known is not None and dataset.location.is_local:
                raise ChangedError(  # though it may hold the same now, rows came from what was there meanwhile
                    f"the files of {name!r} were written or moved while they were read. {what}",
                    remedy="Ask again when nobody writes to them.",
                )
        now = self._source(dataset).identity(self._secret, self._progress)
        if now.digest != dataset.digest:
            self._forget(name)
            raise ChangedError(
                f"the data of {name!r} are not those of version {dataset.version}: "
                f"the file was written since. {what}",
                remedy=f"Let the curator declare what they are: vault.update({name!r}, relation='same people'), "
                f"or shoal update {name} --relation 'same people'.",
            )
        self._dates[name] = now.dates or self._held(dataset)
        if now.dates:  # else dates prove nothing yet, and the next check hashes again
            self._settled.add(name)

    def _known(self, dataset: Dataset) -> Dates | None:
        """The dates of the files when they were hashed last; None if they were not, here or when
        they were declared.
        """
        if dataset.name not in self._dates and dataset.dates:
            self._dates[dataset.name] = dataset.dates
            self._settled.add(dataset.name)
        return self._dates.get(dataset.name)

    def _source(self, dataset: Dataset) -> DataSource:
        """Where a dataset is read: through a handle, opened once."""
        if dataset.name not in self._handles:
            self._handles[dataset.name] = dataset.location.open()
        return self._handles[dataset.name].source

    def _held(self, dataset: Dataset) -> Dates:
        return self._source(dataset).dates()

    def close(self) -> None:
        """Drop what the engine keeps; it is opened anew when it is needed."""
        with self._lock:
            self._let_go()

    def _let_go(self) -> None:
        for name in self.datasets:
            self._forget(name)

    def _forget(self, name: str) -> None:
        """Drop the engine, which may read a dataset, and the handle that it is read through."""
        self._engine = None
        if self._end is not None:
            self._end()
        self._settled.discard(name)
        self._dates.pop(name, None)
        handle = self._handles.pop(name, None)
        if handle is not None:
            handle.close()

    def open(self) -> Engine:
        """The engine, with columns as they were declared."""
        with self._lock:
            for each in self.datasets.values():
                self._check(each, _NOT_READ, opening=True)
            if self._engine is None:
                engine = engine_over(self._sources(), self._progress, self._limits)
                self._end = weakref.finalize(self, close, engine)
                self._end.atexit = False  # a session ends by itself
                for name, dataset in self.datasets.items():
                    _check_types(dataset, engine.columns(name))
                    engine.check(Scan(dataset.table))
                self._engine = engine
            return self._engine

    def _sources(self) -> dict[str, object]:
        """What the engine reads; a cluster cannot read through handles of this process."""
        all_held = all(each.location.is_local for each in self.datasets.values())
        return {
            name: each.source(self._source(each) if all_held else each.location)
            for name, each in self.datasets.items()
        }

    def columns(self, table: str) -> tuple[Column, ...]:
        return self.open().columns(table)

    def left_out(self, table: str) -> Mapping[str, str]:
        return self.open().left_out(table)

    def rows(self, relation: Rows, *, persons: bool = False) -> list[tuple[Value, ...]]:
        return self.open().rows(relation, persons=persons)

    def read_through(self, relation: Rows) -> None:
        self.open().read_through(relation)

    def totals(
        self, bounded: Bounded, *, soon: Bounded | None = None
    ) -> dict[tuple[Value, ...], tuple[int, ...]]:
        return self.open().totals(bounded, soon=soon)

    def parts(
        self, bounded: Bounded, *, soon: Bounded | None = None
    ) -> Iterator[dict[tuple[Value, ...], tuple[int, ...]]]:
        return self.open().parts(bounded, soon=soon)

    def weights(self, spread: Spread) -> dict[tuple[Value, ...], ValueWeights]:
        return self.open().weights(spread)

    def shares(self, bounded: Bounded) -> dict[tuple[int, int], int]:
        return self.open().shares(bounded)


def _never_end(inherited: Engine | None) -> None:
    """Neither use nor close an engine that a fork has copied, not even at exit.

    Its threads stayed with the parent: whoever waits for them waits for ever, and its destructor
    ends the process.
    """
    if inherited is not None:
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(inherited))


def _check_types(dataset: Dataset, found: Sequence[Column]) -> None:
    types = {each.name: each.type for each in found}
    for each in dataset.columns:
        if types.get(each.name) != each.type:
            raise SourceError(
                f"column {each.name!r} of {dataset.name!r} is declared as {each.type}, "
                f"and is read as {types.get(each.name, 'nothing')}.",
                remedy="Declare the dataset anew with update.",
            )
