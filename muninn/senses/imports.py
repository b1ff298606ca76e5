"""Which files a source text imports, for a dozen languages, as candidate paths. Pure: text and paths in, paths out.

An import is a statement, not a word: comments and (for Python) docstrings are taken out first. A statement gives stems,
paths relative to the project root without extension, each of which would be the imported file if it existed; the caller
knows which files exist. Precision before recall: what cannot be tied to a file gives nothing.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

READ_LIMIT = 100_000  # characters of a file that are looked at


@dataclass(frozen=True, slots=True)
class Place:
    """Where the importing file stands: its folder relative to the root ("" at the root), its name without ending, and the
    project's module name where a manifest gives one (Go)."""

    folder: str
    stem: str = ""
    module: str = ""


Reader = Callable[[str, Place], Iterator[str]]

_HASHES = re.compile(r"(?m)^[ \t]*#.*$")
_SLASHES = re.compile(r"/\*.*?(?:\*/|\Z)|(?m:(?<![:\w'\"`/])//[^\n]*$)", re.DOTALL)
_DOCSTRINGS = re.compile(r'"""(?:\\.|[^\\])*?(?:"""|\Z)' + r"|'''(?:\\.|[^\\])*?(?:'''|\Z)", re.DOTALL)
_ROOTS = ("", "src", "lib", "app", "python", "source")


def _python(text: str, place: Place) -> Iterator[str]:
    text = _HASHES.sub("", _DOCSTRINGS.sub("", text)).replace("\\\n", " ")
    for match in re.finditer(r"(?m)^[ \t]*import[ \t]+([\w., \t]+)", text):
        for name in match[1].split(","):
            yield from _python_module(name.split()[0] if name.split() else "", place)
    for match in re.finditer(r"(?m)^[ \t]*from[ \t]+(\.*)([\w.]*)[ \t]+import[ \t]+(?:\(([^)]*)\)|([^\n;#]+))", text):
        dots, module, names = match[1], match[2], re.sub(r"#[^\n]*", "", match[3] or match[4] or "")
        imported = [name.split()[0] for name in names.split(",") if name.split()]
        if dots:
            base = _up(place.folder, len(dots) - 1)
            stems = [] if base is None else [_join(base, module.replace(".", "/"))]
        else:
            stems = list(_python_module(module, place))
        for stem in stems:
            yield stem
            yield from (_join(stem, name) for name in imported if name.isidentifier())


def _python_module(name: str, place: Place) -> Iterator[str]:
    """An absolute name is looked for beside the importer, in the folders above it, and under the usual source roots."""
    if not name:
        return
    path = name.replace(".", "/")
    bases = dict.fromkeys([*_ROOTS, place.folder, *(_above(place.folder) if "/" in path else ())])
    yield from (_join(base, path) for base in bases)


_SCRIPT = re.compile(
    r"""(?:\bimport|\bexport)\s+(?:type\s+)?(?:[\w*{}\s,$]{1,1000}?\sfrom\s+)?["']([^"'\n]+)["']"""
    r"""|\b(?:require|import)\s*\(\s*["']([^"'\n]+)["']\s*\)|(?:jest|vi)\.mock\s*\(\s*["']([^"'\n]+)["']"""
)
_SCRIPT_ENDING = re.compile(r"\.(?:[cm]?[jt]sx?|vue|svelte|json)$")


def _script(text: str, place: Place) -> Iterator[str]:
    for match in _SCRIPT.finditer(_SLASHES.sub("", text)):
        name = match[1] or match[2] or match[3]
        if name.startswith("."):
            stems = [_join(place.folder, name)]
        elif name[:2] in ("@/", "~/", "#/"):
            stems = [_join(root, name[2:]) for root in ("src", "", "app")]
        elif "/" in name:
            stems = [_join("", name), _join("src", name)]
        else:
            stems = []
        for stem in stems:
            if not stem.startswith(".."):
                yield from (_SCRIPT_ENDING.sub("", stem), stem)


def _go(text: str, place: Place) -> Iterator[str]:
    """A package is a folder: below the module where a manifest names it, else what an import of another host ends with."""
    text = _SLASHES.sub("", text)
    blocks = re.findall(r"(?m)^[ \t]*import[ \t]*\(([^)]*)\)", text)
    blocks += re.findall(r"(?m)^[ \t]*import[ \t]+([\w.]*[ \t]*\"[^\"\n]+\")", text)
    for name in re.findall(r'"([^"\n]+)"', "\n".join(blocks)):
        if place.module and (name == place.module or name.startswith(place.module + "/")):
            yield f"{name[len(place.module) :].strip('/')}/*".lstrip("/")
        elif not place.module and "." in name.partition("/")[0]:
            parts = name.split("/")[1:]
            yield from ("/".join(parts[i:]) + "/*" for i in range(len(parts)))


def _rust(text: str, place: Place) -> Iterator[str]:
    text = _SLASHES.sub("", text)
    inside = place.folder if place.stem in ("mod", "lib", "main") else _join(place.folder, place.stem)
    above = _up(place.folder, 1) if place.stem == "mod" else place.folder
    for match in re.finditer(r"(?m)^[ \t]*(?:pub(?:\([^)]*\))?\s+)?mod\s+(\w+)\s*;", text):
        yield _join(inside, match[1])
    bases = {"crate": _crate(place.folder), "self": inside, "super": above}
    for match in re.finditer(r"(?m)^[ \t]*(?:pub(?:\([^)]*\))?\s+)?use\s+((?:crate|super|self)::[^;]+);", text):
        for path in _flattened(re.sub(r"\s+", " ", match[1])):
            first, *rest = path.split("::")
            base = bases.get(first)
            while rest and rest[0] == "super" and base is not None:
                base, rest = _up(base, 1), rest[1:]
            names = [part for part in rest if part.isidentifier()]
            if base is not None and names:
                yield from (_join(base, "/".join(names)), _join(base, "/".join(names[:-1])))


def _crate(folder: str) -> str:
    """The source folder of the crate that a folder belongs to: up to and including the last ``src``."""
    parts = folder.split("/")
    return "/".join(parts[: len(parts) - parts[::-1].index("src")]) if "src" in parts else folder


def _flattened(path: str) -> Iterator[str]:
    """``a::{b, c::{d}}`` as ``a::b`` and ``a::c::d``."""
    opened = path.find("{")
    if opened < 0:
        yield path.split(" as ")[0].strip()
        return
    head, body, depth, start = path[:opened], path[opened + 1 : path.rfind("}")], 0, 0
    for i, character in enumerate(body + ","):
        depth += (character == "{") - (character == "}")
        if character == "," and depth == 0:
            if body[start:i].strip():
                yield from _flattened(head + body[start:i].strip())
            start = i + 1


def _jvm(text: str, place: Place) -> Iterator[str]:  # noqa: ARG001
    for match in re.finditer(r"(?m)^[ \t]*import\s+(static\s+)?([\w.]+)", _SLASHES.sub("", text)):
        parts = match[2].split(".")
        yield "**/" + "/".join(parts[:-1] if match[1] else parts)


def _c(text: str, place: Place) -> Iterator[str]:
    for match in re.finditer(r"(?m)^[ \t]*#\s*(?:include|import)\s*([\"<])([^\">\n]+)[\">]", _SLASHES.sub("", text)):
        if match[1] == '"':
            yield _join(place.folder, match[2])
        yield from (_join(root, match[2]) for root in ("", "include", "src"))


def _ruby(text: str, place: Place) -> Iterator[str]:
    for match in re.finditer(r"(?m)^[ \t]*require(_relative)?[ (]+[\"']([^\"'\n]+)[\"']", _HASHES.sub("", text)):
        name = match[2].removesuffix(".rb")
        yield from [_join(place.folder, name)] if match[1] else [_join(root, name) for root in ("lib", "app", "")]


def _php(text: str, place: Place) -> Iterator[str]:
    text = _HASHES.sub("", _SLASHES.sub("", text))
    for match in re.finditer(
        r"\b(?:require|include)(?:_once)?\s*\(?\s*(?:__DIR__\s*\.\s*)?[\"']/?([^\"'\n]+)[\"']", text
    ):
        yield _join(place.folder, match[1])
    for match in re.finditer(r"(?m)^[ \t]*use\s+\\?([A-Z]\w*(?:\\\w+)+)", text):
        yield "**/" + "/".join(match[1].split("\\")[1:])


def _styles(text: str, place: Place) -> Iterator[str]:
    for match in re.finditer(r"@(?:import|use|forward)\s+(?:url\()?[\"']([^\"'\n]+)[\"']", _SLASHES.sub("", text)):
        stem = _join(place.folder, re.sub(r"\.(?:css|scss|sass|less)$", "", match[1]))
        folder, name = posixpath.split(stem)
        yield from (stem, _join(folder, "_" + name))


def _dart(text: str, place: Place) -> Iterator[str]:
    for match in re.finditer(
        r"(?m)^[ \t]*(?:import|export|part)\s+[\"'](?:package:\w+/)?([^\"':\n]+)\.dart[\"']", _SLASHES.sub("", text)
    ):
        yield from (_join(place.folder, match[1]), _join("lib", match[1]))


def _shell(text: str, place: Place) -> Iterator[str]:
    for match in re.finditer(r"(?m)^[ \t]*(?:source|\.)\s+[\"']?(?:\./)?([\w./-]+)", _HASHES.sub("", text)):
        yield from (_join(place.folder, match[1]), _join("", match[1]))


_FAMILIES: tuple[tuple[Reader, str], ...] = (
    (_python, "py pyi"),
    (_script, "js jsx mjs cjs ts tsx mts cts vue svelte astro"),
    (_go, "go"),
    (_rust, "rs"),
    (_jvm, "java kt kts scala groovy"),
    (_c, "c h cc cpp cxx hpp hh hxx m mm"),
    (_ruby, "rb"),
    (_php, "php"),
    (_styles, "css scss sass less"),
    (_dart, "dart"),
    (_shell, "sh bash"),
)
READERS: dict[str, Reader] = {f".{ending}": reader for reader, endings in _FAMILIES for ending in endings.split()}
SUFFIXES = frozenset(READERS)


def imported_stems(path: str, text: str, *, module: str = "") -> frozenset[str]:
    """Candidate stems of everything that the file at ``path`` (relative to the root, ``/``) imports.

    ``x/*`` means any file of folder ``x`` (Go packages), ``**/x`` any path that ends with ``x`` (JVM and PHP names).
    """
    reader = READERS.get(posixpath.splitext(path)[1].lower())
    if reader is None:
        return frozenset()
    stem = posixpath.splitext(posixpath.basename(path))[0]
    place = Place(folder=posixpath.dirname(path), stem=stem, module=module)
    return frozenset(stem for stem in reader(text[:READ_LIMIT], place) if stem and not stem.startswith(".."))


def stems_of(path: str) -> frozenset[str]:
    """The stems under which a file can be imported by ``imported_stems`` of another one."""
    folder, name = posixpath.split(path)
    stem, ending = posixpath.splitext(name)
    found = {path, _join(folder, stem)}
    if stem in ("__init__", "index", "mod") and folder:
        found.add(folder)
    if ending == ".go":
        found.add(f"{folder}/*".lstrip("/"))
    parts = _join(folder, stem).split("/")
    found.update("**/" + "/".join(parts[i:]) for i in range(len(parts)))
    return frozenset(found)


def _join(folder: str, name: str) -> str:
    joined = posixpath.normpath(posixpath.join(folder, name)) if name else folder
    return "" if joined == "." else joined


def _up(folder: str, levels: int) -> str | None:
    for _ in range(levels):
        if not folder:
            return None
        folder = posixpath.dirname(folder)
    return folder


def _above(folder: str) -> Iterator[str]:
    while folder:
        folder = posixpath.dirname(folder)
        yield from (folder, _join(folder, "src"))
