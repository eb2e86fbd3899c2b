"""One file of a schema: its text, its size, and errors that name the file and the place."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from functools import cached_property

from xpubsub.errors import SchemaError

LARGEST = 4 * 1024 * 1024
"""The largest size of one file of a schema, in bytes."""
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_DOCTYPE = re.compile(r"\s*(?:<\?.*?\?>\s*)*<!DOCTYPE", re.DOTALL)
_ENCODING = re.compile(rb"""<\?xml[^>]*?encoding\s*=\s*["']([A-Za-z0-9._\-]+)["']""")
_WIDE = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


@dataclass(frozen=True)
class SchemaFile:
    """One DTD or XML schema."""

    data: str | bytes
    name: str = ""
    """The name of its file, if it has one."""

    @cached_property
    def text(self) -> str:
        """The text, with unreadable bytes replaced."""
        if isinstance(self.data, str):
            return self.data.removeprefix("\ufeff")
        try:
            return self.data.decode(self._encoding, errors="replace").removeprefix("\ufeff")
        except (LookupError, ValueError):
            return self.data.decode("ascii", errors="replace")

    @property
    def _encoding(self) -> str:
        if isinstance(self.data, str) or self.data[:2] in _WIDE:
            return "utf-16"
        declared = _ENCODING.match(self.data.removeprefix(codecs.BOM_UTF8))
        return declared[1].decode("ascii") if declared else "utf-8"

    @property
    def checked(self) -> str:
        """Return the text; raises an error if the file is too large or cannot be decoded."""
        if len(self.data) > LARGEST:
            raise self.refused(f"larger than {LARGEST} bytes", "limit-schema")
        try:
            if isinstance(self.data, bytes):
                return self.data.decode(self._encoding).removeprefix("\ufeff")
            self.data.encode()
        except (LookupError, ValueError) as error:
            raise self.refused(f"cannot be read: {error}", "schema-encoding") from None
        return self.text

    @cached_property
    def is_dtd(self) -> bool:
        """Whether the file has a DTD's declarations, alone or in front of a document."""
        return "<!ELEMENT" in _COMMENT.sub("", self.text)

    @property
    def is_document(self) -> bool:
        """Whether the DTD is in front of a document."""
        return _DOCTYPE.match(_COMMENT.sub("", self.text)) is not None

    def refused(self, reason: str, code: str, line: int = 1, column: int = 1) -> SchemaError:
        """Return an error at a line and a column, both from 1."""
        lines = self.text.split("\n")
        line = min(max(line, 1), len(lines))
        offset = sum(len(each) + 1 for each in lines[: line - 1]) + min(max(column, 1) - 1, len(lines[line - 1]))
        return SchemaError(f"{self.name}: {reason}" if self.name else reason, code=code, text=self.text, offset=offset)
