#!/usr/bin/env python3
"""labels.py ROOT: core/ and cli/ do not tell things apart by the words of a label or sentence.

What a thing is stands in a typed field with one to_string(). So the member functions starts_with(), ends_with(), find()
and rfind() are not called with a string literal, a text that fmt::format() makes, or a constant that is declared with a
literal, in the same file or in a header. Exceptions stand in labels.txt beside this file, one a line:

    PATH | CALL | WHY

Texts that other programs wrote, what people type and the text of result files are such exceptions. The readers in
core/questions/interchange, whose every source takes apart what one other program wrote, are passed over as a whole. Characters and
variables are not looked at.
"""
import pathlib
import re
import sys

STRING = r'(?:u8|L)?"(?:[^"\\\n]|\\.)*"(?:sv|s)?'
COMMENT = re.compile(rf"({STRING}|'(?:[^'\\\n]|\\.)+')|//[^\n]*|/\*.*?\*/", re.DOTALL)
CONSTANT = re.compile(rf"\bconst(?:expr|init)?\b[^;(){{}}=]*?\b(\w+)(?:\[\])?\s*(?:=\s*|\{{\s*){STRING}")
CALL = re.compile(r"(?:\.|->)\s*(starts_with|ends_with|find|rfind)\(\s*")
ARGUMENT = re.compile(rf"(?P<text>{STRING}|fmt::format\(\s*{STRING})|(?P<name>(?:\w+::)*\w+)\s*[,)]")


def without_comments(text):
    return COMMENT.sub(lambda found: found[1] or re.sub(r"[^\n]", " ", found[0]), text)


def constants(text):
    """Names that are declared with a literal."""
    return set(CONSTANT.findall(text))


def calls(text, names):
    """(line, "starts_with(\"x\")") of each call of such a text."""
    found = []
    for call in CALL.finditer(text):
        argument = ARGUMENT.match(text, call.end())
        if not argument:
            continue
        if argument["name"] and argument["name"].split("::")[-1] not in names:
            continue
        of = argument["text"] or argument["name"]
        shown = f"{call[1]}({of})" + (")" if of.startswith("fmt::format") else "")
        found.append((text.count("\n", 0, call.start()) + 1, shown))
    return found


def check_rules():
    names = constants('inline constexpr std::string_view heading = "A";\nconst char* const key{"b"};\nconst int n = 3;')
    if names != {"heading", "key"}:
        sys.exit(f"the check itself is wrong: it takes {names} for the constants")
    for text, expected in {
        'limit.starts_with("exp ")': ['starts_with("exp ")'],
        "name.ends_with(gable::heading)": ["ends_with(gable::heading)"],
        'text->find("a", 2)': ['find("a")'],
        "row.find(\n    key)": ["find(key)"],
        'name.starts_with(fmt::format("a-{}", b))': ['starts_with(fmt::format("a-{}"))'],
        '"// no comment".rfind("x")': ['rfind("x")'],
        '// limit.starts_with("exp ")': [],
        "line.find(' ')": [],
        "known.find(id)": [],
        'std::ranges::find(list, "a")': [],
    }.items():
        got = [call for _, call in calls(without_comments(text), names)]
        if got != expected:
            sys.exit(f"the check itself is wrong: {text!r} gives {got}, not {expected}")


def allowed(path):
    entries = {}
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        parts = [part.strip() for part in line.split(" | ")]
        if len(parts) != 3 or len(parts[2].split()) < 3 or tuple(parts[:2]) in entries:
            sys.exit(f"{path.name}:{number}: not 'PATH | CALL | WHY', or there already")
        entries[tuple(parts[:2])] = number
    return entries


def main():
    check_rules()
    root = pathlib.Path(sys.argv[1])
    sources = {
        path.relative_to(root).as_posix(): without_comments(path.read_text())
        for room in ("core", "cli")
        for path in sorted([*root.glob(f"{room}/**/*.cpp"), *root.glob(f"{room}/**/*.hpp")])
        if not path.relative_to(root).as_posix().startswith("core/questions/interchange/")
    }
    if not sources:
        sys.exit(f"{root}: no sources of core/ and cli/")
    shared = set().union(*(constants(text) for path, text in sources.items() if path.endswith(".hpp")))
    entries = allowed(pathlib.Path(__file__).with_name("labels.txt"))
    used, wrong = set(), []
    for path, text in sources.items():
        for line, call in calls(text, shared | constants(text)):
            used.add((path, call))
            if (path, call) not in entries:
                wrong.append(f"{path}:{line}: {call}: compare a typed field, or say in labels.txt why not")
    wrong += [f"labels.txt:{entries[one]}: nothing there calls this any more" for one in entries if one not in used]
    print("\n".join(wrong))
    sys.exit(bool(wrong))


main()
