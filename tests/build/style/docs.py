"""Checks Markdown files: docs.py FILE...  Prints one line for each mistake; exit code 1 if there is any.

A line has at most 120 characters. Exempt are tables, code blocks (fenced, or indented by four after a blank line), and
lines that hold nothing but one link or one code span, which cannot be broken. A table cell has at most 300 characters.
A relative link leads to a file that is there, and its #anchor to a heading (or an id) of that file, by GitHub's names.
A source that a code span names by its path is there, unless "(new)" follows it: the reader is to write that one.
"""
import functools
import pathlib
import re
import sys
import urllib.parse

LONGEST_LINE = 120
LONGEST_CELL = 300

FENCE = re.compile(r"\s*(```+|~~~+)")
UNBREAKABLE = re.compile(r"\s*(?:[-*+>] +|\d+\. +)?(?:`[^`]+`|!?\[[^\]]*\]\([^)]*\)|\S+)[.,:;]?")
CODE_SPAN = re.compile(r"(`+)(?!`)((?:(?!\n\s*\n).)+?)(?<!`)\1(?!`)", re.DOTALL)
LINK = re.compile(r"\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)|^ {0,3}\[[^\]]+\]:\s*(\S+)", re.MULTILINE)
SOURCE = re.compile(r"`((?:backends|benchmarks|cli|core|operators|tests)/[\w/.-]+\.(?:hpp|cpp|py|sh))`(?! \(new\))")
HEADING = re.compile(r"^ {0,3}#{1,6}\s+(.*?)\s*#*$", re.MULTILINE)
IDENTIFIER = re.compile(r"<a\s+(?:id|name)=\"([^\"]+)\"")


def lines_of(path):
    return pathlib.Path(path).read_text(encoding="utf-8").splitlines()


def without_code_blocks(lines):
    """The lines, those of code blocks replaced by empty ones."""
    kept, fence, before_is_code = [], "", True
    for line in lines:
        opens = FENCE.match(line)
        if fence:
            if opens and opens[1].startswith(fence):
                fence = ""
            kept.append("")
            continue
        if opens:
            fence = opens[1]
            kept.append("")
            continue
        indented = line.startswith(("    ", "\t"))
        is_code = indented and before_is_code
        before_is_code = is_code or not line.strip()
        kept.append("" if is_code else line)
    return kept


def is_table(line):
    return line.lstrip().startswith("|")


def cells(line):
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip())]


def without_code_spans(text):
    return CODE_SPAN.sub(lambda span: re.sub(r"[^\n]", "x", span[0]), text)


@functools.cache
def anchors(path):
    text = "\n".join(without_code_blocks(lines_of(path)))
    names, seen = set(IDENTIFIER.findall(text)), {}
    for heading in HEADING.findall(text):
        words = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        name = re.sub(r"[^\w\- ]", "", words.lower()).replace(" ", "-")
        count = seen[name] = seen.get(name, -1) + 1
        names.add(f"{name}-{count}" if count else name)
    return names


def wrong_link(path, target):
    """What is wrong with a link of the file, or nothing."""
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]*:", target):
        return None
    name, _, anchor = target.partition("#")
    file = path.parent / urllib.parse.unquote(name) if name else path
    if not file.exists():
        return f"no such file: {target}"
    if anchor and file.suffix == ".md" and urllib.parse.unquote(anchor) not in anchors(file):
        return f"no such heading: {target}"
    return None


def root_of(path):
    """The project's folder: the nearest one above that has a CMakePresets.json; the file's own where none has."""
    above = path.resolve().parents
    return next((folder for folder in above if (folder / "CMakePresets.json").exists()), above[0])


def mistakes(path):
    """Pairs of a line's number and what is wrong with it."""
    lines = without_code_blocks(lines_of(path))
    for number, line in enumerate(lines, 1):
        if is_table(line):
            for cell in cells(line):
                if len(cell) > LONGEST_CELL:
                    yield number, f"a cell of {len(cell)} characters, at most {LONGEST_CELL}"
        elif len(line) > LONGEST_LINE and not UNBREAKABLE.fullmatch(line):
            yield number, f"{len(line)} characters, at most {LONGEST_LINE}"
    text = "\n".join(lines)
    for source in SOURCE.finditer(text) if path.name != "CHANGELOG.md" else ():
        if not (root_of(path) / source[1]).exists():
            yield text.count("\n", 0, source.start()) + 1, f"no such file: {source[1]}"
    text = without_code_spans(text)
    for link in LINK.finditer(text):
        problem = wrong_link(path, link[1] or link[2])
        if problem:
            yield text.count("\n", 0, link.end()) + 1, problem


def main():
    sys.stdout.reconfigure(encoding="utf-8")
    found = False
    for path in map(pathlib.Path, sys.argv[1:]):
        for number, what in sorted(mistakes(path), key=lambda mistake: mistake[0]):
            print(f"{path}:{number}: {what}")
            found = True
    return found


if __name__ == "__main__":
    sys.exit(main())
