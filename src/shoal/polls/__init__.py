"""A poll is a published definition, counters and once-only marks; it knows everything but the
web.
"""

from shoal.polls.client import Client, once_number
from shoal.polls.crosstab import CrossTab
from shoal.polls.design_names import design_named
from shoal.polls.estimates import Difference, PollEstimate
from shoal.polls.export import export_csv, export_json, read_export
from shoal.polls.interviews import EnteredReply, read_replies
from shoal.polls.poll import Arm, Poll, PollArm
from shoal.polls.poll_question import PollQuestion
from shoal.polls.protocol import AskedQuestion, PollProtocol, by_device, by_own, directly
from shoal.polls.published import PublishedPoll, one_published, publish, published
from shoal.polls.report_meaning import Suspicion
from shoal.polls.results import QuestionResult, Results
from shoal.polls.sample_size import Need, WhatIf, needs

__all__ = [
    "Arm",
    "AskedQuestion",
    "Client",
    "CrossTab",
    "Difference",
    "EnteredReply",
    "Need",
    "Poll",
    "PollArm",
    "PollEstimate",
    "PollProtocol",
    "PollQuestion",
    "PublishedPoll",
    "QuestionResult",
    "Results",
    "Suspicion",
    "WhatIf",
    "by_device",
    "by_own",
    "design_named",
    "directly",
    "export_csv",
    "export_json",
    "needs",
    "once_number",
    "one_published",
    "publish",
    "published",
    "read_export",
    "read_replies",
]
