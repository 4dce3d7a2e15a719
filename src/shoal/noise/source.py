"""The one source of secret bits, and uniform integers made of them.

Every thread has its own AES-256-CTR keystream, keyed by the operating system.  A keystream replaces
its key by bytes of its own as it goes (at each refill of its buffer, and every four megabytes of
longer draws), so that a later look at it tells nothing about words handed out under earlier keys;
it mixes in a fresh key from the operating system every gigabyte, and is thrown away in a forked
child together with everything drawn ahead from it.

Samplers ask `current()` for the source in force.  It is the secret one unless a test put another in
its place through `shoal.noise.seam`; such a source says ``private = False``.  Whether draws are
secret is asked of the seam, by `secret()`, and never of what was put in place, which might change
its mind.
"""

from __future__ import annotations

import math
import os
import threading
from contextvars import ContextVar
from fractions import Fraction
from typing import Any, Protocol

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher, CipherContext, algorithms, modes
from numpy.typing import NDArray

from shoal.exact import IntegerArray, out_of_range

Words = NDArray[Any]


class Source(Protocol):
    """Where random words come from."""

    private: bool
    """What the source says of itself; one that calls itself private is not let in by the seam, and
    `secret` never asks it.
    """
    pools: dict[object, list[int]]
    """Single draws made ahead, by law; emptied wherever the words themselves are abandoned."""

    def words(self, kind: type[np.unsignedinteger[Any]], count: int) -> Words:
        """``count`` independent uniform words of an unsigned type; the array is the caller's
        own.
        """


class Keystream:
    """AES-256-CTR over zeros, handed out as words.

    >>> Keystream(bytes(32), private=False).words(np.uint8, 3).shape
    (3,)
    """

    _KEY = 32
    _REFILL = 1 << 15
    _UNERASED = 1 << 22
    _KEY_LIFE = 1 << 30

    def __init__(self, key: bytes | None = None, *, private: bool = True) -> None:
        self.private = private
        self.pools: dict[object, list[int]] = {}
        self._fixed = key is not None
        self._spent = self._unerased = self._position = 0
        self._encryptor = _encryptor(os.urandom(self._KEY) if key is None else key)
        self._refill()

    def words(self, kind: type[np.unsignedinteger[Any]], count: int) -> Words:
        if not self._fixed:
            _handed[0] += 1
        size = count * np.dtype(kind).itemsize
        # Large draws go past the buffer, which they would use up at once.
        if size > self._REFILL // 4:
            return self._long(size).view(kind)
        start = -(-self._position // 8) * 8
        if start + size > self._REFILL:
            self._refill()
            start = self._position
        self._position = start + size
        window = self._buffer[start : start + size]  # held, should a signal handler draw meanwhile
        taken = window.copy()
        # Wiped, so that a later look at memory does not tell words that were handed out.
        window[:] = 0
        return taken.view(kind)

    def _refill(self) -> None:
        """Fill the buffer and replace the key by the first bytes drawn."""
        filled = self._fresh(self._REFILL + self._KEY)
        self._replace_key(filled[: self._KEY])
        self._buffer = filled[self._KEY :]
        self._position = 0

    def _long(self, size: int) -> NDArray[np.uint8]:
        """Words past the buffer; the key that made them is replaced before it has made many."""
        drawn = self._fresh(size)
        self._unerased += size
        if self._unerased >= self._UNERASED:
            self._replace_key(self._fresh(self._KEY))
        return drawn

    def _replace_key(self, key: NDArray[np.uint8]) -> None:
        """Go on with this key, mixed with a fresh one where the time has come, and wipe it."""
        if self._spent > self._KEY_LIFE and not self._fixed:
            key ^= np.frombuffer(os.urandom(self._KEY), dtype=np.uint8)
            self._spent = 0
        self._encryptor = _encryptor(key.data)
        self._unerased = 0
        key[:] = 0

    def _fresh(self, size: int) -> NDArray[np.uint8]:
        """``size`` bytes of keystream in memory of their own."""
        # The cipher wants room for one more block behind what it writes.
        out = np.empty(size + 16, dtype=np.uint8)
        step = len(_ZEROS)
        for start in range(0, size, step):
            piece = min(step, size - start)
            self._encryptor.update_into(_ZEROS[:piece], out[start : start + piece + 16].data)
        self._spent += size
        return out[:size]


def _encryptor(key: bytes | memoryview) -> CipherContext:
    return Cipher(algorithms.AES(key), _FROM_ZERO).encryptor()


_handed = [0]


def handed_out() -> int:
    """A number that grows whenever secret words are handed out, in whatever thread: for those who
    must know that none were.

    Edges: single draws made ahead before that are not counted again.
    """
    return _handed[0]


_FROM_ZERO = modes.CTR(bytes(16))
_ZEROS = memoryview(bytes(1 << 16))


class _OfThread(threading.local):
    keystream: Keystream | None = None


_of_thread = _OfThread()
_override: ContextVar[Source | None] = ContextVar("shoal_noise_source", default=None)


put_in_place = _override.get
"""What the test seam put in place here, and None outside it: the quickest of questions, asked
before every draw.
"""


def secret() -> bool:
    """Whether what is drawn here is secret: nothing was put in place, whatever that says of itself.

    >>> secret()
    True
    """
    return _override.get() is None


def current() -> Source:
    """The source in force here: the thread's secret keystream, or what the test seam put in
    place.
    """
    override = _override.get()
    if override is not None:
        return override
    keystream = _of_thread.keystream
    if keystream is None:
        keystream = _of_thread.keystream = Keystream()
    return keystream


def _forget() -> None:
    """In a forked child: neither the parent's keys nor its draws made ahead may be used again."""
    global _of_thread  # noqa: PLW0603 - a new thread-local drops every inherited keystream at once
    _of_thread = _OfThread()


if hasattr(os, "register_at_fork"):  # where processes can fork at all
    os.register_at_fork(after_in_child=_forget)


def uniform_below(bound: int, count: int) -> IntegerArray:
    """``count`` draws, each of 0, 1, …, bound - 1 equally likely; any bound from 1 up."""
    return draw_below(bound, count, current())


def one_below(bound: int) -> int:
    """One draw of 0, 1, …, bound - 1, each equally likely."""
    return int(draw_below(bound, 1, current())[0])


def draw_below(bound: int, count: int, source: Source) -> IntegerArray:
    """Words of just enough bits, drawn anew while they reach the bound."""
    if bound < 1:
        raise out_of_range("bound", Fraction(bound), "1 or more")
    bits = (bound - 1).bit_length()
    if bits > 63:
        return _wide_below(bound, bits, count, source)
    drawn = np.empty(0, dtype=np.int64)
    while len(drawn) < count:
        missing = count - len(drawn)
        # As many as are needed on average, and 16 more.
        proposed = missing if bound == 1 << bits else (missing << bits) // bound + 16
        words = _words(bits, proposed, source).astype(np.int64)
        # Words at or above the bound are thrown away: a remainder would make small numbers
        # likelier.
        drawn = np.concatenate([drawn, words[words < bound][:missing]])
    return drawn


def _words(bits: int, count: int, source: Source) -> NDArray[Any]:
    for kind in (np.uint16, np.uint32, np.uint64):
        if bits <= np.dtype(kind).itemsize * 8:
            return source.words(kind, count) & kind((1 << bits) - 1)
    raise AssertionError


def _wide_below(bound: int, bits: int, count: int, source: Source) -> NDArray[np.object_]:
    drawn = np.empty(count, dtype=object)
    size = math.ceil(bits / 8)
    for place in range(count):
        while True:
            word = int.from_bytes(source.words(np.uint8, size).tobytes()) >> (8 * size - bits)
            if word < bound:
                break
        drawn[place] = word
    return drawn
