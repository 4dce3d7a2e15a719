"""The row *questions*: seven private questions to ten million rows, beside the plain query and four
peers.
"""
