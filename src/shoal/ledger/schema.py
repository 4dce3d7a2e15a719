"""The tables of a ledger, and how one of an older version becomes one of this version."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import sqlalchemy as sa

VERSION = 2
"""The version of the tables that this Shoal writes, and the newest it opens."""

# SQLite makes a column the row id only where its type is INTEGER; the journal is then found by
# number without a second index.
_BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")

METADATA = sa.MetaData()

ABOUT = sa.Table(
    "shoal_about",
    METADATA,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("value", sa.Text, nullable=False),
)
"""The version of the tables, and the entry of the alarm that stands, if any."""

ENTRIES = sa.Table(
    "shoal_entries",
    METADATA,
    sa.Column("number", _BIG, primary_key=True, autoincrement=False),
    sa.Column("previous", sa.Text, nullable=False),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("time", sa.Text, nullable=False),
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("hash", sa.Text, nullable=False),
    sa.Column("caller", sa.Text),
    sa.Column("key", sa.Text),
    sa.Column("same", sa.Text),
    sa.Column("of", _BIG),
)
"""The journal; rows are only ever added.  The last four columns repeat the body, to be looked up.
"""

ACCOUNTS = sa.Table(
    "shoal_accounts",
    METADATA,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("budget", sa.Text, nullable=False),
    sa.Column("relation", sa.Text, nullable=False),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("events", _BIG, nullable=False),
    sa.Column("entry", _BIG, nullable=False),
    sa.Column("seal", sa.Text, nullable=False),
)
"""Where each account stands.  It follows from the journal and is kept so that nobody need replay
it.
"""

COUNTERS = sa.Table(
    "shoal_counters",
    METADATA,
    sa.Column("tally", sa.Text, primary_key=True),
    sa.Column("cell", sa.Text, primary_key=True),
    sa.Column("count", _BIG, nullable=False),
    sqlite_with_rowid=False,
)
"""How often each cell of a tally came; in the order of the cells, so that nothing tells which came
first.
"""

MARKS = sa.Table(
    "shoal_marks",
    METADATA,
    sa.Column("tally", sa.Text, primary_key=True),
    sa.Column("mark", sa.Text, primary_key=True),
    sa.Column("used", _BIG, nullable=False),
    sqlite_with_rowid=False,
)
"""The marks of a tally that were given out, 0, or used, 1; in the order of the marks, which are
digests.
"""


def _found_by(name: str, *columns: str, given: str) -> None:
    """An index over the few entries that have a value there: the others cost nothing."""
    present = ENTRIES.c[given].is_not(None)
    sa.Index(
        name,
        *(ENTRIES.c[column] for column in columns),
        sqlite_where=present,
        postgresql_where=present,
    )


_found_by("shoal_by_key", "caller", "key", given="key")
_found_by("shoal_by_same", "same", given="same")
_found_by("shoal_by_charge", "of", given="of")

UNLISTED = sa.text("kind NOT IN ('charge', 'answered', 'failed', 'left', 'resumed')")
"""Entries that are few: facts, accounts and what is said about the journal itself; the words an
index is chosen by.
"""

sa.Index(
    "shoal_by_kind",
    ENTRIES.c.kind,
    ENTRIES.c.number,
    sqlite_where=UNLISTED,
    postgresql_where=UNLISTED,
)

CHARGES = sa.text("kind = 'charge'")
"""The entries that are charges, as literal words: an index is chosen by them."""

_CHARGES_INDEX = "shoal_charges"
# Releases are numbered by counting charges, which this index makes quick.
sa.Index(
    _CHARGES_INDEX,
    ENTRIES.c.kind,
    ENTRIES.c.number,
    sqlite_where=CHARGES,
    postgresql_where=CHARGES,
)

SQLITE_CHARGES_INDEX = (
    f"CREATE INDEX IF NOT EXISTS {_CHARGES_INDEX} ON shoal_entries (kind, number) "
    "WHERE kind = 'charge'"
)
"""For files that were made before there was this index; without it the count is the same."""

SQLITE_GUARDS = (
    """CREATE TRIGGER IF NOT EXISTS shoal_never_changes BEFORE UPDATE ON shoal_entries
    BEGIN SELECT RAISE(ABORT, 'entries are never changed'); END""",
    """CREATE TRIGGER IF NOT EXISTS shoal_never_forgets BEFORE DELETE ON shoal_entries
    BEGIN SELECT RAISE(ABORT, 'entries are never removed'); END""",
)
"""SQLite itself refuses to change the past; they are there against accidents, and renewed at every
opening.
"""

POSTGRES_REFUSAL = "BEGIN RAISE EXCEPTION 'entries are never changed or removed'; END"
"""What the trigger of PostgreSQL does."""

POSTGRES_GUARDS = (
    f"CREATE OR REPLACE FUNCTION shoal_refuse() RETURNS trigger LANGUAGE plpgsql AS $${POSTGRES_REFUSAL}$$",
    "DROP TRIGGER IF EXISTS shoal_never_changes ON shoal_entries",
    """CREATE TRIGGER shoal_never_changes BEFORE UPDATE OR DELETE OR TRUNCATE ON shoal_entries
    FOR EACH STATEMENT EXECUTE FUNCTION shoal_refuse()""",
    "ALTER TABLE shoal_entries ENABLE ALWAYS TRIGGER shoal_never_changes",
)
"""PostgreSQL refuses, too, for the owner of the tables as well, who would have to remove the
trigger first.
"""

POSTGRES_GUARDED = """SELECT count(*) FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid
WHERE t.tgrelid = 'shoal_entries'::regclass AND t.tgname = 'shoal_never_changes' AND t.tgenabled = 'A'
AND t.tgtype = 58 AND p.proname = 'shoal_refuse' AND p.prosrc = %s"""
"""1 where the guard stands as it was made; 58 is: before, for a statement, on update, delete and
truncate.
"""

Migration = Callable[[sa.Connection], None]


def _add_tallies(connection: sa.Connection) -> None:
    METADATA.create_all(connection, [COUNTERS, MARKS])


MIGRATIONS: Mapping[int, Migration] = {1: _add_tallies}
"""Version -> what turns the tables of this version into those of the next.  Entries are never
rewritten.
"""


def version_of(connection: sa.Connection) -> int | None:
    """The version of the tables in a database; None where there is no ledger."""
    if not sa.inspect(connection).has_table(ABOUT.name):
        return None
    found = connection.execute(sa.select(ABOUT.c.value).where(ABOUT.c.name == "version")).scalar()
    return int(found) if found is not None and found.isascii() and found.isdecimal() else 0


def set_up(connection: sa.Connection) -> None:
    """Make the tables in a database that has none."""
    METADATA.create_all(connection)
    connection.execute(ABOUT.insert().values(name="version", value=str(VERSION)))


def migrate(connection: sa.Connection, version: int) -> None:
    """Take the tables from an older version to this one, step by step."""
    for step in range(version, VERSION):
        MIGRATIONS[step](connection)
        connection.execute(
            ABOUT.update().where(ABOUT.c.name == "version").values(value=str(step + 1))
        )
