"""Everything that can go wrong, as one tree, each with a stable code, a cause and a next step.

::

    ShoalError
    ├── InputError            an argument cannot be used as given (also a ValueError)
    │   ├── NumberError       number-1      not a finite number of an accepted kind
    │   ├── RangeError        number-2      a number outside its allowed range
    │   ├── ShapeError        shape-1       arrays whose shapes do not fit
    │   ├── DataError         data-1        a value to release that is not a finite number
    │   ├── CandidatesError   candidates-1  a set of candidates that cannot be chosen from
    │   ├── EventError        event-1       text that does not describe an event
    │   ├── EventTextError    event-2       compact text that cannot be read, and where
    │   ├── SchemaError       schema-1      tables, columns or facts that do not fit each other
    │   ├── FactsError        facts-1       a range or a list of values that nobody has stated
    │   ├── ExpressionError   expression-1  an expression whose types or constants do not fit
    │   ├── RelationError     relation-1    a join or union whose stability has no bound
    │   ├── UnreadableError   sql-1         text that is not SQL
    │   ├── RefusedError      sql-2         SQL that has no private answer here
    │   ├── UnknownNameError  sql-3         a table, column or function that is not there
    │   ├── SourceError       source-1      a source of rows that cannot be read
    │   ├── PollError         poll-1        a poll, or an answer to one, that does not fit
    │   └── ReportError       poll-2        text that is not a report of this poll
    ├── GuaranteeError        a promise that no theorem supports
    │   ├── ConversionError   measure-1     no sound conversion between these measures
    │   ├── ComparisonError   measure-2     two measures without a common order (also a TypeError)
    │   ├── CalibrationError  calibration-1 no parameter reaches the target
    │   └── PriceError        price-1       an event without a price in the measure asked for
    ├── BudgetExceeded        budget-1      a release that costs more than is left
    ├── ExhaustedError        spent-1       an interactive mechanism has nothing left
    ├── OwnerError            owner-1       a budget or run that was copied, sent away or used after a fork (also a TypeError)
    ├── LedgerError           a ledger that cannot do what was asked
    │   ├── StorageError      ledger-1      a ledger that cannot be opened, read or written
    │   ├── TamperedError     ledger-2      a history that does not add up; asking has stopped
    │   ├── KeyReusedError    ledger-3      an idempotency key that stands for another request
    │   ├── InFlightError     ledger-4      a request that is still being answered
    │   ├── AccountError      ledger-5      an account that is not there, or not as asked
    │   └── ChargeError       ledger-6      a charge that is settled already, or not in this way
    ├── VaultError            vault-1       a vault, dataset, analyst or release that is not there, or is there already
    ├── TokenError            token-1       a token that is not, or no longer, one of this vault
    ├── RightsError           rights-1      an act that the role of a person does not allow
    ├── OfficeError           office-1      an office that cannot be reached, or does not answer as one
    ├── ChangedError          vault-2       data that are not those that were declared
    ├── UnansweredError       answer-1      a question that was charged and could not be answered
    ├── CertificateError      certificate-1 a file that is not a certificate
    ├── UnknownPollError      poll-3        a poll that is not there, or another one of its name
    ├── InvitationError       poll-4        a number that was never given out as an invitation
    ├── AnsweredError         poll-5        a number that was used already: each is counted once
    ├── ClosedError           poll-6        a poll that is closed
    ├── ExtraError            extra-1       a package that an optional part needs is missing (also an ImportError)
    └── InternalError         internal-1    Shoal contradicted itself; please report it

A message says what was asked, what was found, what is allowed and what to do.  Parameters (public)
may be quoted; data (private) never are.  The page behind each code is ``docs/errors.md``.
"""

from __future__ import annotations

from typing import ClassVar

from shoal.short_traceback import short_traceback


class ShoalError(Exception):
    """The root: a problem in words, what to do about it, and a code that never changes."""

    code: ClassVar[str] = "shoal"

    def __init__(self, problem: str, *, remedy: str) -> None:
        super().__init__(problem, remedy)
        self.problem = problem
        self.remedy = remedy

    def __str__(self) -> str:
        return f"[{self.code}] {self.problem}\n    {self.remedy}"

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (type(self), self.problem, self.remedy)

    def _render_traceback_(self) -> list[str]:
        """What IPython prints in place of a traceback; `shoal.full_traceback` prints the whole."""
        return short_traceback(self)

    def to_dict(self) -> dict[str, str]:
        """The wire shape of an error, the same for every face."""
        return {"code": self.code, "problem": self.problem, "remedy": self.remedy}


def _rebuild(kind: type[ShoalError], problem: str, remedy: str) -> ShoalError:
    return kind(problem, remedy=remedy)


class InputError(ShoalError, ValueError):
    """An argument cannot be used as given; nothing was drawn, spent or changed."""

    code: ClassVar[str] = "input"


class NumberError(InputError):
    """Not a finite number of an accepted kind: NaN, infinity, a truth value, unreadable text."""

    code: ClassVar[str] = "number-1"


class RangeError(InputError):
    """A number outside the range its name allows."""

    code: ClassVar[str] = "number-2"


class ShapeError(InputError):
    """Arrays whose shapes or kinds do not fit each other or the mechanism."""

    code: ClassVar[str] = "shape-1"


class DataError(InputError):
    """A value to release that is not a finite number; the message never says which or what."""

    code: ClassVar[str] = "data-1"


class CandidatesError(InputError):
    """A set of candidates that cannot be chosen from: empty, repeated, or read off the data."""

    code: ClassVar[str] = "candidates-1"


class EventError(InputError):
    """Text that does not describe an event of a version this Shoal knows."""

    code: ClassVar[str] = "event-1"


class EventTextError(InputError):
    """Compact text that cannot be read; ``position`` is the character, from 0, where reading
    stopped.
    """

    code: ClassVar[str] = "event-2"

    def __init__(self, problem: str, *, remedy: str, position: int | None = None) -> None:
        super().__init__(problem, remedy=remedy)
        self.position = position

    def __reduce__(self) -> tuple[object, ...]:
        return (*super().__reduce__(), {"position": self.position})


class SchemaError(InputError):
    """Tables, columns, facts or units of privacy that do not fit each other."""

    code: ClassVar[str] = "schema-1"


class FactsError(InputError):
    """A question needs a range or a list of values that nobody has stated."""

    code: ClassVar[str] = "facts-1"


class ExpressionError(InputError):
    """An expression whose types or constants do not fit, found before any row is read."""

    code: ClassVar[str] = "expression-1"


class RelationError(InputError):
    """A join or union for which no bound says how far one person reaches."""

    code: ClassVar[str] = "relation-1"


class UnreadableError(InputError):
    """Text that is not SQL."""

    code: ClassVar[str] = "sql-1"


class RefusedError(InputError):
    """SQL that means something, but nothing that can be answered privately here."""

    code: ClassVar[str] = "sql-2"


class UnknownNameError(InputError):
    """A table, column or function that is not there; the nearest names are told."""

    code: ClassVar[str] = "sql-3"


class SourceError(InputError):
    """A source of rows that cannot be read; the message never quotes what it holds."""

    code: ClassVar[str] = "source-1"


class PollError(InputError):
    """A poll, or an answer to one, that does not fit; an answer is never quoted."""

    code: ClassVar[str] = "poll-1"


class ReportError(InputError):
    """Text that is not a report of this poll; nothing was counted."""

    code: ClassVar[str] = "poll-2"


class GuaranteeError(ShoalError):
    """A promise was asked for that no theorem supports."""

    code: ClassVar[str] = "guarantee"


class ConversionError(GuaranteeError):
    """No sound conversion exists between these two measures."""

    code: ClassVar[str] = "measure-1"


class ComparisonError(GuaranteeError, TypeError):
    """Two measures have no common order."""

    code: ClassVar[str] = "measure-2"


class CalibrationError(GuaranteeError):
    """No parameter of the mechanism reaches the target that was asked for."""

    code: ClassVar[str] = "calibration-1"


class PriceError(GuaranteeError):
    """No theorem here gives an event a finite price, in this measure or for these neighbours."""

    code: ClassVar[str] = "price-1"


class BudgetExceeded(ShoalError):  # noqa: N818 - what happened, not a mistake
    """A release costs more than is left of a budget; nothing was spent."""

    code: ClassVar[str] = "budget-1"


class ExhaustedError(ShoalError):
    """An interactive mechanism has given every answer its budget holds."""

    code: ClassVar[str] = "spent-1"


class OwnerError(ShoalError, TypeError):
    """A budget or an interactive run was copied, sent to another process or used after a fork;
    nothing was spent.
    """

    code: ClassVar[str] = "owner-1"


class LedgerError(ShoalError):
    """A ledger cannot do what was asked."""

    code: ClassVar[str] = "ledger"


class StorageError(LedgerError):
    """A ledger cannot be opened, read or made durable; no answer may be given."""

    code: ClassVar[str] = "ledger-1"


class TamperedError(LedgerError):
    """The history of a ledger does not add up; nothing is charged until the curator acts."""

    code: ClassVar[str] = "ledger-2"


class KeyReusedError(LedgerError):
    """An idempotency key came a second time with another request."""

    code: ClassVar[str] = "ledger-3"


class InFlightError(LedgerError):
    """The same request is being answered at this moment."""

    code: ClassVar[str] = "ledger-4"


class AccountError(LedgerError):
    """An account that is not there, is there already, or cannot be changed as asked."""

    code: ClassVar[str] = "ledger-5"


class ChargeError(LedgerError):
    """A charge that is settled already, or can no longer be settled in this way."""

    code: ClassVar[str] = "ledger-6"


class VaultError(ShoalError):
    """A vault, dataset, analyst or release that is not there, or that is there already."""

    code: ClassVar[str] = "vault-1"


class TokenError(ShoalError):
    """A token that is unknown, wrong, expired or revoked; the text does not tell which."""

    code: ClassVar[str] = "token-1"


class RightsError(ShoalError):
    """An act that the role of a person does not allow; nothing was read, spent or changed."""

    code: ClassVar[str] = "rights-1"


class OfficeError(ShoalError):
    """An office that cannot be reached, or that does not answer as one; ask again with the same
    key.
    """

    code: ClassVar[str] = "office-1"


class ChangedError(ShoalError):
    """The data of a dataset are not those that were declared; its text says whether anything was
    read.
    """

    code: ClassVar[str] = "vault-2"


class UnansweredError(ShoalError):
    """A question was charged and could not be answered; the text is the same whatever happened,
    since that may tell of rows.
    """

    code: ClassVar[str] = "answer-1"


class CertificateError(ShoalError):
    """A file that is not a certificate, or not one that can be read."""

    code: ClassVar[str] = "certificate-1"


class UnknownPollError(ShoalError):
    """A poll that is not there, or another one that has the name already."""

    code: ClassVar[str] = "poll-3"


class InvitationError(ShoalError):
    """A number that was never given out as an invitation to this poll; nothing was counted."""

    code: ClassVar[str] = "poll-4"


class AnsweredError(ShoalError):
    """A number that was used already; each is counted once, and nothing was changed."""

    code: ClassVar[str] = "poll-5"


class ClosedError(ShoalError):
    """The poll is closed; nothing was counted."""

    code: ClassVar[str] = "poll-6"


class ExtraError(ShoalError, ImportError):
    """A part of Shoal was asked for that needs a package which is not installed."""

    code: ClassVar[str] = "extra-1"


class InternalError(ShoalError):
    """Shoal contradicted itself: a defect of ours, never of the caller."""

    code: ClassVar[str] = "internal-1"
