"""What accounting knows of each kind of event; importing this registers all of them.

Every file of this folder is a kind, so a new one needs no line here.
"""

from importlib import import_module
from pkgutil import iter_modules

for _found in iter_modules(__path__):
    import_module(f"{__name__}.{_found.name}")
