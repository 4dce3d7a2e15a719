"""Pages: what is written into them is text, whatever it says."""

from __future__ import annotations

from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from shoal.page import Code, Fold, Heading, Page, PageCell, PagePicture, PageTable, Part, Words

TAGS = {
    *("html", "head", "meta", "title", "style", "body", "h1", "h2", "p", "pre", "figure", "svg"),
    *("figcaption", "table", "thead", "tbody", "tr", "th", "td", "small"),
    *("main", "div", "details", "summary"),
}
hostile = st.text(st.sampled_from("<>&\"'/=`!-; abcscript\n"), max_size=40) | st.sampled_from(
    ["<script>alert(1)</script>", "</pre><img src=x onerror=alert(1)>", "&lt;b&gt;", "]]>", "<!--"]
)


class Reader(HTMLParser):
    """Which elements a page has, and what stands in them."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.attributes: set[str] = set()
        self.texts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes |= {name for name, _ in attrs}
        self.texts.append("")

    def handle_data(self, data: str) -> None:
        if self.texts:
            self.texts[-1] += data


@given(hostile, hostile)
def test_every_text_of_a_page_is_read_back_as_it_was_given(one: str, other: str) -> None:
    parts: list[Part] = [
        Heading(one),
        Words(other),
        Code(one),
        PagePicture("<svg></svg>", other),
        PageTable([f"c{one}"], [[PageCell(f"d{other}", f"s{one}")]], frozenset({0})),
        Fold(other, [Words("x", "note")]),
    ]
    reader = Reader()
    reader.feed(Page(one, parts).html())
    reader.close()
    assert set(reader.tags) == TAGS
    assert reader.attributes == {
        *(
            "lang",
            "charset",
            "name",
            "content",
            "class",
            "role",
            "aria-label",
            "aria-hidden",
            "scope",
        )
    }
    said = {}
    for tag, text in zip(reader.tags, reader.texts, strict=True):
        said.setdefault(tag, text.rstrip("\n"))
    told = [said[tag] for tag in ("h1", "h2", "p", "pre", "figcaption", "summary")]
    assert told == [each.rstrip("\n") for each in (one, one, other, one, other, other)]
    cells = [said[tag] for tag in ("th", "td", "small")]
    assert cells == [each.rstrip("\n") for each in (f"c{one}", f"d{other}", f"s{one}")]


def test_rows_have_names_where_columns_have_none() -> None:
    page = Page("x", [PageTable(["", ""], [["budget", "epsilon 1"]])]).html()
    assert "<th scope=row>budget</th><td>epsilon 1</td>" in page
    assert "<thead>" not in page


def test_a_table_of_many_columns_can_be_moved_without_a_mouse() -> None:
    assert "tabindex=0" in Page("x", [PageTable(list("abcde"), [])]).html()
    assert "tabindex=0" not in Page("x", [PageTable(list("abcd"), [])]).html()


def test_a_second_line_of_a_cell_stands_in_brackets_in_markdown() -> None:
    table = PageTable([PageCell("n", "95% interval")], [[PageCell("410", "310 to 510")]])
    assert (
        Page("x", [table]).markdown()
        == "# x\n\n| n (95% interval) |\n| --- |\n| 410 (310 to 510) |\n"
    )


def test_what_is_folded_on_the_screen_is_there_in_markdown() -> None:
    page = Page("x", [Fold("Exact numbers", [Words("412")])])
    assert "<details><summary>Exact numbers</summary><p>412</p></details>" in page.html()
    assert "**Exact numbers**\n\n412" in page.markdown()
