"""The form beside a declaration: it writes what is filled in into the text, and reads it off there.

It only translates.  What a declaration may say, the vault decides when the text is reviewed.
"""

from __future__ import annotations

from collections.abc import MutableMapping
from dataclasses import dataclass
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

from shoal.errors import SchemaError
from shoal.measures import budget_of
from shoal.server.console.forms import SentForm
from shoal.server.office.request_bodies import DECLARATION
from shoal.vault.plain_toml import check_plain, plain_toml
from shoal.vault.plain_values import budget_to

KNOWN = {"": "nothing", "range": "a range", "choices": "all values that can occur"}
"""What can be stated of a column, and in which words."""
UNITS = {
    "person": "each person, with all their rows",
    "row": "each row by itself",
    "public": "nobody: the table is public",
}
"""Who can be protected, and in which words."""


@dataclass(frozen=True)
class DeclarationForm:
    """What the form beside a declaration sends; what is empty is not written."""

    text: str
    column: str = ""
    known: str = ""
    lowest: str = ""
    highest: str = ""
    choices: str = ""
    required: bool = False
    unit: str = ""
    person: str = ""
    groups: str = ""
    rows_per_group: str = ""
    budget: str = ""

    @classmethod
    def of(cls, sent: SentForm) -> DeclarationForm:
        """The form as it was sent."""
        return cls(
            sent.text("text", most=DECLARATION),
            column=sent.text("column", most=200),
            known=sent.text("known", most=20),
            lowest=sent.text("lowest", most=100),
            highest=sent.text("highest", most=100),
            choices=sent.text("choices", most=20_000),
            required=sent.text("required", most=8) == "yes",
            unit=sent.text("unit", most=20),
            person=sent.text("person", most=200),
            groups=sent.text("groups", most=20),
            rows_per_group=sent.text("rows_per_group", most=20),
            budget=sent.text("own_budget", most=64),
        )

    def written(self) -> str:
        """The text with what is filled in; its remarks stay."""
        document = _document(self.text)
        shown = read_off(self.text)
        self._write_unit(document, shown)
        self._write_column(document, shown["columns"].get(self.column))
        return tomlkit.dumps(document)

    def _write_column(
        self, document: MutableMapping[str, Any], shown: dict[str, Any] | None
    ) -> None:
        filled: dict[str, Any] = {
            "known": self.known,
            "lowest": self.lowest,
            "highest": self.highest,
        }
        filled |= {"choices": self.choices, "required": self.required}
        if not self.column or (shown is not None and shown.items() >= filled.items()):
            return
        columns = document.get("columns", {})
        place = columns.get(self.column) if isinstance(columns, MutableMapping) else None
        if not isinstance(place, MutableMapping):
            raise SchemaError(
                f"the declaration has no column {self.column[:60]!r}.",
                remedy="Choose a column that it has.",
            )
        for name in ("range", "choices", "required"):
            place.pop(name, None)
        if self.known == "range":
            place["range"] = [self.lowest, self.highest]
        elif self.known == "choices":
            place["choices"] = [each.strip() for each in self.choices.split("\n") if each.strip()]
        if self.required:
            place["required"] = True

    def _write_unit(self, document: MutableMapping[str, Any], shown: dict[str, Any]) -> None:
        unit = document.get("protects")
        if self.unit == "public":
            for name in ("protects", "budget"):
                document.pop(name, None)
            document["public"] = True
            return
        if self.unit and not (isinstance(unit, MutableMapping) and unit.get("unit") == self.unit):
            document.pop("public", None)
            unit = document["protects"] = tomlkit.table()
            unit["unit"] = self.unit
        if isinstance(unit, MutableMapping) and unit.get("unit") == "person":
            if self.person not in ("", shown["person"]):
                unit["columns"] = [self.person]
            for name in ("groups", "rows_per_group"):
                given = getattr(self, name)
                if given not in ("", shown[name]):
                    unit[name] = int(given) if given.isdecimal() else given
        if self.budget not in ("", shown["budget"]):
            document["budget"] = tomlkit.table()
            document["budget"].update(budget_to(budget_of(self.budget)))


def at_path(text: str, path: str) -> str:
    """A declaration with the rows at another place."""
    document = _document(text)
    document["path"] = path
    return tomlkit.dumps(document)


def _document(text: str) -> tomlkit.TOMLDocument:
    """A text with its remarks, to write into."""
    try:
        check_plain(text)
        return tomlkit.parse(text)
    except (TOMLKitError, ValueError, RecursionError):
        raise _unreadable() from None


def read_off(text: str) -> dict[str, Any]:
    """What the form shows of a text: its columns, who is protected and the budget; of a text that
    cannot be read, nothing.
    """
    try:
        said = plain_toml(text)
    except ValueError:
        said = {}
    columns, unit, budget = (
        found if isinstance(found := said.get(name), dict) else {}
        for name in ("columns", "protects", "budget")
    )
    return {
        "columns": {
            name: _of_column(each) for name, each in columns.items() if isinstance(each, dict)
        },
        "unit": "public" if said.get("public") is True else _text(unit.get("unit", "")),
        "person": _first(unit.get("columns")),
        "groups": _text(unit.get("groups", "")),
        "rows_per_group": _text(unit.get("rows_per_group", "")),
        "budget": _budget_text(budget),
    }


def _of_column(said: dict[str, Any]) -> dict[str, Any]:
    ends, choices = said.get("range"), said.get("choices")
    has_ends = isinstance(ends, list) and len(ends) == 2
    return {
        "type": _text(said.get("type", "")),
        "known": "range" if has_ends else "choices" if isinstance(choices, list) else "",
        "lowest": _text(ends[0]) if isinstance(ends, list) and has_ends else "",
        "highest": _text(ends[1]) if isinstance(ends, list) and has_ends else "",
        "choices": "\n".join(map(_text, choices)) if isinstance(choices, list) else "",
        "required": said.get("required") is True,
    }


def _first(columns: object) -> str:
    if isinstance(columns, list) and columns:
        return _text(columns[0])
    return columns if isinstance(columns, str) else ""


def _budget_text(budget: dict[str, Any]) -> str:
    """A budget as it is typed."""
    if "rho" in budget:
        return f"rho={_text(budget['rho'])}"
    return ",".join(_text(budget[name]) for name in ("epsilon", "delta") if name in budget)


def _text(value: object) -> str:
    """A value as it is shown; nothing for a number of thousands of digits, which Python does not
    print.
    """
    try:
        return str(value)
    except ValueError:
        return ""


def _unreadable() -> SchemaError:
    return SchemaError(
        "the declaration is not TOML, so nothing can be written into it.",
        remedy="Correct the text first; Review says where it is wrong.",
    )
