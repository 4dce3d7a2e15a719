"""A poll as a file that people write and review."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from shoal.errors import PollError
from shoal.local import Subsets
from shoal.polls.design_names import design_named
from shoal.polls.poll_question import PollQuestion
from shoal.polls.protocol import (
    DEVICE,
    DIRECT,
    OWN,
    AskedQuestion,
    PollProtocol,
    by_device,
    by_own,
    directly,
)

if TYPE_CHECKING:
    from shoal.polls.poll import Poll

_PLAIN = ("name", "title", "intro", "language", "once", "show_sent", "people", "epsilon", "odds")
_WAY = ("way", "epsilon", "odds", "size", "design", "harmless", "instructions", "title")


def read(text: str) -> dict[str, Any]:
    """What a file says, as the parts of a poll."""
    try:
        said = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise PollError(f"the file is not TOML: {error}.", remedy="Mend that line.") from None
    _only(said, (*_PLAIN, "question", "arm"), "a poll")
    if not isinstance(said.get("name"), str):
        raise PollError("the file gives the poll no name.", remedy="Begin with name = 'commute'.")
    questions = [_question(each) for each in _tables(said, "question")]
    arms = [_arm(each, questions) for each in _tables(said, "arm")]
    return {
        **{part: said[part] for part in _PLAIN if part in said},
        "questions": questions,
        "arms": arms,
    }


def _question(said: Mapping[str, Any]) -> PollQuestion:
    _only(said, ("name", "text", "answers", "range", "unit", "bins"), "a question")
    _needs(said, ("name", "text"), "a question")
    return PollQuestion(said["name"], said["text"], **_but(said, "name", "text"))


def _arm(
    said: Mapping[str, Any], questions: list[PollQuestion]
) -> tuple[str, dict[str, PollProtocol], int]:
    _only(said, ("name", "share", "ways"), "an arm")
    _needs(said, ("name", "ways"), "an arm")
    if not isinstance(said["ways"], dict):
        raise PollError("the ways of an arm are a table.", remedy="Write [arm.ways.QUESTION].")
    known = {question.name: question for question in questions}
    ways = {name: way_of(way, known.get(name)) for name, way in said["ways"].items()}
    return said["name"], ways, said.get("share", 1)


def way_of(said: Mapping[str, Any], question: PollQuestion | None) -> PollProtocol:
    """A way of asking from its fields: ``way``, and what goes with it."""
    _needs(said, ("way",), "a way")
    kind, rest = said["way"], _but(said, *_WAY)
    answers = ("no", "yes") if question is None else question.answers
    design = design_named(said["design"], rest, answers) if "design" in said else None
    if rest and design is None:
        raise _strange(next(iter(rest)), "a way without a design", _WAY)
    if kind == DIRECT:
        return directly()
    if kind == DEVICE:
        given = {part: said[part] for part in ("epsilon", "odds", "size") if part in said}
        return by_device(**given, design=design)
    if kind == OWN and design is not None:
        texts = {part: said[part] for part in ("harmless", "instructions", "title") if part in said}
        return by_own(design, **texts)
    raise PollError(
        "a way is 'device', 'direct', or 'own' with a design.",
        remedy="Write way = 'device' and epsilon = 1, for example.",
    )


def _tables(said: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    found = said.get(name, [])
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        raise PollError(f"{name} is a list of tables.", remedy=f"Write [[{name}]] before each.")
    return found


def _but(said: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in said.items() if name not in names}


def _only(said: Mapping[str, Any], allowed: tuple[str, ...], what: str) -> None:
    for name in said:
        if name not in allowed:
            raise _strange(name, what, allowed)


def _strange(name: str, what: str, allowed: tuple[str, ...]) -> PollError:
    return PollError(
        f"{what} has no field {name[:40]!r}.", remedy=f"Its fields are: {', '.join(allowed)}."
    )


def _needs(said: Mapping[str, Any], names: tuple[str, ...], what: str) -> None:
    if not isinstance(said, dict) or not all(name in said for name in names):
        raise PollError(f"{what} needs {' and '.join(names)}.", remedy="Write them in the file.")


# writing


def written(poll: Poll) -> str:
    """A poll as a file."""
    return "\n".join(_lines(poll)) + "\n"


def _lines(poll: Poll) -> Iterator[str]:
    for part in ("name", "title", "intro", "language", "once", "show_sent", "people"):
        value = getattr(poll, part)
        if value is not None:
            yield f"{part} = {_value(value)}"
    for question in poll.questions:
        yield ""
        yield "[[question]]"
        yield f"name = {_value(question.name)}"
        yield f"text = {_value(question.text)}"
        if question.scale is None:
            yield f"answers = {_value(list(question.answers))}"
        else:
            scale = question.scale.to_dict()
            yield f"range = {_value([scale[part] for part in ('low', 'high', 'step')])}"
            yield f"unit = {_value(scale['unit'])}"
    for arm in poll.arms:
        yield ""
        yield "[[arm]]"
        yield f"name = {_value(arm.name)}"
        yield f"share = {arm.share}"
        for design in arm.designs:
            yield ""
            yield f"[arm.ways.{_value(design.question)}]"
            yield f"# {design.words}"
            yield f"way = {_value(design.way)}"
            yield from _law(poll.question(design.question), design)


def _law(question: PollQuestion, design: AskedQuestion) -> Iterator[str]:
    law = design.law
    if design.way == DIRECT:
        return
    if design.way == DEVICE and law.ratio is not None:
        size = law.size if isinstance(law, Subsets) else 1
        if law.ratio > 1 and by_device(odds=law.ratio, size=size).law_for(question) == law:
            yield f"odds = {_value(str(law.ratio))}"
            if question.scale is None:
                yield f"size = {size}"
            return
    assert not isinstance(law, Subsets)
    yield 'design = "matrix"'
    rows = range(len(law.answers))
    yield f"chances = {_value([[str(law.chance(x, y)) for y in range(law.kinds)] for x in rows])}"
    if law.reports != law.answers:
        yield f"reports = {_value(list(law.reports))}"
    if design.way == OWN:
        yield f"title = {_value(design.title)}"
        yield f"instructions = {_value(design.instructions)}"


def _value(value: object) -> str:
    """A text, a number or a list."""
    # loaded here: it takes 40 ms, and most polls are read, not written
    import tomlkit  # noqa: PLC0415

    return tomlkit.item(value).as_string()
