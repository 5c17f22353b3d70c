"""What mkdocs does not do by itself for the site of the documentation (mkdocs.yml names this file as a hook).

Before the build it copies the pages, and the files that they link, to a folder with the layout of the repository, so that a
link is the same in a page and in the site. docs/README.md gives the pages and their order. After the build it writes the
search index as a script (search_from_files.js), and looks for links without a target and for files of other servers.
"""

from __future__ import annotations

import html.parser
import os
import re
import shutil
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from mkdocs.exceptions import PluginError

ROOT = Path(__file__).resolve().parents[2]
LIST = "docs/README.md"
NOT_PAGES = ("docs/figures/README.md",)  # pages for those who change the documentation
LINK = re.compile(r"\[([^\]]*)\]\(([^)\s]+)\)")
CODE = re.compile(r"^(```.*?^```|(?:    ).*?)$|`[^`\n]*`", re.DOTALL | re.MULTILINE)

ITEM = re.compile(r"([-*+]|\d+\.) ")
PARAGRAPH = re.compile(r"(?![-*+] |\d+\. |\s|#|```|<!--).*[^>]$")
CELL_CODE = re.compile(r"`[^`]*`")


def links_of(page: str) -> list[tuple[str, str]]:
    """(text, target) of each link of a page to a file of the repository; the target is relative to the root."""
    text = CODE.sub("", (ROOT / page).read_text(encoding="utf-8"))
    found = []
    for name, target in LINK.findall(text):
        path = unquote(urlsplit(target).path)
        if path and not urlsplit(target).scheme:
            found.append((name, os.path.normpath(os.path.join(os.path.dirname(page), path))))
    return found


def entry_of(name: str, page: str) -> Any:
    """The entry of a page in the navigation: under its own title if the link only names the file."""
    return page if name.endswith(".md") else {name[0].upper() + name[1:]: page}


def navigation() -> list[Any]:
    """The parts of docs/README.md. A line that ends with a colon begins a group within a part."""
    parts: list[tuple[str, list[Any]]] = []
    group: list[Any] = []
    for line in (ROOT / LIST).read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            group = []
            parts.append((line[3:].split(":")[0], group))
        elif parts and line.endswith(":") and not line.startswith(("-", " ")):
            group = []
            parts[-1][1].append({line[:-1]: group})
        elif line.startswith("- "):
            for name, target in LINK.findall(line.split(": ")[0]):
                group.append(entry_of(name, os.path.normpath(os.path.join("docs", target))))
    own = [{title: entries[0] if len(entries) == 1 else entries} for title, entries in parts]
    return [{"weft": ["README.md", {"All pages": LIST}, {"Changes": "CHANGELOG.md"}]}, *own]


def pages_in(entries: Any) -> list[str]:
    if isinstance(entries, str):
        return [entries]
    parts = entries.values() if isinstance(entries, dict) else entries
    return [page for part in parts for page in pages_in(part)]


def stage(pages: list[str], folder: Path) -> None:
    """Copies the pages and the files that they link."""
    shutil.rmtree(folder, ignore_errors=True)
    wanted = list(dict.fromkeys(pages))
    for page in wanted:
        if not (ROOT / page).is_file():
            raise PluginError(f"{LIST} lists '{page}', which does not exist")
    for page in pages:
        for _, target in links_of(page):
            if not (ROOT / target).is_file():
                raise PluginError(f"{page} links '{target}', which is no file of the repository")
            if target.endswith(".md") and target not in pages:
                raise PluginError(f"{page} links '{target}', which {LIST} does not list")
            wanted.append(target)
    for file in dict.fromkeys(wanted):
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / file, folder / file)


def on_config(config: Any) -> Any:
    nav = navigation()
    pages = pages_in(nav)
    for file in sorted((ROOT / "docs").rglob("*.md")):
        page = file.relative_to(ROOT).as_posix()
        if page not in pages and page not in NOT_PAGES:
            raise PluginError(f"{LIST} does not list '{page}'")
    site = Path(config["site_dir"])
    folder = site.with_name(site.name + "-source")
    stage(pages, folder)
    config["docs_dir"] = str(folder)
    config["nav"] = nav
    return config


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Python-Markdown takes a list only after an empty line, and shows the backslash of a bar in the code of a table."""
    lines = markdown.splitlines()
    for number, (before, line) in enumerate(zip(lines, lines[1:]), 2):
        if ITEM.match(line) and PARAGRAPH.match(before):
            raise PluginError(f"{page.file.src_path}:{number}: a list needs an empty line before it")
    return "\n".join(CELL_CODE.sub(lambda code: code[0].replace("\\|", "|"), line) if line.startswith("|") else line
                     for line in lines)


def on_page_content(html: str, page: Any, **_: Any) -> None:
    """A product such as X*Y*T outside `code` has become emphasis, and lost its signs."""
    if lost := re.search(r".{0,30}(\w<em>|</em>\w).{0,30}", html):
        raise PluginError(f"{page.file.src_path}: emphasis within a word, '{lost[0]}': write a product as `code`")


class Links(html.parser.HTMLParser):
    """The anchors of a page of the site, the links, and the files that a browser loads with it."""

    def __init__(self) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.anchors |= {given[name] for name in ("id", "name") if name in given}
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        elif tag == "link" and "href" in given:
            self.loaded.append(given["href"])
        elif "src" in given:
            self.loaded.append(given["src"])


def on_post_build(config: Any) -> None:
    site = Path(config["site_dir"])
    index = site / "search" / "search_index.json"
    index.with_suffix(".js").write_text("var __index = " + index.read_text(encoding="utf-8"), encoding="utf-8")
    parsed: dict[Path, Links] = {}
    for file in sorted(site.rglob("*.html")):
        if file.name != "404.html":  # only a server shows it
            parsed[file] = Links()
            parsed[file].feed(file.read_text(encoding="utf-8"))
    wrong = []
    for file, page in parsed.items():
        for link in page.loaded + page.links:
            url = urlsplit(link)
            if url.scheme or url.netloc:
                if link in page.loaded:
                    wrong.append(f"{file.relative_to(site)} loads '{link}' from another server")
                continue
            target = (file.parent / unquote(url.path)).resolve() if url.path else file
            if target.is_dir():
                target /= "index.html"
            if not target.is_file():
                wrong.append(f"{file.relative_to(site)} links '{link}', which is not in the site")
            elif url.fragment and target in parsed and url.fragment not in parsed[target].anchors:
                wrong.append(f"{file.relative_to(site)} links '{link}', but the page has no such heading")
    if wrong:
        raise PluginError("\n".join(wrong))
