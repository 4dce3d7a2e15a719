"""The tutorials are sessions: ``python -m scripts.tutorials`` runs them and writes what was
printed.

On a page that is a session

* a block with a title (``python title="make.py"``) is a file, which is written where it stands;
* a line ``$ command`` in a ``console`` block is run, and the lines below it are what it prints;
  it must succeed, unless the comment ``# refused`` stands behind it;
* a line ``>>> code`` is run, and the lines below it are what it prints; it must raise nothing,
  unless ``Traceback`` stands below it;
* a plain ``python`` block is run.

Noise comes from a key that is known for each page, so a page shows the same numbers each time.
Dates and hashes differ from run to run; the ones on the page stay.
"""

from __future__ import annotations

import contextlib
import doctest
import hashlib
import io
import os
import re
import runpy
import shlex
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

from typer.testing import CliRunner

from shoal.cli import app
from shoal.noise import source

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PLAIN = {"NO_COLOR": "1", "COLUMNS": "96", "TERM": "dumb"}
REFUSED = "# refused"
HOME = "/home/you"
"""What stands on a page for the folder that it was run in."""
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
_BLOCK = re.compile(r"(?ms)^```(?P<language>\w+)(?P<rest>[^\n]*)\n(?P<text>.*?)^```$")
_VARIES = re.compile(
    r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d)?|\d\d-\d\d \d\d:\d\d|\d{4}-\d\d-\d\d|\b[0-9a-f]{12,}\b"
)


def pages() -> list[Path]:
    """The pages that are sessions: all but one that is written for a shell.

    That one, docs/tutorials/phone-poll.md, is walked by tests/docs/test_tutorials.py.
    """
    written = [DOCS / "start.md", *sorted((DOCS / "tutorials").glob("*.md"))]
    return [page for page in written if "```sh\nshoal init" not in page.read_text("utf-8")]


def known_noise(name: str) -> contextlib.AbstractContextManager[Any]:
    """Draw the noise of this thread from a key that is known, and count it as secret."""
    known = source.Keystream(hashlib.sha256(name.encode()).digest())
    known._fixed = False  # noqa: SLF001 - as in tests/conftest.py
    return patch.object(source._of_thread, "keystream", known)  # noqa: SLF001 - likewise


def run(page: Path, folder: Path) -> str:
    """The page as it should be after its blocks were run in a folder, from first to last."""
    names: dict[str, Any] = {"__name__": "page"}

    def done(block: re.Match[str]) -> str:
        fresh = _run_block(block["language"], block["rest"], block["text"], names)
        return f"```{block['language']}{block['rest']}\n{fresh}```"

    with contextlib.chdir(folder), known_noise(page.stem), patch.dict(os.environ, PLAIN):
        os.environ.pop("SHOAL_VAULT", None)
        return _BLOCK.sub(done, page.read_text(encoding="utf-8"))


def _run_block(language: str, rest: str, text: str, names: dict[str, Any]) -> str:
    title = re.search(r'title="([^"]+)"', rest)
    if title:
        Path(title[1]).write_text(text, encoding="utf-8")
        return text
    if language == "console":
        return _console(text)
    if re.search(r"^>>> ", text, re.MULTILINE):
        return _dialogue(text, names)
    if language == "python":
        exec(compile(text, "page", "exec"), names)  # noqa: S102 - the page's own code
    return text


# commands


def _console(text: str) -> str:
    """Each command of a block with what it prints."""
    shown = ""
    for command, before in _commands(text):
        said = _run(command).replace(str(Path.cwd()), HOME)
        printed = "\n".join(line.rstrip() for line in said.splitlines())
        fresh = f"{printed}\n" if printed else ""
        shown += "".join(f"{line}\n" for line in _typed(command)) + _kept(before, fresh)
    return shown


def _commands(text: str) -> Iterator[tuple[str, str]]:
    """Each command, with continued lines, and what stands below it."""
    for part in re.split(r"(?m)^\$ ", text)[1:]:
        lines = part.splitlines(keepends=True)
        last = next(at for at, line in enumerate(lines) if not line.endswith("\\\n"))
        yield "".join(lines[: last + 1]).rstrip("\n"), "".join(lines[last + 1 :])


def _typed(command: str) -> list[str]:
    return [f"$ {line}" if at == 0 else line for at, line in enumerate(command.split("\n"))]


def _run(command: str) -> str:
    """What a command prints; those of a shell that tutorials use are done here."""
    said, _, into = command.replace("\\\n", " ").partition(" > ")
    words = shlex.split(said, comments=True)
    printed, failed = _ACTS[words[0]](words[1:])
    if failed != said.endswith(REFUSED):
        raise SystemExit(
            f"$ {command}\n{printed}\nThis should be {'done' if failed else 'refused'}."
        )
    if into:
        Path(into.split()[0]).write_text(printed, encoding="utf-8")
        return ""
    return printed


def _shoal(words: list[str]) -> tuple[str, bool]:
    done = CliRunner().invoke(app, words, env=PLAIN, prog_name="shoal")
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.output, done.exit_code != 0


def _python(words: list[str]) -> tuple[str, bool]:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), patch.object(sys, "argv", words):
        runpy.run_path(words[0], run_name="__main__")
    return printed.getvalue(), False


def _head(words: list[str]) -> tuple[str, bool]:
    text = Path(words[-1]).read_text(encoding="utf-8")
    count = int(words[1]) if words[0] == "-n" else 10
    return "".join(text.splitlines(keepends=True)[:count]), False


_ACTS: dict[str, Callable[[list[str]], tuple[str, bool]]] = {
    "shoal": _shoal,
    "python": _python,
    "head": _head,
}


def _kept(before: str, fresh: str) -> str:
    """What stands on the page, if it differs from what was printed by dates and hashes alone."""
    return before if _VARIES.sub("#", before) == _VARIES.sub("#", fresh) else fresh


# dialogues


def _dialogue(text: str, names: dict[str, Any]) -> str:
    """Each example of a dialogue with what it prints."""
    pieces: list[str] = []
    for piece in doctest.DocTestParser().parse(text):
        if not isinstance(piece, doctest.Example):
            pieces.append(piece)
            continue
        lines = piece.source.splitlines()
        pieces += [f"{'>>>' if at == 0 else '...'} {line}".rstrip() + "\n" for at, line in enumerate(lines)]  # fmt: skip
        if piece.options.get(doctest.SKIP):
            continue
        printed = _said(piece.source, names, fails=piece.want.startswith("Traceback"))
        same = doctest.OutputChecker().check_output(piece.want, printed, FLAGS)
        pieces.append(piece.want if same else _kept(piece.want, _as_want(printed)))
    return "".join(pieces)


def _said(code: str, names: dict[str, Any], *, fails: bool) -> str:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), patch.object(sys, "displayhook", _shown):
        try:
            exec(compile(code, "page", "single"), names)  # noqa: S102 - the page's own code
        except Exception as error:
            if not fails:
                raise
            kind = type(error)
            name = f"{kind.__module__}.{kind.__qualname__}".removeprefix("builtins.")
            return f"Traceback (most recent call last):\n    ...\n{name}: {error}\n"
    return printed.getvalue()


def _shown(value: object) -> None:
    if value is not None:
        print(repr(value))


def _as_want(printed: str) -> str:
    lines = [line.rstrip() or "<BLANKLINE>" for line in printed.splitlines()]
    return "".join(f"{line}\n" for line in lines)


# pictures


def keep_pictures(page: Path, folder: Path) -> None:
    """Pictures that a session drew, to where its page shows them."""
    for found in re.findall(r"\]\((figures/[^)]+\.(?:svg|png))\)", page.read_text("utf-8")):
        made = folder / Path(found).name
        if made.exists():
            (page.parent / found).parent.mkdir(exist_ok=True)
            shutil.copyfile(made, page.parent / found)


def main() -> None:
    """Run the pages that are named, or all."""
    wanted = [Path(name).resolve() for name in sys.argv[1:]] or pages()
    for page in wanted:
        with tempfile.TemporaryDirectory() as folder:
            fresh = run(page, Path(folder))
            state = "as it was" if fresh == page.read_text(encoding="utf-8") else "written anew"
            page.write_text(fresh, encoding="utf-8")
            keep_pictures(page, Path(folder))
        print(f"{page.relative_to(ROOT)}: {state}")


if __name__ == "__main__":
    main()
