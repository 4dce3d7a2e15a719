"""How the tests start Java: for many small questions, each of which is asked once."""

BRIEF = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""Compile quickly rather than well, and collect in one thread: this halves the processor time of
the tests of Spark.
"""
