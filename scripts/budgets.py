#!/usr/bin/env python3
"""budgets.py [--check]: counts the sources and writes the table "Budgets" of docs/status.md.

Counts are rounded up, so that a small change leaves the table as it is. Exit code 1 where a budget is exceeded, and with
--check, which writes nothing, also where the table is not what was counted.
"""
import math
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
import marked_page  # noqa: E402 (no bytecode beside the scripts)

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
STATUS = os.path.join(ROOT, "docs", "status.md")
EMULATED = "tests/gpu/emulated/"
CORE_PROPER = tuple(f"core/{room}/" for room in
                    "json text model measure device result verdict workload worker render".split())
# The head of a function as clang-format writes it; what follows a control word is none.
HEAD = re.compile(r"^( *)(?!if |for |while |switch |else|do |catch |namespace |class |struct |union |enum |return )\S.*\{$")
NAMES_ONE = re.compile(r"\)(?: const| noexcept| override| final| requires.*| ->.*|: .*)*(?: :.*)? \{$")


def sources():
    """Tracked files with their lines; a folder that is no checkout is walked."""
    listed = subprocess.run(["git", "-C", ROOT, "ls-files"], capture_output=True, text=True, check=False)
    names = listed.stdout.splitlines() if listed.returncode == 0 else [
        os.path.relpath(os.path.join(folder, name), ROOT) for folder, _, files in os.walk(ROOT) for name in files]
    for name in names:
        if name.endswith((".cpp", ".hpp", ".h", ".c", ".md")) and os.path.exists(os.path.join(ROOT, name)):
            with open(os.path.join(ROOT, name), encoding="utf-8") as file:
                yield name, file.read().splitlines()


def longest_function(lines):
    longest = 0
    for first, line in enumerate(lines):
        head = HEAD.match(line)
        if head and len(head[1]) <= 2 and NAMES_ONE.search(line) and "](" not in line:  # no lambda
            end = next((at for at in range(first + 1, len(lines)) if lines[at].startswith(head[1] + "}")), first)
            longest = max(longest, end - first + 1)
    return longest


def by_hand(lines):
    """A page without what scripts put between their marks."""
    made = False
    for line in lines:
        made = made and not line.startswith("<!-- end ") or line.startswith("<!-- begin ")
        if not made:
            yield line


def counts():
    """(what, count, budget, rounded to) of every budget."""
    files = dict(sources())
    code = {name: lines for name, lines in files.items() if not name.endswith(".md")}
    program = {name: lines for name, lines in code.items() if not name.startswith("tests/")}
    pages = [lines for name, lines in files.items() if re.fullmatch(r"docs/[^/]*\.md", name)]

    def of(chosen):
        return sum(map(len, chosen))

    def test_lines(emulated):
        return of(lines for name, lines in code.items()
                  if name.startswith("tests/") and name.startswith(EMULATED) == emulated)

    glossary = files["docs/glossary.md"]
    return [
        ("lines of C++ outside tests", of(program.values()), 95000, 500),
        ("of these core proper", of(lines for name, lines in code.items() if name.startswith(CORE_PROPER)), 22000, 500),
        ("lines of tests, without emulated GPUs", test_lines(False), 45750, 250),
        ("lines of emulated GPUs", test_lines(True), 8050, 250),
        ("C++ files of more than 400 lines", sum(len(lines) > 400 for lines in code.values()), 0, 1),
        ("C++ files of at most 25 lines outside tests", sum(len(lines) <= 25 for lines in program.values()), 60, 1),
        ("functions of more than 60 lines", sum(longest_function(lines) > 60 for lines in code.values()), 0, 1),
        ("words of docs by hand", sum(len(line.split()) for lines in pages for line in by_hand(lines)), 57000, 500),
        ("words of the glossary", sum(line.startswith("| **") for line in glossary), 80, 1),
        ("lines of CHANGELOG.md", len(files["CHANGELOG.md"]), 80, 10),
    ]


def main():
    parser = marked_page.Arguments(description="Counts the sources and writes the table of budgets in docs/status.md.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit code 1 if the table is out of date")
    options = parser.parse_args()
    rows = [(what, count, budget, min(budget, math.ceil(count / step) * step)) for what, count, budget, step in counts()]
    over = [f"{what}: {count:,}, at most {budget:,}" for what, count, budget, _ in rows if count > budget]
    if over:
        print("\n".join(over))
        return 1
    table = ["| counted | at most | of a budget of |", "|---|---|---|"]
    table += [f"| {what} | {rounded:,} | {budget:,} |" for what, _, budget, rounded in rows]
    with open(STATUS, encoding="utf-8") as file:
        text = file.read()
    wanted = marked_page.filled(text, "budgets", "\n".join(table), STATUS, "scripts/budgets.py")
    return marked_page.update(STATUS, text, wanted, options.check,
                              "docs/status.md is not what scripts/budgets.py counts: run it")


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (marked_page.BadInput, OSError) as error:
        print(f"budgets.py: {error}", file=sys.stderr)
        sys.exit(2)
