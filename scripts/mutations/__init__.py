"""Faults that would cost people their privacy, planted in copies of our own source, to see whether
the tests notice.

`python -m scripts.mutations` plants each of them, one at a time, and runs the tests that must fail;
`make audit` calls it.
"""
