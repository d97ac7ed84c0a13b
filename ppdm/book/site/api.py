"""The reference of the package, from its docstrings.

The sources are read, not imported: no machine is too small for it, and a signature is shown as it
was written. Docstrings are plain text with `code` in backticks, examples after `>>>`, indented
blocks and tables, which is how this package writes them.
"""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from ppdm.places import MACHINERY

#: Rooms that make the book rather than being used by its readers.
INTERNAL = tuple(f"ppdm.{room}" for room in MACHINERY)


class Thing(NamedTuple):
    """A function, a class or a method: its kind, its name, how it is called, what it says."""

    kind: str
    name: str
    signature: str
    doc: str
    members: tuple[Thing, ...] = ()


class Module(NamedTuple):
    """A module: its dotted name, what it says, and its public functions and classes."""

    name: str
    doc: str
    things: list[Thing]


def read_module(path: Path, name: str) -> Module:
    """A module's public functions and classes, in the order in which they stand."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return Module(name, ast.get_docstring(tree) or "", list(_things(tree.body)))


def _things(body: list[ast.stmt]) -> Iterator[Thing]:
    for node in body:
        if not isinstance(node, (ast.FunctionDef, ast.ClassDef)) or node.name.startswith("_"):
            continue
        doc = ast.get_docstring(node)
        if not doc:
            continue
        if isinstance(node, ast.FunctionDef):
            decorators = {ast.unparse(d) for d in node.decorator_list}
            kind = "property" if decorators & {"property", "cached_property"} else "function"
            signature = "" if kind == "property" else _signature(node)
            yield Thing(kind, node.name, signature, doc)
        else:
            inits = [
                n for n in node.body if isinstance(n, ast.FunctionDef) and n.name == "__init__"
            ]
            signature = _signature(inits[0]) if inits else _fields(node)
            yield Thing("class", node.name, signature, doc, tuple(_things(node.body)))


def _signature(node: ast.FunctionDef) -> str:
    names = [a.arg for a in node.args.posonlyargs + node.args.args]
    bound = names[:1] in (["self"], ["cls"])
    text = ast.unparse(node.args)
    if bound:
        text = re.sub(r"^(self|cls)(: [^,]*)?(, /)?(, )?", "", text)
    result = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    return f"({text})" + ("" if node.name == "__init__" else result)


def _fields(node: ast.ClassDef) -> str:
    """The call of a dataclass or a named tuple: its annotated fields."""
    bases = {ast.unparse(b) for b in node.bases}
    decorators = {ast.unparse(d).split("(")[0] for d in node.decorator_list}
    if "NamedTuple" not in bases and not decorators & {"dataclass", "dataclasses.dataclass"}:
        return ""
    fields = [
        ast.unparse(n).replace("=", " = ", 1) if n.value else ast.unparse(n)
        for n in node.body
        if isinstance(n, ast.AnnAssign) and not ast.unparse(n.target).startswith("_")
    ]
    return f"({', '.join(re.sub(' +', ' ', f) for f in fields)})"


def read_package(package: Path) -> list[Module]:
    """The package's modules that have something public to show."""
    modules = []
    for path in sorted(package.rglob("*.py")):
        parts = (package.name, *path.relative_to(package).with_suffix("").parts)
        name = ".".join(parts).removesuffix(".__init__")
        hidden = any(p.startswith("_") for p in name.split("."))
        if hidden or name.startswith(INTERNAL) or name.endswith(".cli"):
            continue
        module = read_module(path, name)
        if module.doc or module.things:
            modules.append(module)
    return modules


_ENTRY = re.compile(r"([\w.-]+) {2,}(\S+(?: \S+)*)")
_TABLE_RULE = re.compile(r"^\s*=+(\s+=+)+\s*$", re.MULTILINE)


def docstring_to_markdown(doc: str) -> str:
    """A docstring as MyST Markdown that cannot raise a warning.

    >>> print(docstring_to_markdown("[Zhan & Du, Eq. 5] *Twice* `x`."))
    \\[Zhan & Du, Eq. 5\\] *Twice* `x`.
    """
    # A blank line inside an example or an indented block does not end it.
    blocks = re.split(r"\n\s*\n(?!    )", inspect.cleandoc(doc))
    return "\n\n".join(_block(block) for block in blocks if block.strip())


def _block(block: str) -> str:
    block = block.strip("\n")
    lines = block.split("\n")
    if lines[0].lstrip().startswith(">>>"):
        return f"```pycon\n{textwrap.dedent(block)}\n```"
    if _TABLE_RULE.search(block):
        return _plain_table(lines) or _literal(block)
    if len(lines) > 1 and re.fullmatch(r"\s*-{3,}\s*", lines[1]):  # numpy's section headings
        return f"**{_prose(lines[0])}**\n\n" + _definitions(lines[2:])
    entries = [_ENTRY.fullmatch(line.strip()) for line in lines]
    if len(lines) > 1 and all(entries):  # names, and in a column beside them what they are
        return "\n".join(f"- `{entry[1]}`: {_prose(entry[2])}" for entry in entries if entry)
    if all(line.startswith("    ") or not line.strip() for line in lines):
        return _literal(textwrap.dedent(block))
    if _is_names(lines):
        return _definitions(lines)
    indented = next((i for i, line in enumerate(lines) if line.startswith("    ")), None)
    if indented and not _is_list(lines[:indented]):
        # A sentence and, set in, what it introduces.
        return _prose_block(lines[:indented]) + "\n\n" + _block("\n".join(lines[indented:]))
    return _prose_block(lines)


def _plain_table(lines: list[str]) -> str:
    """A table of names and what they are, without heads, as a list; nothing of any other table."""
    inside = lines[1:-1]
    ruled = [_TABLE_RULE.fullmatch(line) for line in (lines[0], lines[-1])]
    if not all(ruled) or len(lines[0].split()) != 2 or any(map(_TABLE_RULE.fullmatch, inside)):
        return ""
    second = lines[0].rindex(" ") + 1
    items: list[str] = []
    for line in inside:
        name, said = line[:second].strip(), line[second:].strip()
        if name:
            items.append(f"- `{name}`: {said}")
        elif items:
            items[-1] += f" {said}"
    return "\n".join(map(_prose, items))


def _literal(text: str) -> str:
    fence = "````" if "```" in text else "```"
    return f"{fence}text\n{text}\n{fence}"


def _definitions(lines: list[str]) -> str:
    """Names with their descriptions set in, as a list of definitions."""
    if not any(line.startswith("    ") for line in lines):
        return _prose_block(lines)
    items: list[tuple[str, list[str]]] = []
    for line in lines:
        if line.startswith("    ") and items:
            items[-1][1].append(line.strip())
        elif line.strip():
            items.append((line.strip(), []))
    return "\n\n".join(f"`{name}`\n: " + _prose(" ".join(text)) for name, text in items)


def _is_names(lines: list[str]) -> bool:
    """Whether words stand alone on their lines, with something set in below them."""
    names = [line for line in lines if not line.startswith("    ")]
    return 1 < len(names) < len(lines) and all(re.fullmatch(r"\w+", name) for name in names)


def _is_list(lines: list[str]) -> bool:
    return any(re.match(r"\s*([-*]|\d+\.) ", line) for line in lines)


def _prose_block(lines: list[str]) -> str:
    out: list[str] = []
    for line in lines:
        marker = re.match(r"(\s*)([-*]|\d+\.) (.*)", line)
        if marker:
            if out and not re.match(r"\s*([-*]|\d+\.) ", out[-1]) and len(out) == 1:
                out.append("")
            out.append(f"{marker[1]}{marker[2]} {_prose(marker[3])}")
        else:
            out.append(_prose(line))
    return "\n".join(out)


def _prose(text: str) -> str:
    """Text whose backticks mean code, whose stars around words stress them, and whose other signs mean themselves.

    >>> print(_prose("**Grids.** A `point` is *one* point of 2*3."))
    **Grids.** A `point` is *one* point of 2\\*3.
    """
    text = text.rstrip()
    text = re.sub(r"::$", ":", text).replace("``", "`")
    text = re.sub(r":(?:\w+:)?\w+:`~?([^`]+)`", r"`\1`", text)  # a role is shown as code
    pieces = re.split(r"(`[^`]*`)", text)
    escaped = [
        piece if i % 2 else re.sub(r"([\\\[\]*_$<>{}#|~^])", r"\\\1", piece)
        for i, piece in enumerate(pieces)
    ]
    text = "".join(escaped)
    text = re.sub(r"^\\\*\\\*(\w[^\\*]*)\\\*\\\*", r"**\1**", text)  # how a paragraph begins
    text = re.sub(r"(?<![\w*\\])\\\*(\w(?:[^\\*`]*\w)?[.?!]?)\\\*(?![\w*\\])", r"*\1*", text)
    return text if text.count("`") % 2 == 0 else text.replace("`", r"\`")


def module_page(modules: list[Module], title: str) -> str:
    """One page: a section a module, its functions and classes under it."""
    out = [f"# {title}", ""]
    for module in modules:
        if module.name != title:
            out += [f"## {module.name}", ""]
        out += [f"```{{py:module}} {module.name}", "```", ""]
        if module.doc:
            out += [docstring_to_markdown(module.doc), ""]
        for thing in module.things:
            out += [_entry(thing, 4), ""]
    return "\n".join(out)


def _entry(thing: Thing, depth: int) -> str:
    """A definition that the index and the chapters can refer to."""
    fence = ":" * (depth + 3)
    call = "()" if thing.kind == "function" else ""
    body = [fence + f"{{py:{thing.kind}}} {thing.name}{call}", ""]
    if len(thing.signature) > 2:
        body += ["```python", _wrapped(thing.name + thing.signature), "```", ""]
    body += [docstring_to_markdown(thing.doc), ""]
    for member in thing.members:
        body += [_entry(member, depth - 1), ""]
    return "\n".join([*body, fence])


def _wrapped(signature: str, width: int = 88) -> str:
    """A signature over several lines where one is too short."""
    if len(signature) <= width:
        return signature
    name, _, rest = signature.partition("(")
    arguments, _, result = rest.rpartition(")")
    parts, depth, start = [], 0, 0
    for i, letter in enumerate(arguments):
        depth += letter in "([{"
        depth -= letter in ")]}"
        if letter == "," and depth == 0:
            parts.append(arguments[start:i].strip())
            start = i + 1
    parts.append(arguments[start:].strip())
    return f"{name}(\n" + "".join(f"    {part},\n" for part in parts) + f"){result}"


def write_pages(package: Path, folder: Path) -> str:
    """The reference into `folder`: a page a sub-package, and one for the modules beside them.

    Gives the list of the pages, with the first sentence of each, for the page that leads to them.
    """
    pages: dict[str, list[Module]] = {}
    for module in read_package(package):
        pages.setdefault(page_of(module.name, package), []).append(module)
    folder.mkdir(parents=True, exist_ok=True)
    for page, modules in pages.items():
        title = package.name if page == package.name else f"{package.name}.{page}"
        (folder / f"{page}.md").write_text(module_page(modules, title), encoding="utf-8")
    return "".join(
        f"- [`{module.name}`](api/{page}.md): {_first_sentence(module.doc)}\n"
        for page, modules in pages.items()
        for module in modules
    )


def page_of(name: str, package: Path) -> str:
    """The page of the reference that has a name: its sub-package, or else the package itself.

    >>> import ppdm
    >>> page_of("ppdm.disguise.multigroup.MultiGroup", Path(ppdm.__file__).parent)
    'disguise'
    """
    parts = name.split(".")
    is_room = len(parts) > 1 and (package / parts[1]).is_dir()
    return parts[1] if is_room else package.name


def _first_sentence(doc: str) -> str:
    return _prose(" ".join(doc.split("\n\n", maxsplit=1)[0].split()))
