"""Bounded totals as SQL: rows are grouped into cells, cells into persons, and both into totals.

A cell holds the rows of one person in one group: the key k0, k1, ..., the person p0, p1, ..., the
number of rows n and the sum of each term s0, s1, ..., in words where SUM needs them.  Distinct
values are counted elsewhere and are 0 here.  Only persons who exceed their share have a factor.

Words make sums exact where SUM holds 64 bits only: numbers are cut into words, and each word is
added up by itself.  With words of b bits a number x, |x| <= ``size``, is x = sum of 2^(b i) w_i,
where the highest word has the sign and the others are from 0 to 2^b - 1; all are at most 2^b in
size, so fewer than 2^(63 - b) of them add up within 64 bits.  Where SUM is wide by itself
(``dialect.word`` is 0) a number is its only word.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from shoal.engines.sql.dialect import Dialect, real
from shoal.engines.sql.expressions import Layers, SqlPiece, lowered
from shoal.engines.sql.person_windows import cells_beside
from shoal.engines.sql.relations import names_of, persons_of, read_by, select
from shoal.plan import BY_PERSON, REAL, WHOLE, Bounded, Kind, Person, Quantity, Term
from shoal.sensitivity import Norm


def keys_of(bounded: Bounded) -> list[str]:
    """How the keys are written."""
    return [f"k{at}" for at in range(len(bounded.keys))]


def row_values(
    bounded: Bounded, sources: Mapping[str, str], dialect: Dialect
) -> tuple[str, list[str]]:
    """The SELECT of what is needed of each row, and how it names what is added to terms t0, t1,
    ...
    """
    relation = bounded.relation
    layers, names = Layers(), names_of(relation)
    keys = [lowered(key, names, layers, dialect) for key in bounded.keys]
    added = [_added(term, names, layers, dialect) for term in bounded.terms]
    outputs = [f"{piece.sql} AS {key}" for piece, key in zip(keys, keys_of(bounded), strict=True)]
    outputs += [f"{sql} AS t{at}" for at, sql in enumerate(added) if sql]
    if isinstance(bounded.unit, Person):
        outputs += persons_of(relation)
    read = read_by(*bounded.keys, *(term.argument for term in bounded.terms))
    rows = layers.over(f"({select(relation, sources, dialect, read)})")
    said = [f"t{at}" for at, sql in enumerate(added) if sql]
    return f"SELECT {', '.join(outputs) or '1 AS one'} FROM {rows}", said


def cells(bounded: Bounded, sources: Mapping[str, str], dialect: Dialect) -> str:
    """The SELECT of cells; for protected rows the cells are the groups, and the sums their
    totals.
    """
    rows, added = row_values(bounded, sources, dialect)
    by = keys_of(bounded)
    if isinstance(bounded.unit, Person):
        by += persons_of(bounded.relation)
    sums = []
    for name in added:
        at, size = name[1:], bounded.terms[int(name[1:])].bound
        named = zip(cut(name, size, dialect), names_of_words(f"s{at}", size, dialect), strict=True)
        sums += [f"SUM({word}) AS {held}" for word, held in named]
    listed = ", ".join([*by, "COUNT(*) AS n", *sums])
    group = f" GROUP BY {', '.join(by)}" if by else ""
    if not (dialect.together and isinstance(bounded.unit, Person) and bounded.keys):
        return f"SELECT {listed} FROM ({rows}){group}"
    persons = persons_of(bounded.relation)
    rows = f"SELECT {dialect.together.format(', '.join(persons))} * FROM ({rows})"
    return cells_beside(f"SELECT {listed} FROM ({rows}){group}", persons, bounded.unit)


def totals(
    bounded: Bounded,
    made: str,
    dialect: Dialect,
    *,
    of: Sequence[Term] | None = None,
    everyone: bool = False,
) -> str:
    """The SELECT of totals over a table of cells: the keys, then the words of one whole number per
    term.

    ``of`` are the terms wanted, where these are not all; with ``everyone`` nobody exceeds their
    share, and nobody is looked up; nor is anyone where the cells have what their person has in all
    beside them (`person_windows`).  Where words are added up, the number of rows comes last:
    `most_added` says for how many sums are exact.
    """
    by, wanted = keys_of(bounded), bounded.terms if of is None else of
    terms = [(bounded.terms.index(term), term) for term in wanted]
    if not isinstance(bounded.unit, Person):
        words = [f"COALESCE({word}, 0)" for pair in terms for word in _summed(*pair, dialect)]
        words += ["n"] * bool(dialect.word)
        return f"SELECT {', '.join([*by, *words])} FROM {made}"
    factors = _Factors(*[_NOBODY] * 3) if everyone else _Factors("w.f", "w.g", "w.m")
    if dialect.together and not everyone:
        made, factors = _with_factors(bounded, made, dialect), _Factors("c.f", "c.g", "c.m")
    scaled = [
        f"{_scaled(bounded, at, term, dialect, factors)} AS v{place}"
        for place, (at, term) in enumerate(terms)
    ]
    listed = [*(f"c.{key}" for key in by), *scaled, *["c.n"] * bool(dialect.word)]
    beside = ""
    if not (everyone or dialect.together):
        beside = _with_exceeding(bounded, exceeding(bounded, made, dialect))
    inner = f"SELECT {', '.join(listed)} FROM {made} AS c{beside}"
    sums = [
        word
        for place, (_, term) in enumerate(terms)
        for word in cut(f"v{place}", size_of(bounded, term), dialect)
    ]
    sums = [f"COALESCE(SUM({word}), 0)" for word in [*sums, *["n"] * bool(dialect.word)]]
    group = " GROUP BY " + ", ".join(by) if by else ""
    return f"SELECT {', '.join([*by, *sums])} FROM ({inner}){group}"


_NOBODY = "CAST(NULL AS BIGINT)"


class _Factors(NamedTuple):
    """How the factors of a cell's person, and the number of their groups, are written; NULL for who
    does not exceed.
    """

    rows: str
    person: str
    groups: str


def _with_exceeding(bounded: Bounded, exceeding: str) -> str:
    """The join that looks up who exceeds."""
    persons = persons_of(bounded.relation)
    # An id that is NULL is one person like any other, and = would not find it.
    same = " AND ".join(f"c.{name} IS NOT DISTINCT FROM w.{name}" for name in persons)
    return f" LEFT JOIN ({exceeding}) AS w ON {same}"


def _with_factors(bounded: Bounded, made: str, dialect: Dialect) -> str:
    """Cells with f for their person's rows and g for the person, where there is more than a share;
    else NULL.
    """
    unit = bounded.unit
    assert isinstance(unit, Person)
    votes = (term.hi for term in bounded.terms if term.quantity is Quantity.VOTES)
    g = _factor("m", unit.groups, dialect, first=bounded.norm is Norm.L1)
    person = f"CASE WHEN m > {min([unit.groups, *votes])} THEN {g} END AS g"
    return f"(SELECT *, {factor_beside(unit, bounded.norm, dialect)} AS f, {person} FROM {made})"


def factor_beside(unit: Person, norm: Norm, dialect: Dialect) -> str:
    """The factor for rows of what stands beside a cell; NULL for whoever has no more than a
    share.
    """
    first = norm is Norm.L1
    most, name = unit.groups * unit.rows_per_group ** (1 if first else 2), "a1" if first else "a2"
    return f"CASE WHEN {name} > {most} THEN {_factor(name, most, dialect, first=first)} END"


def size_of(bounded: Bounded, term: Term) -> int:
    """The most that one cell adds to a total, in size; distinct values are not added up here."""
    if term.quantity is Quantity.DISTINCT:
        return 0
    unit, size = bounded.unit, term.bound * bounded.fraction(term)
    if not isinstance(unit, Person) or term.quantity in BY_PERSON:
        return size
    return size * unit.rows_per_group


def _added(term: Term, names: Mapping[str, str], layers: Layers, dialect: Dialect) -> str:
    """What a row adds to a term; empty where the number of rows says it already."""
    if term.argument is None or term.quantity is Quantity.DISTINCT:
        return ""
    value = layers.once(lowered(term.argument, names, layers, dialect))
    if term.quantity is Quantity.COUNT:
        return f"CASE WHEN {value.sql} IS NULL THEN 0 ELSE 1 END"
    steps = steps_of(term, value, dialect)
    if term.quantity is Quantity.SUM:
        adds = f"{steps} - {term.middle}" if term.middle else steps
    else:
        moved = layers.once(SqlPiece(f"({steps} - {term.middle})", value.level))
        adds = f"{moved.sql} * {moved.sql} - {term.level}"
    return f"COALESCE({adds}, 0)" if term.argument.nullable else f"({adds})"


def steps_of(term: Term, value: SqlPiece, dialect: Dialect) -> str:
    """A value in steps, held between its ends; nothing in it can overflow: it is held before it is
    cut.

    LEAST and GREATEST pass over NULL: one where none can be would count as an end.
    """
    assert term.argument is not None
    kind, may_miss = term.argument.type, term.argument.nullable
    if kind.temporal:
        place = dialect.days_between if kind.kind is Kind.DATE else dialect.microseconds
        value = SqlPiece(place.format(value.sql, "DATE '1970-01-01'"), value.level)
    if kind == REAL:
        # Steps of reals are powers of two, so the product is exact; adding a half can round up a
        # real just below one, which intervals allow for.
        moved = f"({value.sql} * {real(float(1 / term.step))} + {real(0.5)})"
        held = f"LEAST(GREATEST({moved}, {real(float(term.lo))}), {real(float(term.hi))})"
        return _unless_null(value.sql, f"CAST(FLOOR({held}) AS BIGINT)", possible=may_miss)
    step = int(term.step * 10**kind.scale)
    if step == 1:
        lo, hi = (f"CAST({end} AS BIGINT)" for end in (term.lo, term.hi))
        return _unless_null(
            value.sql, f"LEAST(GREATEST({value.sql}, {lo}), {hi})", possible=may_miss
        )
    wide, first = dialect.wide, term.lo * step - step // 2
    above = f"(GREATEST(CAST({value.sql} AS {wide}), CAST({first} AS {wide})) - CAST({first} AS {wide}))"
    counted = dialect.divided.format(above, f"CAST({step} AS {wide})")
    held = f"CAST(LEAST({counted} + {term.lo}, {term.hi}) AS BIGINT)"
    return _unless_null(value.sql, held, possible=may_miss)


def _unless_null(value: str, held: str, *, possible: bool) -> str:
    return f"(CASE WHEN {value} IS NULL THEN NULL ELSE {held} END)" if possible else held


def _summed(at: int, term: Term, dialect: Dialect) -> list[str]:
    if term.quantity is Quantity.DISTINCT:
        return ["0"]
    return names_of_words(f"s{at}", term.bound, dialect) if term.argument is not None else ["n"]


def exceeding(bounded: Bounded, made: str, dialect: Dialect) -> str:
    """The persons who exceed their share, or have no vote: f for their rows, g for themselves."""
    unit, wide = bounded.unit, dialect.wide
    assert isinstance(unit, Person)
    persons = ", ".join(persons_of(bounded.relation))
    counted = f"LEAST(n, {unit.rows_per_group})"
    first = bounded.norm is Norm.L1
    size = counted if first else f"{counted} * {counted}"
    most = unit.groups * unit.rows_per_group ** (1 if first else 2)
    votes = (term.hi for term in bounded.terms if term.quantity is Quantity.VOTES)
    inner = (
        f"SELECT {persons}, CAST(SUM({size}) AS {wide}) AS a, CAST(COUNT(*) AS {wide}) AS m FROM {made} "
        f"GROUP BY {persons} HAVING SUM({size}) > {most} OR COUNT(*) > {min([unit.groups, *votes])}"
    )
    f, g = (
        _factor(name, share, dialect, first=first)
        for name, share in (("a", most), ("m", unit.groups))
    )
    return f"SELECT {persons}, {f} AS f, {g} AS g, m FROM ({inner})"


def _factor(name: str, most: int, dialect: Dialect, *, first: bool) -> str:
    """The factor in 2^-20; a root of at most 2^40 is exact in doubles once it is cut."""
    wide = dialect.wide
    # In L2 the factor is a root, so the quotient is taken at the square of the scale and no digit
    # is lost.
    scale = WHOLE if first else WHOLE * WHOLE
    # 64 bits are enough here.
    if dialect.together and not most * scale >> 62:
        wide = dialect.types[Kind.INTEGER]
    share = dialect.divided.format(f"CAST({most * scale} AS {wide})", f"CAST({name} AS {wide})")
    if not first:
        share = f"FLOOR(SQRT(CAST({share} AS DOUBLE)))"
    return f"CASE WHEN {name} <= {most} THEN {WHOLE} ELSE CAST({share} AS BIGINT) END"


def _scaled(bounded: Bounded, at: int, term: Term, dialect: Dialect, factors: _Factors) -> str:
    """What a cell adds to a total: its sum times the fraction, scaled where its person exceeds.

    The fraction divides 2^20 and is cancelled; for the number of rows so is that number.
    """
    unit, fraction, wide = bounded.unit, bounded.fraction(term), dialect.wide
    assert isinstance(unit, Person)
    if term.quantity is Quantity.DISTINCT:
        return "0"
    if term.quantity in BY_PERSON:
        share = dialect.divided.format(f"({factors.person} * {fraction})", str(WHOLE))
        if term.quantity is Quantity.VOTES:
            share = f"CASE WHEN {factors.groups} > {term.hi} THEN 0 ELSE {share} END"
        return f"CASE WHEN {factors.person} IS NULL THEN {fraction} ELSE {share} END"
    rows = unit.rows_per_group
    counted, factor = f"LEAST(c.n, {rows})", f"COALESCE({factors.rows}, {WHOLE})"
    if term.argument is None:
        share = dialect.divided.format(f"({counted} * {factor} * {fraction})", str(WHOLE))
        return f"CASE WHEN {factors.rows} IS NULL THEN {counted} * {fraction} ELSE {share} END"
    words = [f"c.{name}" for name in names_of_words(f"s{at}", term.bound, dialect)]
    # The largest sum whose product with the factor fits 62 bits; only larger ones pay for wide
    # arithmetic.
    below, most = f"(c.n * {WHOLE // fraction})", (1 << 62) // (rows * WHOLE)
    small, total = (joined(words, dialect, wide=held) for held in (False, True))
    more = len(words) - 1
    highest = most >> (dialect.word + 1) * more
    fits = f"{words[0]} BETWEEN -{highest} AND {highest}" + f" AND c.n <= {highest}" * bool(more)
    narrow = dialect.divided.format(f"(CAST({small} AS BIGINT) * {counted} * {factor})", below)
    broad = dialect.divided.format(f"(CAST({total} AS {wide}) * {counted} * {factor})", below)
    return (
        f"CASE WHEN c.n <= {rows} AND {factors.rows} IS NULL THEN {small} * {fraction} "
        f"WHEN {fits} THEN {narrow} ELSE {broad} END"
    )


# numbers in words


def count_of_words(size: int, dialect: Dialect) -> int:
    """Into how many words a number of at most this size is cut."""
    return 1 if not dialect.word else max(1, -(-size.bit_length() // dialect.word))


def names_of_words(name: str, size: int, dialect: Dialect) -> list[str]:
    """The names of the words of a number, the highest first."""
    count = count_of_words(size, dialect)
    return [name] if count == 1 else [f"{name}_{at}" for at in reversed(range(count))]


def cut(name: str, size: int, dialect: Dialect) -> list[str]:
    """The words of a number that has a name, the highest first."""
    top = count_of_words(size, dialect) - 1
    if not top:
        return [name]
    mask = (1 << dialect.word) - 1
    lower = [_shifted(name, at * dialect.word) for at in reversed(range(top))]
    return [_shifted(name, top * dialect.word), *(f"({each} & {mask})" for each in lower)]


def _shifted(name: str, bits: int) -> str:
    return f"SHIFTRIGHT({name}, {bits})" if bits else name


def joined(names: Sequence[str], dialect: Dialect, *, wide: bool) -> str:
    """One number of sums of words; with ``wide`` whatever they are, without where all of it fits 64
    bits.
    """
    if len(names) == 1:
        return names[0]
    first = f"CAST({names[0]} AS {dialect.wide})" if wide else names[0]
    for name in names[1:]:
        first = f"({first} * {1 << dialect.word} + {name})"
    return first


def number_of(words: Sequence[int], dialect: Dialect) -> int:
    """The number whose words, the highest first, add up to these."""
    total = 0
    for word in words:
        total = (total << dialect.word) + int(word)
    return total


def most_added(dialect: Dialect) -> int | None:
    """Of how many numbers the sum is exact, at least; None if there is no end."""
    return (1 << (63 - dialect.word)) - 1 if dialect.word else None
