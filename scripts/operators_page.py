#!/usr/bin/env python3
"""operators_page.py [--check]: makes the list of docs/operators.md from the comments of the operators' headers.

An operator's comment stands above its struct and gives formula, shapes, flop and bytes. What stands between "<!-- begin
operators" and "<!-- end operators" is replaced. With --check nothing is written: exit code 1 if the list is not what the
headers say. --operators FOLDER and --page FILE take others. Bad input: one line, exit code 2.
"""
import os
import re
import sys
import textwrap

sys.dont_write_bytecode = True
import marked_page  # noqa: E402 (no bytecode beside the scripts)
from marked_page import BadInput  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SCRIPT = "scripts/operators_page.py"
ADDED = re.compile(r"^gable_add_operator\((\w+)(?: HEADER (\S+?))?(?: [A-Z]+ \S+?)*\)", re.M)


def headers(folder):
    """The name of each operator and its header."""
    with open(os.path.join(folder, "CMakeLists.txt"), encoding="utf-8") as file:
        return {name: header or f"{name}.hpp" for name, header in ADDED.findall(file.read())}


def comment(text, name):
    """The sentences above struct BiasRelu of the operator bias_relu."""
    struct = "".join(word.capitalize() for word in name.split("_"))
    found = re.search(rf"((?:^///.*\n)+)struct {struct}\b", text, re.M)
    return " ".join(re.sub("^///", "", line).strip() for line in found[1].splitlines()) if found else ""


def paragraphs(folder):
    for name, header in sorted(headers(folder).items()):
        with open(os.path.join(folder, header), encoding="utf-8") as file:
            said = comment(file.read(), name)
        lacks = [word for word in ("flop", "bytes") if not re.search(rf"\b{word}\b", said)]
        if lacks:
            raise BadInput(f"{os.path.join(folder, header)}: the comment of {name} does not give its {' and '.join(lacks)}")
        # A line that begins with an operator would be an item of a list.
        said = re.sub(r" ([-+=] )", "\0\\1", re.sub(" +", " ", said))
        lines = textwrap.fill(f"**{name}**: {said}", 120, break_long_words=False, break_on_hyphens=False)
        yield lines.replace("\0", " ")


def main():
    parser = marked_page.Arguments(description="Makes the list of docs/operators.md from the operators' headers.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit code 1 if the list is out of date")
    parser.add_argument("--operators", default=os.path.join(ROOT, "operators"), metavar="FOLDER")
    parser.add_argument("--page", default=os.path.join(ROOT, "docs", "operators.md"), metavar="FILE")
    options = parser.parse_args()
    with open(options.page, encoding="utf-8") as file:
        text = file.read()
    wanted = marked_page.filled(text, "operators", "\n\n".join(paragraphs(options.operators)), options.page, SCRIPT)
    return marked_page.update(options.page, text, wanted, options.check,
                              f"{options.page} is not what the headers in {options.operators} say: run {SCRIPT}")


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (BadInput, OSError) as error:
        print(f"operators_page.py: {error}", file=sys.stderr)
        sys.exit(2)
