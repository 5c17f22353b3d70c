#!/usr/bin/env python3
"""Writes the man pages of weft from its help.

    man_pages.py WEFT FOLDER    WEFT: the program. FOLDER gets weft.1.gz, and weft-COMMAND.1.gz for each command

The help of a program begins with its description and its usage. Then come groups of options ("Output:", with its options
indented), paragraphs, and examples ("Examples:": a command line, and an indented line that says what it does).
"""

import gzip
import re
import subprocess
import sys
from pathlib import Path


def help_of(weft: str, *command: str) -> list[str]:
    printed = subprocess.run([weft, *command, "--help"], stdout=subprocess.PIPE, check=True, text=True)
    return printed.stdout.splitlines()


def roff(text: str) -> str:
    """The text as one line of roff: backslashes and hyphens escaped, and no line that begins like a request."""
    text = text.replace("\\", "\\(rs").replace("-", "\\-").replace("'", "\\(aq").replace("^", "\\(ha").replace("~", "\\(ti")
    return "\\&" + text if text.startswith(".") else text


def paragraphs(lines: list[str]) -> list[list[str]]:
    groups = [[]]
    for line in lines:
        if line.strip():
            groups[-1].append(line)
        elif groups[-1]:
            groups.append([])
    return [group for group in groups if group]


def entries(lines: list[str]) -> list[str]:
    """Options or commands, each with its text: "  --set KEY=VALUE    Override a key"; a further line has the text alone."""
    out = []
    for line in lines:
        name, text = (re.split(r" {2,}", line.strip(), maxsplit=1) + [""])[:2]
        if re.match(r" {2}\S", line):
            out += [".TP", ".B " + '"' + roff(name).replace('"', "\\(dq") + '"']
            if text:
                out.append(roff(text))
        else:
            out.append(roff(line.strip()))
    return out


def example_lines(lines: list[str]) -> list[str]:
    out = []
    for line in lines:
        if re.match(r" {2}\S", line):
            out += [".PP", ".EX", roff(line.strip()), ".EE"]
        else:
            out += [".RS", roff(line.strip()), ".RE"]
    return out


def page(name: str, version: str, lines: list[str], others: list[str]) -> str:
    description = lines[0].removeprefix("weft: ")
    usage = next(line for line in lines if line.startswith("Usage: ")).removeprefix("Usage: ")
    out = [f'.TH "{name.upper()}" 1 "" "weft {version}" "weft"', ".SH NAME", f"{roff(name)} \\- {roff(description)}"]
    out += [".SH SYNOPSIS", ".B " + roff(usage), ".SH DESCRIPTION"]
    sections, text = [], []
    for group in paragraphs(lines[1:]):
        if group[0].startswith("Usage: "):
            group = group[1:]
        if not group:
            continue
        head = re.fullmatch(r"(\w[\w ]*):", group[0])
        if head:
            made = example_lines if head[1] == "Examples" else entries
            sections += [f".SH {head[1].upper()}", *made(group[1:])]
        else:
            text += [".PP", *map(roff, group)]
    out += text or [roff(description) + "."]
    out += sections
    out += [".SH SEE ALSO", ", ".join(f"\\fB{roff(other)}\\fR(1)" for other in others)]
    out += [".PP", "The documentation is in /usr/share/doc/weft/docs."]
    return "\n".join(out) + "\n"


def commands_of(lines: list[str]) -> list[str]:
    """The commands that the groups of the program's help name."""
    found = []
    for group in paragraphs(lines):
        if group[0] not in ("Options:", "Examples:") and group[0].endswith(":"):
            found += [line.split()[0] for line in group[1:] if re.match(r" {2}[a-z]", line)]
    return found


def main(weft: str, folder: Path) -> int:
    version = subprocess.run([weft, "--version"], stdout=subprocess.PIPE, check=True, text=True).stdout.split()[1].split("+")[0]
    folder.mkdir(parents=True, exist_ok=True)
    whole = help_of(weft)
    commands = commands_of(whole)
    if not commands:
        print(f"man_pages.py: the help of {weft} names no command", file=sys.stderr)
        return 1
    pages = {"weft": page("weft", version, whole, [f"weft-{each}" for each in commands])}
    for each in commands:
        pages[f"weft-{each}"] = page(f"weft-{each}", version, help_of(weft, each), ["weft"])
    for name, text in pages.items():
        (folder / f"{name}.1.gz").write_bytes(gzip.compress(text.encode(), 9, mtime=0))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path(sys.argv[2])))
