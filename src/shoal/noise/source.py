"""The one source of secret bits.

Every thread has its own AES-256-CTR keystream, keyed by the operating system.  A keystream erases its
key as it goes (the first bytes of each refill are the next key, so a later look into memory tells
nothing about earlier noise), takes a fresh key from the operating system every gigabyte, and is thrown
away in a forked child together with everything drawn ahead from it.

Samplers ask `current()` for the source in force.  It is the secret one unless a test put another in its
place through `shoal.noise.seam`; such a source says ``private = False``.
"""

from __future__ import annotations

import os
import threading
from contextvars import ContextVar
from typing import Any, Protocol

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from numpy.typing import NDArray

Words = NDArray[Any]


class Source(Protocol):
    """Where random words come from."""

    private: bool
    """Whether the words are secret; what is drawn from another source is never private."""
    pools: dict[object, list[Any]]
    """Single draws made ahead, by law; emptied wherever the words themselves are abandoned."""

    def words(self, kind: type[np.unsignedinteger[Any]], count: int) -> Words:
        """``count`` independent uniform words of an unsigned type; the array is the caller's own."""


class Keystream:
    """AES-256-CTR over zeros, handed out as words.

    >>> Keystream(bytes(32), private=False).words(np.uint8, 3).shape
    (3,)
    """

    _KEY = 32
    _REFILL = 1 << 15
    _KEY_LIFE = 1 << 30

    def __init__(self, key: bytes | None = None, *, private: bool = True) -> None:
        self.private = private
        self.pools: dict[object, list[Any]] = {}
        self._fixed = key is not None
        self._position = 0
        self._start(key if key is not None else os.urandom(self._KEY))

    def words(self, kind: type[np.unsignedinteger[Any]], count: int) -> Words:
        size = count * np.dtype(kind).itemsize
        if size > self._REFILL // 4:
            return self._fresh(size).view(kind)
        start = -(-self._position // 8) * 8
        if start + size > self._REFILL:
            self._refill()
            start = self._position
        self._position = start + size
        taken = self._buffer[start : start + size].copy()
        self._buffer[start : start + size] = 0
        return taken.view(kind)

    def _start(self, key: bytes) -> None:
        self._encryptor = Cipher(algorithms.AES(key), modes.CTR(bytes(16))).encryptor()
        self._spent = 0
        self._refill()

    def _refill(self) -> None:
        """Fill the buffer and replace the key by its first bytes."""
        if self._spent > self._KEY_LIFE and not self._fixed:
            self._start(os.urandom(self._KEY))
            return
        spent = self._spent
        filled = self._fresh(self._REFILL + self._KEY)
        key = filled[: self._KEY].tobytes()
        self._encryptor = Cipher(algorithms.AES(key), modes.CTR(bytes(16))).encryptor()
        self._buffer = filled[self._KEY :]
        self._position = 0
        self._spent = spent + len(filled)

    def _fresh(self, size: int) -> NDArray[np.uint8]:
        """``size`` bytes of keystream in memory of their own."""
        out = np.empty(size + 16, dtype=np.uint8)
        step = len(_ZEROS)
        for start in range(0, size, step):
            piece = min(step, size - start)
            self._encryptor.update_into(_ZEROS[:piece], out[start : start + piece + 16].data)
        self._spent += size
        return out[:size]


_ZEROS = memoryview(bytes(1 << 16))


class _OfThread(threading.local):
    keystream: Keystream | None = None


_of_thread = _OfThread()
_override: ContextVar[Source | None] = ContextVar("shoal_noise_source", default=None)


def current() -> Source:
    """The source in force here: the thread's secret keystream, or what the test seam put in place."""
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


os.register_at_fork(after_in_child=_forget)
