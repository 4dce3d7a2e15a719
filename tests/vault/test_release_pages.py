"""Pages of releases: for an auditor and for publication, as Markdown and as HTML."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from tests.vault.office import BY_KIND, COUNT, office

import shoal
from shoal.errors import VaultError
from shoal.page import Code, Page, PagePicture, PageTable, Words
from shoal.query.certificate import wrong_with
from shoal.query.notes import NOISE_ONLY
from shoal.query.showing import OUTSIDE
from shoal.vault import Release
from shoal.vault.release_pages import certificate_page, method, page_for, report_page


def released(folder: Path, sql: str = BY_KIND) -> Release:
    vault = office(folder)
    vault.sql(sql).release(epsilon="0.5")
    return vault.show(vault.log()[-1].number)


class Balanced(HTMLParser):
    """Counts what is open; void elements aside."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.seen.add(tag)
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def balanced(html: str) -> set[str]:
    reader = Balanced()
    reader.feed(html)
    assert reader.open == []
    return reader.seen


def test_the_certificate_on_its_page_can_be_taken_off_and_checked(tmp_path: Path) -> None:
    page = certificate_page(released(tmp_path).certificate)
    [written] = re.findall(r"```text\n(\{.*?\})\n```", page.markdown(), re.DOTALL)
    assert wrong_with(json.loads(written)) == []
    assert {"table", "pre"} <= balanced(page.html())


def test_the_page_of_a_certificate_says_what_was_asked_who_is_protected_and_what_it_costs(
    tmp_path: Path,
) -> None:
    release = released(tmp_path)
    text = certificate_page(release.certificate).markdown()
    for words in (
        BY_KIND,
        "each person by user_id (2 groups, 3 rows per group)",
        "one person more or less",
        "| pure | epsilon 0.5 |",
        "discrete Laplace, scale",
        f"entry {release.number}, {release.entry.hash}",
    ):
        assert words in text


def test_a_report_has_the_tables_their_intervals_and_the_method(tmp_path: Path) -> None:
    release = released(tmp_path)
    page = report_page([release])
    text = page.markdown()
    assert release.answer is not None
    for row in release.answer["rows"]:
        assert f"| {row[0] or 'NULL'} | {row[1]:,} | " in text
    assert "95% interval" in text
    assert "a suspicion of 50 % rises to at most 62.3 %" in text
    assert release.certificate["hash"] in text
    assert {"table", "h2", "h3"} <= balanced(page.html())


def test_a_report_says_below_the_table_what_its_intervals_leave_out(tmp_path: Path) -> None:
    vault = office(tmp_path)
    answer = vault.sql(BY_KIND).release(epsilon="0.5", show_clipped=True)
    release = vault.show(vault.log()[-1].number)
    assert any(note.startswith("Intervals cover the noise only. People ") for note in answer.notes)
    assert any(note.startswith("About ") for note in answer.notes)
    for text in (report_page([release]).markdown(), report_page([release]).html()):
        assert all(note in text for note in answer.notes)
    again = vault.sql(BY_KIND).release(epsilon="0.5", show_clipped=True)
    assert again.clipped == answer.clipped
    assert release.certificate["hash"] == again.certificate["hash"]


def test_a_report_of_several_releases_has_a_part_for_each_and_pictures_where_given(
    tmp_path: Path,
) -> None:
    vault = office(tmp_path)
    for sql in (BY_KIND, COUNT):
        vault.sql(sql).release(epsilon="0.25")
    first, second = vault.log()
    page = report_page([first, second], title="Two & two", pictures={first.number: "<svg></svg>"})
    assert page.html().count("<svg>") == 1
    assert "Two &amp; two" in page.html()
    assert page.markdown().count("### Method") == 2


def test_a_release_without_an_answer_has_no_report(tmp_path: Path) -> None:
    vault = office(tmp_path)
    vault._ledger.charge(
        "visits", shoal.events.StatedPure("0.1"), caller="ana", body={"question": ""}
    )
    with pytest.raises(VaultError, match="pending"):
        report_page(vault.log()).markdown()


def test_what_is_typed_cannot_become_a_part_of_the_page() -> None:
    nasty = "<script>alert(1)</script> | ``` & \\"
    page = Page(
        nasty,
        [Words(nasty), Code(nasty), PageTable([nasty], [[nasty]]), PagePicture("<svg/>", nasty)],
    )
    assert "<script>" not in page.html()
    [line] = [
        line
        for line in page.markdown().splitlines()
        if line.startswith("| <script>") and "\\|" in line
    ]
    assert line.endswith("\\\\ |")
    assert "````text" in page.markdown()


def test_the_ending_of_a_file_says_what_a_page_becomes() -> None:
    page = Page("x")
    assert page_for("a.HTML", page).startswith("<!doctype html>")
    assert page_for("a.md", page) == "# x\n"
    with pytest.raises(VaultError, match=r"neither \.html nor \.md"):
        page_for("a.pdf", page)


def test_the_method_of_protected_rows_speaks_of_rows(tmp_path: Path) -> None:
    certificate = released(tmp_path, COUNT).certificate
    assert "people with more rows" in method(certificate)
    told = method({**certificate, "protects": "each row"})
    assert "each row's say is bounded" in told
    assert "people with more rows" not in told


def test_a_long_word_is_broken_on_a_narrow_page() -> None:
    assert re.search(r"(^|[,}\n])p[,{][^{]*\{[^}]*overflow-wrap:anywhere", Page("x").html())


def test_every_note_of_a_report_begins_as_a_sentence() -> None:
    for note in (OUTSIDE, NOISE_ONLY):
        assert note[0].isupper()
