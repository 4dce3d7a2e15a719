"""Pages: what is written into them is text, whatever it says."""

from __future__ import annotations

from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from shoal.page import Code, Heading, Page, PagePicture, PageTable, Part, Words

TAGS = {
    *("html", "head", "meta", "title", "style", "body", "h1", "h2", "p", "pre", "figure", "svg"),
    *("figcaption", "table", "tr", "th", "td"),
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
        PageTable([one], [[other]], frozenset({0})),
    ]
    reader = Reader()
    reader.feed(Page(one, parts).html())
    reader.close()
    assert set(reader.tags) == TAGS
    assert reader.attributes == {"lang", "charset", "name", "content", "class"}
    said = dict(zip(reader.tags, reader.texts, strict=True))
    assert [
        said[tag].rstrip("\n") for tag in ("h1", "h2", "p", "pre", "figcaption", "th", "td")
    ] == [each.rstrip("\n") for each in (one, one, other, one, other, one, other)]
