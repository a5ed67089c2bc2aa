#!/usr/bin/env python3
"""rooms.py ROOT: each room of core includes only rooms that stand before it in one order, so there are no circles."""
import pathlib
import re
import sys

# Files that lie directly in core/ are rooms of their own, named by the file.
order = """
    enum_names error status huge_pages
    json text
    model measure device
    vendor_call operator counting_scalar operator_spec
    result
    interchange
    backend row_item
    workload experiment worker
    analysis campaign
    report
    library
""".split()

root = pathlib.Path(sys.argv[1])
sources = sorted([*root.glob("core/**/*.cpp"), *root.glob("core/**/*.hpp")])
if not sources:
    sys.exit(f"{root}/core: no such files")


def room_of(path):
    parts = path.split("/")
    return parts[1] if len(parts) > 2 else parts[1].split(".")[0]


wrong = []
for source in sources:
    path = source.relative_to(root).as_posix()
    room = room_of(path)
    if room not in order:
        wrong.append(f"{path}: the room '{room}' has no place in the order")
        continue
    for number, line in enumerate(source.read_text().splitlines(), 1):
        found = re.match(r'\s*#\s*include\s*"(core/[^"]+)"', line)
        if found and room_of(found[1]) in order and order.index(room_of(found[1])) > order.index(room):
            wrong.append(f"{path}:{number}: {room} must not know {room_of(found[1])}")
print("\n".join(wrong))
sys.exit(bool(wrong))
