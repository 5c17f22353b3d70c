"""Runs every command of docs/how-to/cookbook.md, in the page's order, and compares what is printed with the page.

    cookbook_test.py            the test; WEFT_BINARY names the binary
    cookbook_test.py --write    writes the page again, with what the commands print now

A block of the page is what a terminal shows: a line "$ COMMAND", "> " before its further lines, then what it printed.
"<!-- keep: 1-6, 9, /expression/ -->" before a block keeps these lines of the output of its last command, and those that
match the expression; "..." stands for lines that are left out. All commands run in one new folder in which ./weft is
the binary and configs/ the project's.
"""

import difflib
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "how-to" / "cookbook.md"
BLOCK = re.compile(r"(?:<!-- keep: (?P<keep>[^\n]*) -->\n)?```console\n(?P<body>.*?)^```$", re.DOTALL | re.MULTILINE)
LEFT_OUT = "..."


def commands_of(body: str) -> list[list[str]]:
    """The lines of each command of a block, prompts included."""
    commands: list[list[str]] = []
    for line in body.splitlines():
        if line.startswith("$ "):
            commands.append([line])
        elif commands and line.startswith("> "):
            commands[-1].append(line)
    if not commands:
        raise SystemExit(f"{PAGE.name}: a block has no command:\n{body}")
    return commands


def kept(lines: list[str], keep: str | None) -> list[str]:
    """The lines that a page shows of an output."""
    if keep is None:
        return lines
    chosen: set[int] = set()
    for item in re.findall(r"/[^/]*/|[^,]+", keep):
        item = item.strip()
        if item.startswith("/"):
            chosen.update(i for i, line in enumerate(lines) if re.search(item[1:-1], line))
        elif item:
            first, _, last = item.partition("-")
            chosen.update(range(int(first) - 1, min(int(last or first), len(lines))))
    shown: list[str] = []
    for i, line in enumerate(lines):
        if i in chosen:
            shown.append(line)
        elif not shown or shown[-1] != LEFT_OUT:
            shown.append(LEFT_OUT)
    return shown


def printed(command: list[str], folder: str) -> list[str]:
    script = "\n".join(line[2:] for line in command)
    environment = {**os.environ, "NO_COLOR": "1", "LC_ALL": "C.UTF-8", "WEFT_CACHE": "none"}
    # What a user sees: both streams. Progress goes to terminals only.
    done = subprocess.run(["bash", "-c", script], cwd=folder, env=environment, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{PAGE.name}: exit code {done.returncode} of\n{script}\n{done.stdout}")
    return [line.rstrip() for line in done.stdout.splitlines()]


def page_now(page: str, folder: str) -> str:
    """The page with what its commands print now."""
    def block(match: re.Match[str]) -> str:
        lines: list[str] = []
        commands = commands_of(match["body"])
        for command in commands:
            output = printed(command, folder)
            lines += command + (kept(output, match["keep"]) if command is commands[-1] else output)
        head = "" if match["keep"] is None else f"<!-- keep: {match['keep']} -->\n"
        return head + "```console\n" + "\n".join(lines) + "\n```"
    return BLOCK.sub(block, page)


def main() -> int:
    page = PAGE.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory(prefix="weft-cookbook-") as folder:
        (Path(folder) / "weft").symlink_to(Path(os.environ["WEFT_BINARY"]).resolve())
        (Path(folder) / "configs").symlink_to(ROOT / "configs")
        now = page_now(page, folder)
    if "--write" in sys.argv[1:]:
        PAGE.write_text(now, encoding="utf-8")
        return 0
    difference = list(difflib.unified_diff(page.splitlines(), now.splitlines(), "the page", "printed now", lineterm=""))
    if difference:
        print("\n".join(difference))
        print(f"{PAGE.name} says what is no longer printed; if what is printed now is right: "
              f"WEFT_BINARY=... python3 {Path(__file__).relative_to(ROOT)} --write")
    return 1 if difference else 0


if __name__ == "__main__":
    sys.exit(main())
