"""Regular expressions of `matches()`: what XPath and RE2 mean alike is translated for RE2, the rest is refused.

RE2 reads a text once, whatever the pattern is: no pattern can hang.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

MOST_REPEATED = 1000
"""The largest number in braces, which is RE2's."""
FLAGS = "isx"
_SPACES = "\t\n\r "
_ESCAPED = frozenset("\\|.?*+(){}-[]^$")
_LETTERS = {"n": "\\n", "r": "\\r", "t": "\\t"}
_IN_CLASS = {"d": "\\p{Nd}", "s": " \\t\\n\\r"}
_CLASSES = {"d": "\\p{Nd}", "D": "\\P{Nd}", "s": "[ \\t\\n\\r]", "S": "[^ \\t\\n\\r]"}
_INSTEAD = {
    "w": "write the characters, as in [A-Za-z0-9]", "W": "write the characters, as in [^A-Za-z0-9]",
    "i": "write the characters, as in [A-Za-z_:]", "I": "write the characters, as in [^A-Za-z_:]",
    "c": "write the characters, as in [A-Za-z0-9._:-]", "C": "write the characters, as in [^A-Za-z0-9._:-]",
    "p": "write the characters, as in [A-Za-z]", "P": "write the characters, as in [^A-Za-z]",
}
_MORE_CASES = {"k": "\u212a", "s": "\u017f", "i": "\u0130\u0131"}
"""Letters outside ASCII whose other case is in it."""


class PatternError(Exception):
    """A pattern is wrong, or uses what differs between dialects."""

    def __init__(self, reason: str, place: int, *, instead: str | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.place = place
        self.instead = instead
        """What to write instead, if it is only not supported."""


def translated_pattern(pattern: str, flags: str = "") -> str:
    """Return the pattern for RE2; raises `PatternError`."""
    for flag in flags:
        if flag not in FLAGS:
            advice = "write (^|\\n) and ($|\\n) for the ends of lines" if flag == "m" else "the flags are i, s and x"
            raise PatternError(f"the flag {flag!r} of matches()", -1, instead=advice)
    made = _Translation(pattern, flags).whole()
    try:
        regex_found(made, "")
    except pa.ArrowInvalid:
        raise PatternError("the regular expression is too large", 0) from None
    return made


def regex_found(translated: str, text: str) -> bool:
    """Whether a translated pattern is found in a text."""
    return bool(pc.match_substring_regex(pa.scalar(text, pa.string()), pattern=translated).as_py())


@dataclass
class _Translation:
    """Recursive descent over one pattern."""

    pattern: str
    flags: str
    at: int = 0
    depth: int = 0

    def whole(self) -> str:
        made = self._alternatives()
        if self.at < len(self.pattern):
            raise PatternError("a parenthesis is closed that was not opened", self.at)
        return made

    def _alternatives(self) -> str:
        branches = [self._branch()]
        while self._here == "|":
            self.at += 1
            branches.append(self._branch())
        return "|".join(branches)

    @property
    def _here(self) -> str:
        """The next character; '' at the end. With the flag x, spaces do not count."""
        while "x" in self.flags and self.pattern[self.at:self.at + 1] in tuple(_SPACES):
            self.at += 1
        return self.pattern[self.at:self.at + 1]

    def _branch(self) -> str:
        return "".join(self._pieces())

    def _pieces(self) -> Iterator[str]:
        while self._here not in ("", "|", ")"):
            if self._here in "^$":
                yield "\\A" if self._here == "^" else "\\z"
                self.at += 1
                self._refuse_quantifier("an anchor cannot be repeated")
            else:
                atom = self._atom()
                yield atom + self._quantifier()
                self._refuse_quantifier("a quantifier cannot follow another one")

    def _refuse_quantifier(self, reason: str) -> None:
        if self._here and self._here in "?*+{":
            raise PatternError(reason, self.at)

    def _atom(self) -> str:
        place, char = self.at, self._here
        if char in "?*+{":
            raise PatternError(f"nothing to repeat before {char!r}", place)
        if char in "]}":
            raise PatternError(f"{char!r} is not escaped: write \\{char}", place)
        self.at += 1
        match char:
            case "(":
                return self._group(place)
            case "[":
                return self._class(place)
            case ".":
                return "(?s:.)" if "s" in self.flags else "[^\\n\\r]"
            case "\\":
                return self._escape(place)
        return self._one(char, place)

    def _group(self, place: int) -> str:
        self.depth += 1
        if self.depth > 50:
            raise PatternError("the groups are nested deeper than 50 levels", place)
        if self._here == "?":
            if self.pattern[self.at:self.at + 2] != "?:":
                raise PatternError("a group that starts with (?", place, instead="write (…) or (?:…)")
            self.at += 2
        made = self._alternatives()
        if self._here != ")":
            raise PatternError("a parenthesis is not closed", place)
        self.at += 1
        self.depth -= 1
        return f"(?:{made})"

    def _quantifier(self) -> str:
        char = self._here
        if not char or char not in "?*+{":
            return ""
        if char == "{":
            char = self._braces()
        else:
            self.at += 1
        if self._here == "?":
            self.at += 1
        return char

    def _braces(self) -> str:
        place, end = self.at, self.pattern.find("}", self.at)
        least, comma, most = self.pattern[place + 1:max(end, place + 1)].partition(",")
        numbers = [each for each in (least, most) if each or each is least]
        if not all(each.isascii() and each.isdigit() for each in numbers):
            raise PatternError("a quantifier in braces is {n}, {n,} or {n,m}", place)
        if any(len(each) > 6 or int(each) > MOST_REPEATED for each in numbers):
            raise PatternError(f"a quantifier above {MOST_REPEATED}", place, instead="use string-length()")
        if most and int(least) > int(most):
            raise PatternError("the numbers of a quantifier are in the wrong order", place)
        self.at = end + 1
        return f"{{{int(least)}{comma}{int(most) if most else ''}}}"

    def _escape(self, place: int) -> str:
        char = self.pattern[self.at:self.at + 1]
        self.at += 1
        if char in _CLASSES:
            return _CLASSES[char]
        return _LETTERS[char] if char in _LETTERS else self._one(self._known(char, place), place)

    def _known(self, char: str, place: int) -> str:
        """Return an escaped character that stands for itself."""
        if char in _INSTEAD:
            raise PatternError(f"\\{char} in a regular expression", place, instead=_INSTEAD[char])
        if char.isdigit():
            raise PatternError("a back-reference", place, instead="compare the parts on their own")
        if char not in _ESCAPED or not char:
            raise PatternError(f"there is no escape \\{char}", place)
        return char

    def _one(self, char: str, place: int) -> str:
        """Return a pattern for one character, in both cases with the flag i."""
        cases = self._cases(char, place)
        return _written(char) if len(cases) == 1 else f"[{''.join(map(_written, cases))}]"

    def _cases(self, char: str, place: int) -> list[str]:
        if "i" not in self.flags:
            return [char]
        if not char.isascii() and (char.lower() != char or char.upper() != char):
            raise PatternError(f"{char!r} with the flag i", place, instead=f"write [{char.lower()}{char.upper()[:1]}]")
        more = _MORE_CASES.get(char.lower(), "")
        return list(dict.fromkeys([char, char.lower(), char.upper(), *more]))

    def _class(self, place: int) -> str:
        """Return a character class; its first bracket has been read."""
        negated = self._raw() == "^"
        self.at += negated
        made: list[str] = []
        while self._raw() != "]" or not made:
            if self.at >= len(self.pattern):
                raise PatternError("a bracket is not closed", place)
            made.append(self._member(first=not made))
        self.at += 1
        return f"[{'^' if negated else ''}{''.join(made)}]"

    def _raw(self, distance: int = 0) -> str:
        return self.pattern[self.at + distance:self.at + distance + 1]

    def _member(self, *, first: bool) -> str:
        """Return one member of a class: an escape, a character, or a range."""
        place = self.at
        if self._raw() == "-" and self._raw(1) == "[":
            raise PatternError("the subtraction of a character class", place, instead="write what remains")
        if self._raw() == "\\" and self._raw(1) in ("d", "s"):
            self.at += 2
            return _IN_CLASS[self.pattern[self.at - 1]]
        start = self._single(first=first)
        if self._raw() != "-" or self._raw(1) in ("]", "["):
            return "".join(map(_written, self._cases(start, place)))
        self.at += 1
        end = self._single(first=True)
        if end < start:
            raise PatternError("a range of characters is in the wrong order", place)
        return self._range(start, end, place)

    def _range(self, start: str, end: str, place: int) -> str:
        if "i" not in self.flags:
            return f"{_written(start)}-{_written(end)}"
        if not end.isascii():
            raise PatternError("a range outside ASCII with the flag i", place, instead="write both cases")
        cases = [case for code in range(ord(start), ord(end) + 1) for case in self._cases(chr(code), place)]
        return "".join(map(_written, dict.fromkeys(cases)))

    def _single(self, *, first: bool) -> str:
        """Read one character of a class."""
        place, char = self.at, self._raw()
        self.at += 1
        if char == "\\":
            escaped = self._raw()
            self.at += 1
            if escaped in ("D", "S"):
                raise PatternError(f"\\{escaped} in a character class", place, instead=f"write (…|\\{escaped})")
            return {"n": "\n", "r": "\r", "t": "\t"}.get(escaped) or self._known(escaped, place)
        if char == "[" or (char == "]" and first):
            raise PatternError(f"{char!r} is not escaped in a character class: write \\{char}", place)
        if char == "-" and not first and self._raw() != "]":
            raise PatternError("'-' is not escaped in a character class: write \\-", place)
        if not char:
            raise PatternError("a bracket is not closed", place)
        return char


def _written(char: str) -> str:
    """Return a character for RE2, inside a class or outside."""
    return char if char.isalnum() else f"\\x{{{ord(char):x}}}"
