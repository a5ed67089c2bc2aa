"""What the scripts share that write parts of a page: a part stands between "<!-- begin NAME: made by SCRIPT -->" and
"<!-- end NAME -->"."""
import argparse
import difflib
import sys


class BadInput(Exception):
    """One line that names the culprit."""


class Arguments(argparse.ArgumentParser):
    """Options that are wrong are one line, too."""

    def __init__(self, **more):
        super().__init__(allow_abbrev=False, **more)

    def error(self, message):
        raise BadInput(message)


def filled(text, name, content, page, script):
    """The page's text with this content in the part of that name."""
    begin, end = f"<!-- begin {name}: made by {script} -->\n", f"<!-- end {name} -->"
    if text.count(begin) != 1 or text.count(end) != 1 or text.index(begin) > text.index(end):
        raise BadInput(f"{page} has no place for '{name}': a line '{begin.strip()}' and a line '{end}'")
    before, rest = text.split(begin)
    return f"{before}{begin}\n{content}\n\n{end}{rest.split(end)[1]}"


def show_difference(text, wanted):
    sys.stdout.writelines(difflib.unified_diff(text.splitlines(True), wanted.splitlines(True), "now", "wanted", n=0))


def update(page, text, wanted, check, stale):
    """Writes the page, or with `check` prints what differs and the message. Returns the exit code."""
    if wanted == text:
        return 0
    if check:
        show_difference(text, wanted)
        print(stale)
        return 1
    with open(page, "w", encoding="utf-8") as file:
        file.write(wanted)
    return 0
