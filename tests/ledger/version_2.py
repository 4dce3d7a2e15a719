"""A ledger as version 2 of the tables had it: version 1 with tallies.  What is here never
changes.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

from tests.ledger import version_1

TABLES = """
CREATE TABLE shoal_counters (
    tally TEXT NOT NULL, cell TEXT NOT NULL, count INTEGER NOT NULL, PRIMARY KEY (tally, cell)) WITHOUT ROWID;
CREATE TABLE shoal_marks (
    tally TEXT NOT NULL, mark TEXT NOT NULL, used INTEGER NOT NULL, PRIMARY KEY (tally, mark)) WITHOUT ROWID;
UPDATE shoal_about SET value = '2' WHERE name = 'version';
INSERT INTO shoal_counters VALUES ('commute', '00', 2), ('commute', '01', 1);
INSERT INTO shoal_marks VALUES ('commute', 'aa', 1), ('commute', 'bb', 1), ('commute', 'cc', 1), ('commute', 'dd', 0);
"""


def build(path: Path) -> None:
    """Write the file and the head beside it."""
    version_1.build(path)
    connection = sqlite3.connect(path)
    connection.executescript(TABLES)
    connection.commit()
    connection.close()
