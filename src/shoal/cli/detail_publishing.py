"""`shoal publish` with a table that is as fine as its counts allow."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import typer

from shoal.cli.console import remarks, working
from shoal.cli.hierarchy_file import hierarchy_of
from shoal.cli.printed_tables import show_plan
from shoal.errors import SchemaError
from shoal.query.detail import Detail
from shoal.vault import Vault

FILES = ("detail.csv", "certificate.json")
_WORDS = {"column", "least", "by", "share"}


def detail_for(held: Vault, wanted: Mapping[str, Any], folder: Path) -> Detail:
    """The table that [detail] of a file describes; ``folder`` is where it names other files from."""
    given = wanted["detail"]
    column = str(given.get("column")) if isinstance(given, Mapping) else ""
    levels = (wanted.get("hierarchies") or {}).get(column)
    others = [word for word in ("tables", "known", "whole_numbers", "accept") if word in wanted]
    if others or levels is None or "least" not in given or set(given) - _WORDS:
        raise SchemaError(
            "[detail] needs a column with a hierarchy, and least; it stands alone in its file.",
            remedy='Write [detail] with column = "district", least = 200 and by = ["sex"], and '
            "[hierarchies.district.region] below it.",
        )
    rows = held.table(wanted["dataset"])
    if wanted.get("where"):
        rows = rows.where(wanted["where"])
    return rows.detail(
        hierarchy_of(column, levels, folder),
        least=str(given["least"]),
        by=given.get("by", []),
        share=str(given.get("share", "0.1")),
    )


def publish_detail(
    asked: Detail,
    price: Mapping[str, str | None],
    out: Path,
    *,
    preview: bool,
    key: str | None,
    as_json: bool,
) -> None:
    """Preview the table, or release it into a folder."""
    plan = asked.preview(epsilon=price["epsilon"], rho=price["rho"])
    if preview:
        show_plan(str(plan.measure), plan.preview(), as_json=as_json)
        return
    with working("Publishing"):
        found = asked.release(epsilon=price["epsilon"], rho=price["rho"], key=key)
    out.mkdir(parents=True, exist_ok=True)
    found.to_csv(out / "detail.csv")
    told = json.dumps(found.certificate, indent=1, ensure_ascii=False)
    (out / "certificate.json").write_text(told, encoding="utf-8")
    if as_json:
        said = {"price": str(plan.measure), "tables": {"detail": "detail.csv"}}
        typer.echo(json.dumps(said, indent=2))
        return
    remarks().print(
        f"Wrote {len(found)} counts of {len(found.places)} places to {out / 'detail.csv'}.",
        soft_wrap=True,
        markup=False,
    )
