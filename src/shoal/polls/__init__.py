"""A poll is a published definition, counters and once-only marks; it knows everything but the web."""

from shoal.polls.client import Client, once_number
from shoal.polls.poll import Arm, Poll, PollArm
from shoal.polls.question import Question
from shoal.polls.way import Asked, Way, by_device, by_own, directly

__all__ = [
    "Arm",
    "Asked",
    "Client",
    "Poll",
    "PollArm",
    "Question",
    "Way",
    "by_device",
    "by_own",
    "directly",
    "once_number",
]
