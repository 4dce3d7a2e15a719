"""What is typed after the dashes, read: vaults, budgets, facts, and numbers by one grammar."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Annotated, Any, cast, get_args, get_type_hints

import typer

from shoal.cli.console import reading
from shoal.errors import RangeError, SchemaError, StorageError, VaultError
from shoal.exact import TooFar, numeral, whole_numeral
from shoal.plan import Choices, Person, Range, Row, Unit
from shoal.vault import Vault
from shoal.vault import open as open_vault

VaultOption = Annotated[
    str | None,
    typer.Option(
        "--vault",
        envvar="SHOAL_VAULT",
        help="The vault: a file, a postgresql:// address, or the http(s):// address of an office, with SHOAL_TOKEN.  [default: the only *.shoal file here]",
    ),
]
Sql = Annotated[
    str, typer.Argument(metavar="SQL", help="A question, such as SELECT COUNT(*) AS n FROM visits.")
]
Epsilon = Annotated[str | None, typer.Option(help="What to spend.")]
Delta = Annotated[str | None, typer.Option(help="What to spend on the selection of unknown keys.")]
Rho = Annotated[str | None, typer.Option(help="What to spend of a zero-concentrated budget.")]
Noise = Annotated[
    str | None, typer.Option(help="laplace or gaussian.  [default: whichever errs less]")
]
Analyst = Annotated[
    str | None,
    typer.Option("--as", metavar="ANALYST", help="Ask as an analyst, from their allowance."),
]
SeenAs = Annotated[
    str | None, typer.Option("--as", metavar="ANALYST", help="As an analyst sees it.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print data instead of text.")]


ByRow = Annotated[bool, typer.Option("--row", help="Protect each row by itself.")]
ByPerson = Annotated[
    list[str] | None,
    typer.Option(
        "--person",
        metavar="COL",
        help="Protect each person, identified by this column, with all their rows.",
    ),
]
Groups = Annotated[
    int | None,
    typer.Option(
        "--groups", help="In how many groups of an answer one person may count.  [default: 1]"
    ),
]
RowsPerGroup = Annotated[
    int | None,
    typer.Option(
        "--rows-per-group", help="How many rows of theirs may count in each.  [default: 1]"
    ),
]
WholeBudget = Annotated[
    str | None,
    typer.Option(
        "--budget", metavar="EPS[,DELTA]|rho=RHO", help="All that may ever be spent on it."
    ),
]


def vault_path(given: str | None) -> str:
    """The vault that is meant: the one that was named, or the only one here."""
    if given:
        return given
    here = _vaults_here()
    if len(here) == 1:
        return here[0]
    raise VaultError(
        f"there are {len(here)} vaults here: {', '.join(here[:5])}."
        if here
        else "there is no vault here.",
        remedy="Say which: --vault office.shoal, or set SHOAL_VAULT."
        if here
        else "Make one: shoal init office.shoal, or say where it is with --vault.",
    )


def only_vault() -> str | None:
    """The only vault here, if there is just one."""
    here = _vaults_here()
    return here[0] if len(here) == 1 else None


def _vaults_here() -> list[str]:
    return sorted(str(path) for path in Path().glob("*.shoal"))


@contextmanager
def opened(
    given: str | None,
    analyst: str | None = None,
    *,
    only_reads: bool = False,
    from_afar: bool = False,
) -> Iterator[Vault]:
    """The vault that is meant, open; files are read with a bar if they are long.

    A command that ``only_reads`` does with read access alone, where the vault cannot be written;
    one that works ``from_afar`` also takes the address of an office.
    """
    if given is not None and given.startswith(("http://", "https://")):
        yield _office(given, analyst, from_afar=from_afar)
        return
    with reading("Reading") as progress:
        vault = _open(vault_path(given), progress, only_reads=only_reads)
        try:
            yield vault if analyst is None else vault.as_(analyst)
        finally:
            vault.close()


def _office(address: str, analyst: str | None, *, from_afar: bool) -> Vault:
    """The office at an address, which has the words of a vault that these commands need."""
    if not from_afar:
        raise VaultError(
            "this command works on the vault itself, and not through an office.",
            remedy="Run it where the vault is: --vault office.shoal.",
        )
    if analyst is not None:
        raise VaultError("a token says who asks at an office.", remedy="Leave --as out.")
    from shoal.client import connect  # noqa: PLC0415 - only for those who ask from afar

    return cast("Vault", connect(address))


def _open(path: str, progress: Callable[[int, int], None], *, only_reads: bool) -> Vault:
    try:
        return open_vault(path, create=False, progress=progress)
    except StorageError as error:
        if not only_reads:
            raise
        try:
            return open_vault(path, create=False, progress=progress, read_only=True)
        except StorageError:
            raise error from None


def facts_of(
    ranges: Sequence[str], choices: Sequence[str], choice: Sequence[str] = ()
) -> dict[str, Range | Choices]:
    """Facts as they are typed: x=0:9 or x=0..9, city=a,b,c, and one choice after the other.

    >>> facts_of([], [], ["ward=Geriatrics, long stay", "ward=Surgery"])
    {'ward': Choices(['Geriatrics, long stay', 'Surgery'])}
    """
    found: dict[str, Range | Choices] = {}
    for text in ranges:
        name, said = pair(text, "--range", "x=0:9")
        ends = said.split("..") if ".." in said else said.split(":")
        if len(ends) != 2:
            raise SchemaError(
                f"--range {text[:60]!r} does not have two ends.",
                remedy="Write --range x=0:9, or --range at=2026-01-01T00:00..2026-12-31T23:59 where ends hold a colon.",
            )
        found[name] = Range(ends[0].strip(), ends[1].strip())
    for text in choices:
        name, said = pair(text, "--choices", "city=a,b,c")
        _check_first(found, name)
        found[name] = Choices(_listed(said))
    one_by_one: dict[str, list[str]] = {}
    for text in choice:
        name, said = pair(text, "--choice", "'ward=Geriatrics, long stay'")
        _check_first(found, name)
        one_by_one.setdefault(name, []).append(said)
    return found | {name: Choices(values) for name, values in one_by_one.items()}


def _check_first(found: Mapping[str, object], name: str) -> None:
    if name in found:
        raise SchemaError(
            f"more than one of --range, --choices and --choice is given for column {name!r}.",
            remedy="State a range, or choices in one of the two ways.",
        )


def _listed(said: str) -> list[str]:
    """Choices between commas; one in double quotes keeps its blanks and commas."""
    if '"' in said:
        return next(csv.reader([said], skipinitialspace=True))
    return [each.strip() for each in said.split(",")]


def counts_of(texts: Sequence[str]) -> dict[str, int]:
    """Numbers of rows by column, as they are typed: user_id=3."""
    found = {}
    for text in texts:
        name, said = pair(text, "--keys", "user_id=3")
        number = whole_numeral(said, digits=18)
        if number is None or number < 0:
            raise RangeError(
                f"--keys {text[:60]!r} has no whole number.", remedy="Write --keys user_id=3."
            )
        found[name] = number
    return found


def pair(text: str, option: str, example: str) -> tuple[str, str]:
    """A name and what is said of it."""
    name, equals, said = text.partition("=")
    if not equals or not name.strip() or not said.strip():
        raise SchemaError(
            f"{option} {text[:60]!r} does not say what of which column.",
            remedy=f"Write {option} {example}.",
        )
    return name.strip(), said


def unit_of(
    *,
    row: bool,
    person: list[str] | None,
    groups: int | None,
    rows_per_group: int | None,
    change: bool,
    public: bool,
) -> Unit | None:
    """Who is protected, as it is typed; None for a public table."""
    if row + bool(person) + public != 1:
        raise SchemaError(
            "choose exactly one of --row, --person and --public.",
            remedy="Give --row to protect each row, --person COLUMN to protect each person with all their rows, or --public for a table that protects nobody.",
        )
    if public:
        return None
    relation = "change" if change else "add_remove"
    if row:
        return Row(relation)  # type: ignore[arg-type]
    assert person is not None
    unit = Person(person, relation=relation)
    return unit.with_shares(
        unit.groups if groups is None else groups,
        unit.rows_per_group if rows_per_group is None else rows_per_group,
    )


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
