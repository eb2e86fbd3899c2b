"""Documents of persons, as in Wei 2006: recursive or not, of any size, written to a file."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

MEGABYTE = 1_000_000


def persons(seed: int, recursive: float) -> Iterator[str]:
    """Yield persons without end; a share of the data is in persons with other persons among their children."""
    rng = random.Random(seed)
    flat = nested = 0
    while True:
        if nested <= recursive * (flat + nested) and recursive > 0:
            person = _person(rng, 3)
            nested += len(person)
        else:
            person = _person(rng, 0)
            flat += len(person)
        yield person


def _person(rng: random.Random, depth: int) -> str:
    children = "".join(_person(rng, depth - 1) for _ in range(rng.randint(1, 2))) if depth else ""
    interests = "".join(f"<interest>topic {rng.randrange(1000)}, about which there is much to say</interest>"
                        for _ in range(rng.randint(1, 4)))
    name, age = f"<name>Name {rng.randrange(5000)}</name>", f"<age>{rng.randrange(90)}</age>"
    city = f"<city>City {rng.randrange(500)}</city>"
    return f'<person id="{rng.randrange(10**6)}">{name}{age}{city}{interests}<children>{children}</children></person>\n'


def write_persons(path: Path, megabytes: float, seed: int, recursive: float = 0.0) -> int:
    """Write a document of about this size; return the number of its outermost persons."""
    size = number = 0
    with path.open("w", encoding="utf-8") as file:
        file.write("<root>\n")
        for person in persons(seed, recursive):
            if size >= megabytes * MEGABYTE:
                break
            size += file.write(person)
            number += 1
        file.write("</root>\n")
    return number
