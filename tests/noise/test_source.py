"""No word is handed out twice, not to a second reader, not after a refill, not from memory."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from itertools import cycle
from typing import Any

import numpy as np
import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from shoal.noise import current, source
from shoal.noise.source import Keystream

KEY = bytes(range(32))
KINDS = [np.uint8, np.uint16, np.uint32, np.uint64]


def fixed() -> Keystream:
    return Keystream(KEY, private=False)


def drawn_in_pieces(stream: Keystream, sizes: list[int], total: int) -> np.ndarray:
    pieces, taken = [], 0
    for size in cycle(sizes):
        pieces.append(stream.words(np.uint64, size))
        taken += size
        if taken >= total:
            return np.concatenate(pieces)
    raise AssertionError


def test_the_first_words_are_the_keystream_behind_the_next_key() -> None:
    encryptor = Cipher(algorithms.AES(KEY), modes.CTR(bytes(16))).encryptor()
    expected = encryptor.update(bytes(32 + 64))[32:]
    assert fixed().words(np.uint64, 8).tobytes() == expected


def test_a_refill_continues_under_the_key_that_was_set_aside() -> None:
    first = Cipher(algorithms.AES(KEY), modes.CTR(bytes(16))).encryptor()
    second = Cipher(algorithms.AES(first.update(bytes(32))), modes.CTR(bytes(16))).encryptor()
    stream = fixed()
    for _ in range(Keystream._REFILL // 64):
        stream.words(np.uint64, 8)
    assert stream.words(np.uint64, 8).tobytes() == second.update(bytes(32 + 64))[32:]


@pytest.mark.slow
@pytest.mark.parametrize(
    "sizes", [[1], [1, 2, 3, 1000], [1024], [1025], [5000, 7], [1, 1 << 19, 3, 1 << 20, 1023]]
)
def test_no_word_comes_twice_however_the_stream_is_cut(sizes: list[int]) -> None:
    total = 1 << 23 if max(sizes) > 1 << 16 else 1 << 16  # 64 megabytes
    words = np.sort(drawn_in_pieces(Keystream(), sizes, total))
    assert (words[1:] != words[:-1]).all()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("count", [0, 1, 3, 5000, 100_000])
def test_words_are_of_the_kind_and_number_asked_for(kind: Any, count: int) -> None:
    words = fixed().words(kind, count)
    assert words.dtype == np.dtype(kind)
    assert words.shape == (count,)


@pytest.mark.parametrize("kind", KINDS)
def test_every_bit_of_a_word_is_fair(kind: Any) -> None:
    words = fixed().words(kind, 1 << 16)
    bits = np.unpackbits(words.view(np.uint8)).reshape(len(words), -1)
    assert (np.abs(bits.mean(axis=0) - 0.5) < 6 / (2 * 2**8)).all()


def test_bytes_taken_one_at_a_time_are_not_taken_again() -> None:
    stream = fixed()
    zeros = sum(int(stream.words(np.uint8, 1)[0]) == 0 for _ in range(5000))
    assert zeros < 60  # about 20 of 5000; a byte that was taken is wiped


def test_narrow_words_between_wide_ones_waste_bytes_but_repeat_none() -> None:
    stream = fixed()
    wide = []
    for _ in range(2000):
        stream.words(np.uint8, 3)
        wide.append(int(stream.words(np.uint64, 1)[0]))
    assert len(set(wide)) == len(wide)
    assert 0 not in wide


@pytest.mark.parametrize("count", [16, 5000])
def test_what_was_handed_out_belongs_to_the_caller(count: int) -> None:
    meddled, left_alone = fixed(), fixed()
    for _ in range(3):
        words = meddled.words(np.uint64, count)
        assert np.array_equal(words, left_alone.words(np.uint64, count))
        words[:] = 0


def test_the_buffer_is_wiped_behind_the_reader() -> None:
    stream = fixed()
    for size in (1, 7, 100, 1000):
        stream.words(np.uint64, size)
    assert not stream._buffer[: stream._position].any()
    assert stream._buffer[stream._position :].any()


def test_the_next_key_is_wiped_from_the_memory_it_was_drawn_in() -> None:
    stream = fixed()
    whole = stream._buffer.base
    assert isinstance(whole, np.ndarray)
    assert not whole[: Keystream._KEY].any()


@pytest.fixture
def keys(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """Every key that a keystream sets up, in order."""
    seen: list[bytes] = []
    original = source._encryptor

    def spy(key: Any) -> Any:
        seen.append(bytes(key))
        return original(key)

    monkeypatch.setattr(source, "_encryptor", spy)
    return seen


def test_the_key_is_replaced_at_every_refill(keys: list[bytes]) -> None:
    stream = fixed()
    for _ in range(5):
        stream._refill()
    assert len(set(keys)) == len(keys) == 7


@pytest.mark.parametrize("size", [1 << 16, 1 << 20, 1 << 23])
def test_the_key_is_replaced_within_four_megabytes_of_long_draws(
    keys: list[bytes], size: int
) -> None:
    stream, rounds = fixed(), 3 * (1 << 22) // min(size, 1 << 22)
    for _ in range(rounds):
        stream.words(np.uint8, size)
    assert len(set(keys)) == len(keys) == 2 + 3


@pytest.mark.parametrize("count", [100, 100_000])
def test_the_operating_system_gives_a_fresh_key_when_the_old_one_has_lived(
    monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    """With buffered draws and with long ones; the life of a key is a gigabyte, here far less."""
    asked: list[int] = []
    urandom: Callable[[int], bytes] = os.urandom

    def spy(size: int) -> bytes:
        asked.append(size)
        return urandom(size)

    monkeypatch.setattr(os, "urandom", spy)
    monkeypatch.setattr(Keystream, "_KEY_LIFE", 1 << 17)
    monkeypatch.setattr(Keystream, "_UNERASED", 1 << 16)
    stream, repeatable = Keystream(), fixed()
    for _ in range((1 << 20) // count):
        stream.words(np.uint8, count)
        repeatable.words(np.uint8, count)
    assert asked == [32] * len(asked)
    assert 1 + 3 <= len(asked) <= 1 + 8


def test_a_draw_in_the_middle_of_a_draw_takes_other_words() -> None:
    """As a signal handler would that draws noise: here it goes on until it has refilled the
    buffer.
    """
    stream = fixed()
    meanwhile: list[int] = []
    nested: list[bool] = []

    class Interrupted(np.ndarray):
        def copy(self, order: Any = "C") -> Any:
            taken = np.array(self)
            while stream._buffer is interrupted and not nested:
                nested.append(True)
                meanwhile.extend(stream.words(np.uint64, 100).tolist())
                nested.pop()
            return taken

    stream.words(np.uint64, 300)
    stream._buffer = interrupted = stream._buffer.view(Interrupted)
    outer = stream.words(np.uint64, 100).tolist()
    after = [word for _ in range(30) for word in stream.words(np.uint64, 100).tolist()]
    assert stream._buffer is not interrupted
    every = [*outer, *meanwhile, *after]
    assert len(set(every)) == len(every)
    assert 0 not in every


def test_threads_draw_from_streams_of_their_own() -> None:
    found: dict[int, list[int]] = {}

    def draw(name: int) -> None:
        found[name] = current().words(np.uint64, 100).tolist()

    threads = [threading.Thread(target=draw, args=(name,)) for name in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    draw(4)
    words = [word for stream in found.values() for word in stream]
    assert len(set(words)) == len(words) == 500


def test_a_thread_keeps_its_stream() -> None:
    assert current() is current()
    assert current().private
