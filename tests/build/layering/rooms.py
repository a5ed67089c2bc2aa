#!/usr/bin/env python3
"""rooms.py ROOT: each room of core includes only rooms that stand before it in one order, so there are no circles. A question includes core proper,
and of the other questions only those that docs/architecture.md names."""
import pathlib
import re
import sys

# Files that lie directly in core/ are rooms of their own, named by the file.
order = """
    enum_names error sequence status huge_pages
    json text
    model measure device
    vendor_call operator counting_scalar operator_spec request
    result verdict
    backend row_item
    workload worker
    render
""".split()

# A folder of core/questions, and which other questions it uses.
questions = {
    "interchange": [],
    "experiment": [],
    "network": [],
    "predict": [],
    "counters": ["interchange"],
    "compare": ["predict"],
    "explain": ["predict"],
    "plan": ["predict"],
    "course": ["predict", "explain"],
    "check": ["compare", "explain"],
    "report": ["compare", "predict", "explain", "course", "network"],
    "campaign": ["check", "report"],
}

root = pathlib.Path(sys.argv[1])
sources = sorted([*root.glob("core/**/*.cpp"), *root.glob("core/**/*.hpp")])
if not sources:
    sys.exit(f"{root}/core: no such files")
documented = root.joinpath("docs/architecture.md").read_text()


def room_of(path):
    parts = path.split("/")
    if parts[1] == "questions":
        return parts[2]
    return parts[1] if len(parts) > 2 else parts[1].split(".")[0]


def known(room):
    """The rooms that a room may include."""
    if room == "library":
        return order
    return [*order, room, *questions[room]] if room in questions else order[: order.index(room) + 1]


wrong = [
    f"docs/architecture.md: no row says that {name} uses {', '.join(others)}"
    for name, others in questions.items()
    if not re.search(rf"^\| `{name}` \|.*\| {', '.join(f'`{other}`' for other in others)} ?\|$", documented, re.M)
]
for source in sources:
    path = source.relative_to(root).as_posix()
    room = room_of(path)
    if room not in [*order, *questions, "library"]:
        wrong.append(f"{path}: the room '{room}' has no place in the order")
        continue
    for number, line in enumerate(source.read_text().splitlines(), 1):
        found = re.match(r'\s*#\s*include\s*"(core/[^"]+)"', line)
        if found and room_of(found[1]) not in [*known(room), room]:
            wrong.append(f"{path}:{number}: {room} must not know {room_of(found[1])}")
print("\n".join(wrong))
sys.exit(bool(wrong))
