"""The documentation as a site: ``python -m scripts.site`` builds it, or says what is wrong.

``gather`` collects the pages of the repository and mends their links, ``python_reference`` and
``command_reference`` write the reference from docstrings and from the command's own help,
``build`` calls the generator, and ``checks`` reads the pages that came out.
"""
