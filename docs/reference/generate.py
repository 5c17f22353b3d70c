#!/usr/bin/env python3
"""Writes the pages of docs/reference that the program itself answers for.

    generate.py [PAGE...]           writes the pages, by default all
    generate.py --check [PAGE...]   compares them with the committed pages, and writes nothing

Pages: commands (the help of every command), results (every key of what weft prints as JSON), keys (every key of the YAML
files). WEFT is the program: ./weft of the checkout unless given. Exit codes: 0 done, 1 a page is not what the program says
(the name of each such page is printed), 2 wrong arguments, or a command that failed.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Iterator

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parents[1]
Schema = dict[str, Any]


class Broken(Exception):
    """What the user must change."""


def said(*words: str, program: str = "") -> str:
    """What weft, or the given program, prints."""
    program = program or os.environ.get("WEFT") or str(ROOT / "weft")
    environment = os.environ | {"WEFT_CACHE": "none", "NO_COLOR": "1", "LC_ALL": "C.UTF-8", "COLUMNS": "120"}
    try:
        done = subprocess.run([program, *words], cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    except OSError as error:
        raise Broken(f"'{program}' cannot be started: {error.strerror}; WEFT must be the path of a built weft") from error
    if done.returncode != 0:
        raise Broken(f"{shlex.join(['weft', *words])} ends with exit code {done.returncode}: {done.stderr.strip()}")
    return done.stdout


def headed(title: str, *text: str) -> str:
    note = "<!-- Written by docs/reference/generate.py: change the program, not this page. -->"
    return "\n\n".join([f"# {title}", note, *text]) + "\n"


# --- commands.md ---


def block(text: str) -> str:
    return "\n".join("    " + line if line else "" for line in text.rstrip("\n").split("\n"))


def groups_of(text: str) -> Iterator[tuple[str, list[str]]]:
    """The groups of commands in the help of weft, with the names of their commands."""
    for title, lines in re.findall(r"^([A-Z]\w+):\n((?:  \S.*\n)+)", text, re.MULTILINE):
        names = re.findall(r"^  ([a-z][\w-]*) ", lines, re.MULTILINE)
        if names and title != "Examples":
            yield title, names


def commands() -> str:
    text = said("--help")
    parts = ["`./weft COMMAND --help` prints the same. [commands-by-task.md](../how-to/commands-by-task.md) has the commands of each task.",
             block(text)]
    groups = list(groups_of(text))
    if not groups:
        raise Broken("weft --help lists no commands")
    for title, names in groups:
        parts.append(f"## {title}")
        for name in names:
            parts += [f"### {name}", block(said(name, "--help"))]
    parts.append("## Commands of the launcher")
    launcher = (ROOT / "weft").read_text(encoding="utf-8")
    for name in re.findall(r"^if \[\[ \$\{1-\} == ([a-z-]+) \]\]", launcher, re.MULTILINE):
        parts += [f"### {name}", block(said(name, "--help", program=str(ROOT / "weft")))]
    return headed("Commands", *parts)


# --- Tables ---


def cell(text: str) -> str:
    """Text in a table: without what Markdown would read as a column, HTML or emphasis; `code` stays as it is."""
    text = " ".join(text.split())
    parts = re.split(r"(`[^`]*`)", text)
    parts[::2] = [re.sub(r"(?<=\w)\*(?=\w)", r"\\*", part.replace("<", "&lt;")) for part in parts[::2]]
    return "".join(parts).replace("|", "\\|")


def table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" if any(line) else "|" for line in lines)


def code(value: Any) -> str:
    return f"`{value if isinstance(value, str) else json.dumps(value)}`"


def types_of(schema: Schema) -> list[str]:
    types = schema.get("type", [])
    return [types] if isinstance(types, str) else list(types)


def anchor(title: str) -> str:
    return re.sub(r"[\s]+", "-", re.sub(r"[^\w\s-]", "", title.lower()).strip())


def sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + "."


def below(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key


# --- results.md ---


class Results:
    """The rows of a kind of result. An object that is there a second time has a row that names the first."""

    def __init__(self) -> None:
        self.rows: list[list[str]] = []
        self.first: dict[str, str] = {}

    def add(self, path: str, schema: Schema) -> None:
        inner = {name: value for name, value in schema.items() if name in ("properties", "additionalProperties", "items")}
        form = json.dumps(inner, sort_keys=True)
        meaning = cell(schema.get("description", ""))
        known = self.first.get(form, "") if isinstance(schema.get("properties"), dict) and len(schema["properties"]) > 1 else ""
        if known:
            meaning += f"; its keys are those of `{known}`"
        if path:
            unit = schema.get("unit", "")
            self.rows.append([f"`{path}`", " or ".join(types_of(schema)), cell(unit), meaning])
        if known:
            return
        self.first[form] = path
        for name, value in schema.get("properties", {}).items():
            self.add(below(path, name), value)
        if isinstance(schema.get("additionalProperties"), dict):
            self.add(below(path, "*"), schema["additionalProperties"])
        if isinstance(schema.get("items"), dict):
            self.add(path + "[]", schema["items"])


def results() -> str:
    kinds: dict[str, Schema] = json.loads(said("show", "schema", "--format", "json"))["$defs"]
    parts = ["Every key of every result, as `./weft show schema` prints them. `[]` stands for each element of a list, `*` for a name that "
             "the input gives. The unit `1` is that of a share, a ratio or a plain number. The columns of `--format csv` and of "
             "`--columns` have the names of the keys.",
             table(["kind", "content"], [[f"[{kind}](#{anchor(kind)})", cell(schema.get("description", ""))] for kind, schema in kinds.items()])]
    for kind, schema in kinds.items():
        parts += [f"## {kind}", sentence(cell(schema.get("description", "")))]
        same = [other for other, known in kinds.items() if other != kind and schema.get("items", {}).get("properties") == known.get("properties")]
        if same and "items" in schema:
            parts.append(f"A list; each element has the keys of [{same[0]}](#{anchor(same[0])}).")
            continue
        found = Results()
        found.add("", schema)
        parts.append(table(["key", "type", "unit", "meaning"], found.rows))
    return headed("Keys of results", *parts)


# --- keys.md ---


class Keys:
    """The rows of a kind of file, from its JSON Schema (draft 2020-12)."""

    def __init__(self, root: Schema) -> None:
        self.root = root
        self.rows: list[list[str]] = []
        self.open: list[str] = []  # references within which the walk is

    def resolved(self, schema: Schema) -> Schema:
        """The schema that a local reference names, with what stands next to the reference."""
        if not str(schema.get("$ref", "")).startswith("#"):
            return schema
        found: Any = self.root
        for part in schema["$ref"].removeprefix("#").strip("/").split("/"):
            if part:
                try:
                    found = found[part.replace("~1", "/").replace("~0", "~")]
                except (KeyError, TypeError) as error:
                    raise Broken(f"a schema of weft refers to '{schema['$ref']}', which it does not have") from error
        return self.resolved(found) | {name: value for name, value in schema.items() if name != "$ref"}

    def branches(self, schema: Schema) -> list[Schema]:
        """The schema's alternatives, one level deep; the schema itself if there are none."""
        schema = self.resolved(schema)
        for word in ("anyOf", "oneOf"):
            if word in schema:
                own = {name: value for name, value in schema.items() if name != word}
                return [*([own] if types_of(own) or "properties" in own else []),
                        *(each for branch in schema[word] for each in self.branches(branch))]
        return [schema]

    def values(self, schema: Schema) -> str:
        """The types, or the values of a choice."""
        found = []
        for branch in self.branches(schema):
            if "enum" in branch:
                found += [code(value) for value in branch["enum"]]
            elif "const" in branch:
                found.append(code(branch["const"]))
            elif "$ref" in branch:
                kind = Path(branch["$ref"].split("#")[0]).name.split(".")[0]
                found.append(f"as in [{kind}](#{anchor(kind)})")
            elif "pattern" in branch:
                found.append("text like " + code(branch["pattern"]))
            else:
                inner = self.resolved(branch.get("items", {}))
                elements = "maps" if "properties" in inner else self.values(inner) if inner else ""
                names = {"object": "map", "string": "text", "array": f"list of {elements}" if elements else "list"}
                found += [names.get(each, each) for each in types_of(branch)]
        return " or ".join(dict.fromkeys(found))

    def range(self, schema: Schema) -> str:
        found = []
        for branch in self.branches(schema):
            words = []
            low, high = branch.get("minimum"), branch.get("maximum")
            if low is not None and high is not None:
                words.append(f"{low} to {high}")
            elif low is not None:
                words.append(f"at least {low}")
            elif high is not None:
                words.append(f"at most {high}")
            for name, text in (("exclusiveMinimum", "above"), ("exclusiveMaximum", "below"), ("multipleOf", "a multiple of")):
                if name in branch:
                    words.append(f"{text} {branch[name]}")
            for name, text in (("minItems", "{} or more elements"), ("maxItems", "no more than {} elements")):
                if name in branch:
                    words.append(text.format(branch[name]))
            if words:
                found.append(", ".join(words))
        return " or ".join(dict.fromkeys(found))

    def add(self, path: str, schema: Schema, required: bool = False) -> None:
        reference = str(schema.get("$ref", ""))
        whole = self.resolved(schema)
        if path:
            default = "required" if required else code(whole["default"]) if "default" in whole else ""
            row = [f"`{path}`", self.values(schema), self.range(schema), default, whole.get("description", "")]
            row[1:] = [cell(each) for each in row[1:]]
            if row not in self.rows:
                self.rows.append(row)
        if reference in self.open:
            return
        if reference.startswith("#"):
            self.open.append(reference)
        for branch in [*self.branches(schema), *whole.get("allOf", [])]:
            branch = self.resolved(branch)
            for name, value in branch.get("properties", {}).items():
                self.add(below(path, name), value, name in branch.get("x-required", []))
            for value in [branch.get("additionalProperties"), *branch.get("patternProperties", {}).values()]:
                if isinstance(value, dict):
                    self.add(below(path, "*"), value)
            if isinstance(branch.get("items"), dict):
                inner = self.resolved(branch["items"])
                if "properties" in inner or "items" in inner or "anyOf" in inner or "oneOf" in inner or inner.get("description"):
                    self.add(path + "[]", branch["items"])
        if reference.startswith("#"):
            self.open.pop()


def keys() -> str:
    if not re.search(r"^  schema ", said("--help"), re.MULTILINE):
        raise Broken("this weft has no command 'schema', which writes the keys of YAML files; build the checkout that has this script")
    with tempfile.TemporaryDirectory() as folder:
        said("schema", "--out", folder)
        found = {file.name.removesuffix(".schema.json"): json.loads(file.read_text(encoding="utf-8"))
                 for file in sorted(Path(folder).rglob("*.schema.json"))}
    if not found:
        raise Broken("weft schema --out DIR wrote no file *.schema.json")
    return keys_page(found)


def keys_page(schemas: dict[str, Schema]) -> str:
    parts = ["Every key of the YAML files that weft reads, from the schemas of `./weft schema --out DIR`. A key below another one is written "
             "with a dot, as `--set` takes it. `[]` stands for each element of a list, `*` for a name of your own. A key without a default may "
             "be left out unless it is required.",
             table(["kind", "content"], [[f"[{kind}](#{anchor(kind)})", cell(schema.get("description", schema.get("title", "")))]
                                         for kind, schema in schemas.items()])]
    for kind, schema in schemas.items():
        found = Keys(schema)
        found.add("", schema)
        parts += [f"## {kind}", table(["key", "type or values", "range", "default", "meaning"], found.rows)]
    return headed("Keys of YAML files", *parts)


PAGES = {"commands": commands, "results": results, "keys": keys}


def main() -> int:
    parser = argparse.ArgumentParser(usage=argparse.SUPPRESS, description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    parser.add_argument("pages", nargs="*", metavar="PAGE", help="of " + ", ".join(PAGES))
    options = parser.parse_args()
    stale = 0
    try:
        for name in options.pages or PAGES:
            if name not in PAGES:
                raise Broken(f"there is no page '{name}'; pages: {' '.join(PAGES)}")
            file = FOLDER / f"{name}.md"
            now = PAGES[name]()
            if not options.check:
                file.write_text(now, encoding="utf-8")
            elif not file.exists() or file.read_text(encoding="utf-8") != now:
                stale += 1
                print(f"generate: {file.relative_to(ROOT)} is not what weft says; docs/reference/generate.py writes it again", flush=True)
    except Broken as error:
        print(f"generate: error: {error}", file=sys.stderr)
        return 2
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
