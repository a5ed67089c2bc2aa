#!/usr/bin/env python3
"""status_tables.py [--check]: makes the tables of docs/status.md from the results in data/measured.

What stands between "<!-- begin NAME" and "<!-- end NAME -->" is replaced. With --check nothing is written: exit code 1
if a table is not what the files give. --measured FOLDER and --status FILE take others. Bad input: one line, exit code 2.
"""
import json
import os
import sys
import textwrap

sys.dont_write_bytecode = True
import marked_page  # noqa: E402 (no bytecode beside the scripts)
from marked_page import BadInput  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SCOPES = ("node", "socket", "numa", "core")
with open(os.path.join(ROOT, "data", "result.schema.json"), encoding="utf-8") as schema:
    DTYPES = json.load(schema)["definitions"]["dtype"]["enum"]
CPU_KERNELS = ("sse2", "avx2", "avx512", "avx512_vnni", "avx512_bf16", "avx512_fp16", "amx",
               "neon", "neon_fp16", "neon_dotprod", "sve", "sve_bf16", "sve_i8mm")
STATUSES = ("ok", "suspect", "skipped", "unsupported", "error")
NOTHING = "`data/measured/` holds no result yet."


class Subject:
    """A device of a file, with its rows at the widest scope."""

    def __init__(self, file, result, device):
        self.file, self.device, self.run = file, device, result["run"]
        mine = {kind: [row for row in result[kind] if row["device"] == device["id"]] for kind in ("ceilings", "points")}
        scopes = [row["scope"] for rows in mine.values() for row in rows]
        widest = min(scopes, key=SCOPES.index, default="node")
        self.ceilings, self.points = ([row for row in mine[kind] if row["scope"] == widest] for kind in mine)
        self.rows = mine["ceilings"] + mine["points"] + [c for c in result["curves"] if c["device"] == device["id"]]
        workers = [worker["build"] for worker in result["workers"] if device["backend"] in worker["name"]]
        self.build = workers[0] if workers else result["build"]

    def fact(self, name, default="unknown"):
        facts = self.device["facts"] + self.run["facts"]
        return next((fact["value"] for fact in facts if fact["name"] == name), default)

    def processor(self):
        device = self.device
        return device["microarchitecture"], device["name"], device["sockets"], device["cores"]

    def is_gpu(self):
        return self.device["backend"] != "openmp"

    def title(self):
        micro, name, sockets, cores = self.processor()
        if self.is_gpu():
            return name
        sockets = f", {sockets} sockets" if sockets > 1 else ""
        return f"{micro or name}, {cores} cores{sockets}"

    def ok(self, rows):
        return [row for row in rows if row["status"] == "ok"]


def load(folder):
    """The devices of all files. Every table is made of each alone first, so that an odd row is found in its file."""
    subjects = []
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
        if not name.endswith(".json"):
            continue
        try:
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                result = json.load(file)
            here = [Subject(name, result, device) for device in result["devices"]]
            for subject in here:
                for make in TABLES.values():
                    make([subject])
        except (ValueError, LookupError, TypeError, AttributeError, ArithmeticError) as error:
            raise BadInput(f"{os.path.join(folder, name)} is no result: {error!r}") from error
        subjects += here
    return subjects


def by_processor(subjects):
    groups = {}
    for subject in subjects:
        groups.setdefault(subject.processor(), []).append(subject)
    return list(groups.values())


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def quantity(value, unit):
    """"25.3 GB/s", "1.2 µs": three digits."""
    unit = {"byte/s": "B/s"}.get(unit, unit)
    for factor, prefix in ((1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1, ""), (1e-3, "m"), (1e-6, "µ"), (1e-9, "n")):
        if abs(value) >= factor:
            return f"{three_digits(value / factor)} {prefix}{unit}"
    return f"{value:.3g} {unit}"


def three_digits(value):
    return f"{value:.{2 if value < 10 else 1 if value < 100 else 0}f}"


def with_interval(row):
    text = quantity(row["value"], row["unit"])
    if row.get("ci_low") is None or row.get("ci_high") is None:
        return f"{text} (no interval)"
    low, high = quantity(row["ci_low"], row["unit"]), quantity(row["ci_high"], row["unit"])
    if low.split()[1] == high.split()[1] == text.split()[1]:
        return f"{text} ({low.split()[0]} to {high.split()[0]})"
    return f"{text} ({low} to {high})"


def machine(subject):
    """By the processor's own word (CPUID), which names the hypervisor, before that of the system."""
    said = [fact["value"] for fact in subject.run["facts"] + subject.device["facts"] if fact["name"] == "hypervisor"]
    names = [value for value in said if value not in ("yes", "none", "unknown")]
    if names or "yes" in said:
        return f"virtual ({names[0]})" if names else "virtual"
    return "bare metal" if "none" in said else "unknown"


def processors(subjects):
    rows = []
    for subject in subjects:
        build, device = subject.build, subject.device
        count = {status: sum(row["status"] == status for row in subject.rows) for status in STATUSES}
        started = subject.fact("run_started_at", subject.run["started_at"])[:10]
        commit = build["commit"][:7] + (", modified" if build["dirty"] else "")
        rows.append([subject.title(), device["name"], subject.fact("family and model"), " ".join(device["isa"]),
                     machine(subject), started, subject.run["mode"], f"{build['version']} ({commit})", build["compiler"],
                     " / ".join(str(count[status]) for status in STATUSES), f"`{subject.file}`"])
    return table(["processor", "name", "family, model", "instruction sets", "machine", "date", "mode", "gable", "compiler",
                  "rows " + " / ".join(STATUSES), "file"], rows)


def best(rows):
    """The highest bandwidth or rate, the shortest time of the rows that are ok; else what became of them."""
    good = [row for row in rows if row["status"] == "ok"]
    if good:
        return with_interval(max(good, key=lambda row: -row["value"] if row["unit"] == "s" else row["value"]))
    found = {row["status"] for row in rows}
    return next((status for status in STATUSES if status in found), "")


def calibration(group):
    """The result of a processor that has most ceilings; full ones first."""
    return max(group, key=lambda subject: (subject.run["mode"] == "full", len(subject.ok(subject.ceilings))))


def ceiling_rows(ceilings, memory):
    """Name of each line and the rows it is about."""
    def rows(**wanted):
        return [row for row in ceilings if all(row.get(key, "") in values for key, values in wanted.items())]

    for access in ("read", "copy", "triad"):
        yield f"main memory, {access}", rows(kind=["bandwidth"], name=memory[-1:], access=[access],
                                             stores=["none", "ordinary"], variant=[""])
    for level in memory[:-1]:
        yield f"{level}, read", rows(kind=["bandwidth"], name=[level], access=["read"], variant=[""])
    for unit in ("vector", "matrix"):
        for dtype in DTYPES:
            yield f"{dtype} {unit} unit, burst", rows(kind=["compute"], name=[unit], dtype=[dtype], at=["burst"],
                                                      variant=[""])
    yield "latency of main memory", rows(kind=["latency"], name=memory[-1:], variant=[""])
    for name in dict.fromkeys(row["name"] for row in ceilings if row["kind"] == "overhead"):
        yield name.replace("_", " "), rows(kind=["overhead"], name=[name], variant=[""])


def ceilings(subjects):
    chosen = [calibration(group) for group in by_processor(subjects)]
    lines = {}
    for column, subject in enumerate(chosen):
        memory = [level["name"] for level in subject.device["memory"]]
        for name, rows in ceiling_rows(subject.ceilings, memory):
            lines.setdefault(name, [""] * len(chosen))[column] = best(rows)
    shown = [[name] + cells for name, cells in lines.items() if set(cells) - {"", "unsupported"}]
    files = ["file"] + [f"`{subject.file}`" for subject in chosen]
    return table(["ceiling"] + [subject.title() for subject in chosen], shown + [files])


def kernels(subjects):
    timed = {}
    for subject in subjects:
        for row in subject.ok(subject.ceilings):
            timed.setdefault(row["implementation"], set()).add(subject.title())
    of_gpus = {row["implementation"] for subject in subjects if subject.is_gpu() for row in subject.ok(subject.ceilings)
               if row["kind"] == "compute" and row["at"] != "library"}
    return table(["kernels", "timed on"], [[f"`{name}`", "; ".join(sorted(timed.get(name, ()))) or "never"]
                                           for name in (*CPU_KERNELS, *sorted(of_gpus))])


def working_set(point):
    return max((stage["working_set_bytes"] or 0 for stage in point["stages"]), default=0)


def shown_point(point, caches):
    """Whether most of what it moves comes from main memory, or arithmetic limits it wherever its data are."""
    limited_by_arithmetic = point["limit"].split(" ")[0] in ("scalar", "vector", "matrix", "exp", "convert", "divide")
    return point["cold"] or working_set(point) >= 2 * caches or limited_by_arithmetic


def variety(point):
    """What runs: the operator with the words among its parameters, its sizes left out."""
    words = [part.split("=")[1] for part in point["params"].split(",") if part and not part.split("=")[1][0].isdigit()]
    return " ".join([point["op"]] + words), point["implementation"]


def fraction(point):
    if point["status"] != "ok":
        return point["status"]
    if point.get("fraction_of_limit") is None:
        return "no bound"
    text = f"{point['fraction_of_limit']:.2f}"
    if point.get("ci_low_s") and point.get("ci_high_s"):
        text += f" ({point['bound_s'] / point['ci_high_s']:.2f}-{point['bound_s'] / point['ci_low_s']:.2f})"
    return text


def fractions(group):
    """Of one processor: of each operator, implementation and type that of the largest working set, good ones first."""
    level = group[0].device["memory"][-2:-1]
    caches = sum(cache["size_bytes"] * cache["instances"] for cache in level)
    chosen = {}
    for point in (point for subject in group for point in subject.points if shown_point(point, caches)):
        key = (*variety(point), point["types"]["a"])
        known = chosen.setdefault(key, point)
        if (point["status"] == "ok", working_set(point)) > (known["status"] == "ok", working_set(known)):
            chosen[key] = point
    return {key: fraction(point) for key, point in chosen.items()}


def with_points(subjects, gpus):
    groups = by_processor([subject for subject in subjects if subject.is_gpu() == gpus])
    return [group for group in groups if any(subject.points for subject in group)]


def named_files(groups):
    files = ", ".join(f"`{subject.file}`" for group in groups for subject in group if subject.points)
    return textwrap.fill(files, 120, break_on_hyphens=False)


def gpu_operators(subjects):
    """A row for each operator and implementation of each GPU, a column for each type."""
    groups = with_points(subjects, True)
    if not groups:
        return "No file holds operators of a GPU yet."
    found = {}
    for group in groups:
        for (operator, by, dtype), text in fractions(group).items():
            name = operator if by == "kokkos" else f"{operator}, {by}"
            found.setdefault((group[0].title(), name), {})[dtype] = text
    types = [dtype for dtype in DTYPES if any(dtype in cells for cells in found.values())]
    rows = [[gpu, name] + [cells.get(dtype, "") for dtype in types] for (gpu, name), cells in found.items()]
    return f"{named_files(groups)}:\n\n{table(['GPU', 'operator', *types], rows)}"


def operators(subjects):
    groups = with_points(subjects, False)
    if not groups:
        return "No file holds operators yet."
    columns = [fractions(group) for group in groups]
    keys = dict.fromkeys(key for column in sorted(columns, key=len, reverse=True) for key in column)
    rows = [[operator if by == "kokkos" else f"{operator}, {by}", dtype] + [column.get((operator, by, dtype), "") for column in columns]
            for operator, by, dtype in keys]
    head = ["operator", "type"] + [group[0].title() for group in groups]
    return f"{named_files(groups)}:\n\n{table(head, rows)}"


TABLES = {"processors": processors, "ceilings": ceilings, "kernels": kernels, "operators": operators, "gpu operators": gpu_operators}


def filled(text, subjects, status):
    for name, make in TABLES.items():
        content = make(subjects) if subjects else NOTHING
        text = marked_page.filled(text, name, content, status, "scripts/status_tables.py")
    return text


def main():
    parser = marked_page.Arguments(description="Makes the tables of docs/status.md from the results in data/measured.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit code 1 if a table is out of date")
    parser.add_argument("--measured", default=os.path.join(ROOT, "data", "measured"), metavar="FOLDER")
    parser.add_argument("--status", default=os.path.join(ROOT, "docs", "status.md"), metavar="FILE")
    options = parser.parse_args()
    with open(options.status, encoding="utf-8") as file:
        text = file.read()
    wanted = filled(text, load(options.measured), options.status)
    return marked_page.update(options.status, text, wanted, options.check,
                              f"{options.status} is not what {options.measured} gives: run scripts/status_tables.py")


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (BadInput, OSError) as error:
        print(f"status_tables.py: {error}", file=sys.stderr)
        sys.exit(2)
