"""The curator's commands: init, add, update, list, describe, budget, grant, accept."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from shoal.cli.console import answers, refusals, remarks, writable
from shoal.cli.csv_options import (
    Decimal,
    Delimiter,
    Encoding,
    Header,
    Types,
    propose,
    settle,
    source_again,
    source_of,
)
from shoal.cli.options import (
    AsJson,
    ByPerson,
    ByRow,
    Groups,
    RowsPerGroup,
    SeenAs,
    VaultOption,
    WholeBudget,
    counts_of,
    facts_of,
    opened,
    unit_of,
    vault_path,
)
from shoal.cli.printed_tables import facts_table, known_of, plain_table
from shoal.errors import SchemaError, VaultError
from shoal.measures import budget_of
from shoal.plan import Row
from shoal.vault import Dataset, Vault
from shoal.vault import open as open_vault
from shoal.vault.declaration import HEADER
from shoal.vault.sources import lineage

_FIRST = "office.shoal"
"""What the vault is called that is made for the first dataset."""

INIT = """
For example:

    shoal init office.shoal
"""
ADD = """
For example:

    shoal add visits visits.parquet --person user_id --groups 5 --rows-per-group 3 --range spend=0:500 --choices city=Aldam,Brook,Corve --budget 3,1e-7

    shoal add people people.csv --row --type age=integer --range age=0:120 --budget 1

    shoal add towns towns.csv --public

    shoal add visits.toml
"""
UPDATE = """
For example:

    shoal update visits --relation "same people"

    shoal update visits --range spend=0:400
"""
LIST = """
For example:

    shoal list

    shoal list --json
"""
DESCRIBE = """
For example:

    shoal describe visits

    shoal describe visits --as ana

    shoal describe visits --toml
"""
ACCEPT = """
For example:

    shoal accept "restored from Monday's copy; nothing was asked since"
"""


class VersionRelation(StrEnum):
    """How new data stand to those before."""

    SAME_PEOPLE = lineage.SAME_PEOPLE
    NEW_PEOPLE = lineage.NEW_PEOPLE
    ALL_PEOPLE = lineage.ALL_PEOPLE
    SAME_ROWS = lineage.SAME_ROWS
    MORE_ROWS = lineage.MORE_ROWS


Ranges = Annotated[
    list[str] | None, typer.Option("--range", metavar="COL=LO:HI", help="The range of a column.")
]
ChoicesOption = Annotated[
    list[str] | None, typer.Option("--choices", metavar="COL=A,B,C", help="The values of a column.")
]
ChoiceOption = Annotated[
    list[str] | None,
    typer.Option(
        "--choice",
        metavar="COL=VALUE",
        help="One value of a column, which may hold commas; give it once for each value.",
    ),
]
Required = Annotated[
    list[str] | None, typer.Option("--required", metavar="COL", help="A column without NULL.")
]
Keys = Annotated[
    list[str] | None,
    typer.Option(
        "--keys", metavar="COL=N", help="How many rows of one person agree in a column, for joins."
    ),
]


def init(
    path: Annotated[
        str, typer.Argument(metavar="VAULT", help="A new file, or a postgresql:// address.")
    ],
) -> None:
    """Make a vault: one file that only you can read, without a row of anybody's data in it."""
    with refusals():
        if "://" not in path and Path(path).exists():
            raise VaultError(
                f"there is a file {path!r} already; nothing was changed.",
                remedy="Choose another name.",
            )
        if "://" not in path:
            writable(Path(path))
        open_vault(path).close()
        answers().print(
            Text.assemble(
                ("Made ", ""), (path, "bold"), ". Next: shoal add NAME PATH --vault ", path
            ),
            soft_wrap=True,
        )


def add(
    name: Annotated[
        str | None, typer.Argument(help="What SQL calls it; or a declaration, NAME.toml.")
    ] = None,
    path: Annotated[
        str | None,
        typer.Argument(
            help="A .parquet or .csv file, a folder of .parquet files, a .duckdb file, or an address of Spark."
        ),
    ] = None,
    *,
    vault: VaultOption = None,
    row: ByRow = False,
    person: ByPerson = None,
    groups: Groups = None,
    rows_per_group: RowsPerGroup = None,
    change: Annotated[
        bool,
        typer.Option("--change", help="Neighbours have one unit changed, not added or removed."),
    ] = False,
    ranges: Ranges = None,
    choices: ChoicesOption = None,
    choice: ChoiceOption = None,
    required: Required = None,
    keys: Keys = None,
    types: Types = None,
    header: Header = None,
    delimiter: Delimiter = None,
    decimal: Decimal = None,
    encoding: Encoding = None,
    budget: WholeBudget = None,
    table: Annotated[
        str | None,
        typer.Option(help="The table of a .duckdb file; of Spark, database.table or a path."),
    ] = None,
    public: Annotated[bool, typer.Option("--public", help="It protects nobody.")] = False,
    shares: Annotated[
        list[str] | None,
        typer.Option(
            metavar="DATASET",
            help="Another dataset about the same people, with the same ids for them, whose budget it shares.",
        ),
    ] = None,
    new_people: Annotated[
        bool,
        typer.Option(
            "--new-people", help="Nobody in it is in another dataset that lies in the same file."
        ),
    ] = False,
    declaration: Annotated[
        Path | None,
        typer.Option("--from", metavar="FILE", help="A declaration as shoal add writes it."),
    ] = None,
    toml: Annotated[
        bool, typer.Option(help="Write the declaration beside the vault, as NAME.toml.")
    ] = True,
) -> None:
    """Register a dataset: where the file is, which people it describes, what is known of its
    columns, and its budget.

    Facts are stated from knowledge of the world, never read off the rows. Rows stay where they are.

    The easiest way: run shoal declare FILE, fill in the declaration that it writes, and run shoal
    add NAME.toml.  Where there is no vault yet, office.shoal is made.
    """
    with refusals():
        if name is not None and path is None and declaration is None and name.endswith(".toml"):
            declaration, name = Path(name), None
        if declaration is not None:
            _check_alone(
                {
                    "PATH": path,
                    "--row": row,
                    "--person": person,
                    "--groups": groups is not None,
                    "--rows-per-group": rows_per_group is not None,
                    "--change": change,
                    "--range": ranges,
                    "--choices": choices,
                    "--choice": choice,
                    "--required": required,
                    "--keys": keys,
                    "--budget": budget is not None,
                    "--table": table,
                    "--public": public,
                    "--shares": shares,
                    "--type": types,
                    "--header": header is not None,
                    "--delimiter": delimiter,
                    "--decimal": decimal,
                    "--encoding": encoding,
                }
            )
        relation = lineage.NEW_PEOPLE if new_people else None
        unit = (
            None
            if declaration
            else unit_of(
                row=row,
                person=person,
                groups=groups,
                rows_per_group=rows_per_group,
                change=change,
                public=public,
            )
        )
        facts = facts_of(ranges or [], choices or [], choice or [])
        counts = counts_of(keys or [])
        whole = None if budget is None else budget_of(budget)
        source = source_of(
            path,
            types or [],
            header=header,
            delimiter=delimiter,
            decimal=decimal,
            encoding=encoding,
        )
        with _vault_or_first(vault) as used, opened(used) as held:
            file = (
                _declared_at(vault_path(used), name or "") if toml and declaration is None else None
            )
            if declaration is not None:
                made = held.add_from(declaration, name=name, relation=relation)
                settle(declaration)
            else:
                if name is None or source is None:
                    raise SchemaError(
                        "a dataset needs a name and a path.",
                        remedy="Write shoal add visits visits.parquet ...",
                    )
                if file is not None:
                    text = held.proposal(
                        name,
                        source,
                        protects=unit,
                        budget=whole,
                        columns=facts,
                        required=required or (),
                        keys=counts,
                        shares=shares,
                        file=file,
                    )
                    propose(text, file, new_people=new_people)
                made = held.add(
                    name,
                    source,
                    protects=unit,
                    budget=whole,
                    columns=facts,
                    required=required or (),
                    keys=counts,
                    table=table,
                    public=public,
                    shares=shares,
                    relation=relation,
                )
            if file is not None:
                file.write_text(held.to_toml(made.name, beside=file.parent), encoding="utf-8")
            _show_added(held, made, file)


@contextmanager
def _vault_or_first(given: str | None) -> Iterator[str | None]:
    """The vault that is meant; where none is here yet, one that stays only if a dataset is
    registered in it.
    """
    if given is not None or any(Path().glob("*.shoal")):
        yield given
        return
    first = writable(Path(_FIRST))
    before = set(Path().iterdir())
    open_vault(_FIRST).close()
    try:
        yield _FIRST
    except BaseException:
        for each in set(Path().glob(f"{_FIRST}*")) - before:
            each.unlink()
        raise
    remarks().print(f"Made {first}, a vault that only you can read.")


def update(
    name: Annotated[str, typer.Argument(help="The dataset.")],
    *,
    vault: VaultOption = None,
    relation: Annotated[
        VersionRelation | None, typer.Option(help="Who is in the data now, beside those before.")
    ] = None,
    path: Annotated[
        str | None, typer.Option(help="Where the file is now, or the address of Spark.")
    ] = None,
    table: Annotated[
        str | None, typer.Option(help="The table there: of a .duckdb file, or of Spark.")
    ] = None,
    budget: Annotated[
        str | None, typer.Option(metavar="EPS[,DELTA]|rho=RHO", help="The budget of new people.")
    ] = None,
    ranges: Ranges = None,
    choices: ChoicesOption = None,
    choice: ChoiceOption = None,
    required: Required = None,
    keys: Keys = None,
    types: Types = None,
    header: Header = None,
    delimiter: Delimiter = None,
    decimal: Decimal = None,
    encoding: Encoding = None,
    groups: Annotated[
        int | None, typer.Option(help="In how many groups one person may count from now on.")
    ] = None,
    rows_per_group: Annotated[
        int | None, typer.Option(help="How many rows of theirs in each.")
    ] = None,
) -> None:
    """Register a change of a dataset: its file was written or moved, or other facts hold.

    * *same people*: rows were added, corrected or dropped. The same budget. If in doubt, this.
    * *new people*: nobody is in both. A new budget.
    * *all people*: people of several earlier versions. Every budget they had.
    * *same rows*: the file was only written anew. Answers are kept.
    """
    with refusals(), opened(vault) as held:
        made = held.update(
            name,
            relation=None if relation is None else str(relation),
            path=source_again(
                held.dataset(name),
                path,
                types or [],
                header=header,
                delimiter=delimiter,
                decimal=decimal,
                encoding=encoding,
            ),
            table=table,
            budget=None if budget is None else budget_of(budget),
            columns=facts_of(ranges or [], choices or [], choice or []),
            required=required or (),
            keys=counts_of(keys or []),
            groups=groups,
            rows_per_group=rows_per_group,
        )
        _show_added(held, made, None)


def list_(*, vault: VaultOption = None, as_json: AsJson = False) -> None:
    """The datasets of a vault."""
    with refusals(), opened(vault, only_reads=True, from_afar=True) as held:
        found = list(held.datasets.values())
        if as_json:
            typer.echo(json.dumps([each.stated for each in found], indent=2, ensure_ascii=False))
            return
        if not found:
            answers().print("No datasets yet. Next: shoal add NAME PATH ...")
            return
        rows = [
            (
                each.name,
                str(each.version),
                "nobody (public)" if each.protects is None else str(each.protects),
                _left(held, each),
            )
            for each in found
        ]
        answers().print(plain_table(["dataset", "version", "protects", "budget"], rows))


def describe(
    name: Annotated[str, typer.Argument(help="The dataset.")],
    *,
    vault: VaultOption = None,
    analyst: SeenAs = None,
    toml: Annotated[
        bool, typer.Option("--toml", help="As a declaration that shoal add reads.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Show a dataset: where the file is, who is protected, and what is declared of its columns."""
    with refusals(), opened(vault, analyst, only_reads=True, from_afar=not toml) as held:
        made = held.dataset(name)
        if toml:
            typer.echo(held.to_toml(name), nl=False)
            return
        if as_json:
            typer.echo(
                json.dumps(
                    {**made.stated, "location": made.location.to_dict()},
                    indent=2,
                    ensure_ascii=False,
                )
            )
            return
        console = answers()
        console.print(
            facts_table(
                [
                    ("dataset", f"{made.name}, version {made.version} ({made.declared})"),
                    ("rows", str(made.location)),
                    (
                        "protects",
                        "nobody: it is public"
                        if made.protects is None
                        else f"{made.protects}; {_neighbours(made)}",
                    ),
                    ("budget", _left(held, made)),
                ]
            )
        )
        console.print()
        rows = [(each.name, str(each.type), known_of(each)) for each in made.columns]
        console.print(plain_table(["column", "type", "known"], rows))


def accept(
    reason: Annotated[str, typer.Argument(help="Why; the journal keeps it.")],
    *,
    vault: VaultOption = None,
) -> None:
    """Acknowledge the problems that shoal verify found, and resume; the journal says why."""
    with refusals(), opened(vault) as held:
        held.accept(reason)
        answers().print("Accepted. Asking goes on.")


def _check_alone(given: Mapping[str, object]) -> None:
    """Refuse what is typed beside a declaration that says it itself."""
    for option, said in given.items():
        if said:
            raise SchemaError(
                f"{option} is given, and --from too; the file says it all.",
                remedy=f"Leave {option} out, or write it into the file. Only NAME, --vault and --new-people go with --from.",
            )


def _declared_at(vault: str, name: str) -> Path | None:
    """Where a declaration is written: beside a vault in a file, and never over a file of somebody's
    own.
    """
    if "://" in vault:
        return None
    file = Path(vault).resolve().parent / f"{name}.toml"
    if file.exists() and not file.read_text(encoding="utf-8", errors="replace").startswith(HEADER):
        raise VaultError(
            f"{file.name} is there already and is not a declaration of ours.",
            remedy="Move it away, or add with --no-toml.",
        )
    return file


def _show_added(held: Vault, made: Dataset, file: Path | None) -> None:
    console = answers()
    console.print(
        Text.assemble((made.name, "bold"), f", version {made.version}: {made.location}"),
        soft_wrap=True,
    )
    if made.protects is not None:
        console.print(
            f"  protects {made.protects}; {_neighbours(made)}", soft_wrap=True, markup=False
        )
        console.print(f"  budget: {_left(held, made)}", soft_wrap=True, markup=False)
        if made.accounts != (made.name,):
            console.print(
                Text(
                    f"  charged to the account of {', '.join(made.accounts)} ({made.declared}); no budget was added.",
                    style="yellow",
                ),
                soft_wrap=True,
            )
    if file is not None:
        console.print(
            f"  declared in {file.name}: review it, keep it.", soft_wrap=True, markup=False
        )


def _left(held: Vault, made: Dataset) -> str:
    if made.public:
        return "none needed"
    standing = held.budget(made.name)
    return f"{standing.spent} spent of {standing.whole}"


def _neighbours(made: Dataset) -> str:
    assert made.protects is not None
    one = "row" if isinstance(made.protects, Row) else "person"
    differ = (
        "adding or removing one" if made.protects.relation == "add_remove" else "the data of one"
    )
    return f"neighbouring datasets differ by {differ} {one}"
