"""A certificate, checked: by itself, and against the vault that it says it comes from."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from shoal.errors import CertificateError
from shoal.ledger import Ledger
from shoal.query.certificate import wrong_with
from shoal.vault.releases import release_of_entry


def read_certificate(path: str | Path) -> dict[str, Any]:
    """The certificate in a JSON file; an answer that holds one will do."""
    file = Path(path)
    try:
        read = json.loads(file.read_text(encoding="utf-8"))
    except (ValueError, UnicodeDecodeError):
        read = None
    if isinstance(read, dict) and isinstance(read.get("certificate"), dict):
        read = read["certificate"]
    if not isinstance(read, dict) or "shoal_certificate" not in read:
        raise CertificateError(
            f"{file.name} does not hold a certificate.",
            remedy="Write one, and check that: shoal show 1 --certificate > certificate.json. "
            "In Python it is answer.certificate, as JSON.",
        )
    return read


def wrong_in_vault(certificate: Mapping[str, Any], ledger: Ledger) -> list[str]:
    """What is wrong with a certificate, by itself and beside the journal of a vault."""
    found = wrong_with(certificate)
    place = certificate.get("ledger")
    if not isinstance(place, Mapping) or not isinstance(place.get("entry"), int):
        return [*found, "it names no place in a ledger."]
    release = release_of_entry(ledger, place["entry"])
    if release is None:
        return [*found, f"this vault has no release at entry {place['entry']} of its journal."]
    if release.entry.hash != place.get("hash"):
        found.append(f"release {release.number} of this vault is another one.")
    elif release.answer is None:
        found.append(f"release {release.number} of this vault has no answer.")
    elif dict(release.certificate) != dict(certificate):
        found.append(f"the certificate that this vault keeps of release {release.number} differs.")
    if certificate.get("release", release.number) != release.number:
        found.append(f"it is of release {release.number} of this vault, and says another number.")
    return found
