"""Values of the NASA workload: names, numbers and prose, from pools of which some members are much more frequent."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

_SYLLABLES = ("al", "ber", "can", "dor", "el", "fen", "gam", "hal", "ist", "jor", "kep", "lum", "mar", "neb", "ori",
              "pol", "qua", "rig", "sol", "tau", "ura", "ves", "wol", "xan", "yed", "zen")
_UNITS = ("mag", "deg", "arcsec", "arcmin", "h", "min", "s", "km/s", "mas/yr", "Jy", "pc", "K", "solRad", "d", "yr")
_TYPES = ("ADC", "CDS", "brief", "paper", "alias")
_SUBJECTS = ("astronomy", "astrometry", "photometry", "spectroscopy", "cosmology")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_CITIES = ("Washington", "Heidelberg", "Strasbourg", "Cambridge", "Greenbelt", "Pasadena", "Leiden", "Moscow")


def _word(number: int) -> str:
    size = len(_SYLLABLES)
    return _SYLLABLES[number % size] + _SYLLABLES[number // size % size] + ("" if number < size**2 else "us")


_WORDS = tuple(_word(number) for number in range(1200))
_NAMES = tuple(_word(3 * number + 1).capitalize() for number in range(400))


def _skewed(pool: tuple[str, ...]) -> Callable[[Random], str]:
    """A value of a pool: the first tenth is drawn half of the time."""
    return lambda random: pool[int(len(pool) * random.random() ** 3.3)]


def _number(least: int, most: int) -> Callable[[Random], str]:
    return lambda random: str(least + int((most - least + 1) * random.random()))


_NAME, _ANY_WORD = _skewed(_NAMES), _skewed(_WORDS)


def _words(least: int, most: int) -> Callable[[Random], str]:
    length = _number(least, most)
    return lambda random: " ".join(_ANY_WORD(random) for _ in range(int(length(random))))


def _heading(random: Random) -> str:
    return f"{_ANY_WORD(random)} {_ANY_WORD(random)} catalog".capitalize()


def _address(random: Random) -> str:
    return f"http://adc.example.org/{_ANY_WORD(random)}/{int(random.random() * 500)}.html"


VALUES: dict[str, Callable[[Random], str]] = {
    "subject": _skewed(_SUBJECTS), "title": _heading, "type": _skewed(_TYPES), "altname": _words(1, 2),
    "parentListURL": _address, "href": _address, "keyword": _skewed(_WORDS[:300]),
    "initial": lambda random: chr(65 + int(26 * random.random())), "lastName": _NAME,
    "suffix": _skewed(("Jr", "Sr", "III")), "name": _skewed(_WORDS[:500]), "publisher": _skewed(_NAMES[:60]),
    "city": _skewed(_CITIES), "year": _number(1900, 2000), "month": _skewed(_MONTHS), "day": _number(1, 28),
    "volume": _number(1, 300), "pageno": _number(1, 1200), "column": _number(1, 120),
    "bibcode": lambda random: f"{1900 + int(100 * random.random())}ApJ.{int(9999 * random.random()):06d}",
    "heading": _words(1, 3), "para": _words(4, 40), "units": _skewed(_UNITS), "affiliation": _skewed(_NAMES[:40]),
    "identifier": lambda random: f"I_{int(9999 * random.random())}.xml",
}
"""By the name of the element or attribute."""
