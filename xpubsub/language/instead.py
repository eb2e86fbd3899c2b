"""What to write instead of a construct that is not supported, for its error."""

from __future__ import annotations

_WRITE_OUT = "write the number out, as 1000"
_IN_WHERE = "put the condition in where"
_IN_ELEMENT = "write it inside an element, as in <a>{ $x/@b }</a>"
_COMPARED_AS = "a value is compared as a number with a number, and as a string with a string"
_PATHS = {
    "'//.'": "write //* for all elements",
    "the parent step '..'": "put the condition on the parent, as in /a[b = 1]/c",
    "a name test on the axis self::": "write the name as the step, as in /a instead of /*/self::a",
    "a predicate on the axis self::": "write the predicate on the step before, as in a[b]",
    "a predicate on '.'": "write the predicate on the step before, as in a[b]",
    "the axis ": "use child (/), descendant (//) or attribute (@) steps, and predicates",
    "the node test ": "use a name, *, text(), @name or @*",
    "a position as a predicate": "select by a value, as in a[@id = 1]",
    "a step in parentheses": "write each path on its own",
    "an expression as a step": "write the name of an element or an attribute after the slash",
    "a name with its namespace in braces": "use a prefix, which namespaces= or a prolog declares",
}
_CONDITIONS = {
    "a comparison of a truth value": "combine conditions with and, or and not()",
    "a comparison of two paths": "compare a path with a constant",
    "arithmetic": "compare a path with a constant that is already computed",
    "the union '|'": "join conditions with or, and separate results by commas",
    "a variable": "write its value",
    "a predicate on an expression in parentheses": "write the predicate on the last step, as in //a[b]",
    "the function ": "the functions are not(), contains(), starts-with(), and in transformations exists() and empty()",
    "a truth value as an argument of": "give a path or a string",
    "a path as the second argument of": "give a string",
    "an absolute path beside `or`": "call the function once for each alternative, and join the calls with or",
    "this number as an argument of": "write it as a string",
    "a number with an exponent": _WRITE_OUT,
}
_OPERATORS = {
    **{f"the operator {name}": f"write {symbol}"
       for name, symbol in zip(("eq", "ne", "lt", "le", "gt", "ge"), ("=", "!=", "<", "<=", ">", ">="), strict=True)},
    "the operator union": "join conditions with or, and separate results by commas",
    **{f"the operator {name}": _COMPARED_AS for name in ("cast as", "castable as", "treat as")},
}
_TRANSFORMATIONS = {
    "a variable inside a predicate": _IN_WHERE,
    "a predicate on a variable or function": _IN_WHERE,
    "a sequence here": "write one condition for each of its items, joined by or",
    "an empty sequence here": "use empty() or exists()",
    "a document inside a predicate": "start the path with /",
    "a document that is not named by a literal": 'write its name in quotation marks, as in doc("message")',
    **{f"{name}() of anything but a path": "give it one path" for name in ("exists", "empty")},
    "a constant or truth value as a result": "write a text inside an element, as in <a>text</a>",
    "a constant as a result": "write a text inside an element, as in <a>text</a>",
    "a truth value as a result": f"{_IN_WHERE}, and return nodes or an element",
    "the clause 'order'": "results are in document order",
    "the clause 'stable'": "results are in document order",
    "a for after where": "put every for and let before where",
    "a let after where": "put every for and let before where",
    "a where without a for": "bind a variable with for",
    "a second where": "join the conditions with and",
    "'as' after a variable": "leave out the type",
    "a for over anything but a path": "write a path, as in for $x in //a",
    "a let over anything but a path": "write a path, as in let $x := //a",
    "the expression if": _IN_WHERE,
    "the expression switch": "write a for with a where for each case",
    "the expression typeswitch": "write a for with a where for each case",
    "the expression some": "write a path with a predicate, as in where $a/b[c = 1]",
    "the expression every": "write not() of a path with a predicate, as in where not($a/b[c != 1])",
    "the expression for": "nest it in return",
    "the expression let": "put it before where",
    "the expression ordered": "leave it out: results are in document order",
    "the expression unordered": "leave it out: results are in document order",
    "a computed constructor": "write a direct one, as in <a>{ $x }</a>",
    "a constructor here": "write it in return",
    "a string constructor": "write a text inside an element, as in <a>text</a>",
    "a window": "write a correlation, which joins messages within a time",
    "a step or predicate on ": "write it on the paths inside",
    "the prolog's ": "a prolog can declare namespaces only",
    "a transformation without a for": "write for $x in … return …",
    "an attribute from a for inside an element": _IN_ELEMENT,
    "an attribute outside an element": _IN_ELEMENT,
    "the whole message as a result": "return its root, as in for $x in /* return $x",
    "an attribute after content": "put attributes first",
    "an attribute of perhaps several elements": "bind each element to a variable",
    "an attribute that the element may have already": "give each attribute once, by its name",
    "an expression in an attribute": "copy the attribute into the element, as in <a>{ $x/@b }</a>",
}
_CORRELATIONS = {
    "a predicate here": "write it in the block",
    "a predicate in ": "write it in the block",
    "a binding inside a value predicate": "bind in brackets of its own, as in [b AS $x]",
    "a binding beside 'or'": "bind in brackets of its own, as in [b AS $x]",
    "a comparison behind a binding": "write a predicate there, as in AS $x [. > 5]",
    "a variable in a value predicate": "compare it in the braces of the operator",
    "one block without SELECT, FROM or PUBLISH": "write SELECT * FROM in front of it, or a filter",
    "an attribute as the root of a block without a SELECT": "write a SELECT, or bind the attribute in brackets",
    "a FLWR ": "write paths from variables, as in $x/a",
    "a path in SELECT that does not start from a variable": "write $x or $x/a",
    "a FOLLOWED BY without an equality": "compare a variable of each side with =",
    "a JOIN without an equality": "compare a variable of each side with =",
    "a comparison with a constant in a join": "write a predicate in the block",
    "parentheses in a join": "join comparisons with AND",
    "'or' in a join": "write one subscription for each alternative",
    "a comparison within one side of the operator":
        "compare a variable of the left with one of the right, or write a predicate in the block",
    "a block that is the whole document": "name an element, as in S//a",
}
INSTEAD = {**_PATHS, **_CONDITIONS, **_OPERATORS, **_TRANSFORMATIONS, **_CORRELATIONS}
"""By the beginning of the construct's name; the longest one counts."""


def refusal(construct: str, instead: str = "") -> str:
    """Return the reason why a construct is refused, and what to write instead if there is something."""
    longest = max((each for each in INSTEAD if construct.startswith(each)), key=len, default="")
    advice = instead or INSTEAD.get(longest, "")
    return f"{construct} is not supported" + (f": {advice}" if advice else "")
