"""Reading PTX."""
import collections
import re


def operation(line):
    """The instruction of a line of PTX, or None."""
    text = re.sub(r"^[{\s]+", "", line)
    text = re.sub(r"^@!?%?\w+\s+", "", text)
    found = re.match(r"[a-z][a-z0-9_]*(?:[.:]+\w+)*", text)
    return found.group(0) if found else None


def loops(body, innermost=False):
    """Instructions of every loop of a kernel: from a label to the last branch back to it. innermost: only of those that hold no other."""
    lines = [line.strip() for line in body.split("\n")]
    labels = {line.split(":")[0]: number for number, line in enumerate(lines) if re.match(r"\$\w+:", line)}
    found = {}
    for number, line in enumerate(lines):
        branch = re.search(r"\bbra(?:\.uni)?\s+(\$\w+);", line)
        if branch and labels.get(branch.group(1), number) < number:
            found[branch.group(1)] = (labels[branch.group(1)] + 1, number + 1)
    spans = list(found.values())
    if innermost:
        spans = [(a, b) for a, b in spans if not any((c, d) != (a, b) and a <= c and d <= b for c, d in spans)]
    return [collections.Counter(filter(None, map(operation, lines[a:b]))) for a, b in spans]
