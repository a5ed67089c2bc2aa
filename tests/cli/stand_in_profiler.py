#!/usr/bin/env python3
"""A profiler without counters: runs the program that it is given and writes what a real one would have counted.

Called as ncu, rocprofv3, likwid-perfctr or perf, which its options tell apart. The work of a run is known by hand; what
comes before the runs is counted, too, as whole-process tools do. GABLE_STAND_IN says what it counts: "exact"; "twice"
the operations; "uneven", by operator; "nothing"; or how it fails: "garbage", "exit", "missing", "refused", "idle" (the
program does not run), "sleeping" (it runs programs that go on for long, one of them a daemon, and writes their numbers
into the log), "leaving" (it ends before these; one holds its output), "endless" (a line without an end), "large" (a file
that is too large, by perf). Each program that it was given is a line of the file that GABLE_STAND_IN_LOG names.
"""
import os
import pathlib
import subprocess
import sys
import time

MODE = os.environ.get("GABLE_STAND_IN", "exact")
SETUP_FLOP, SETUP_BYTES = 3e6, 5e8
SIZES = {"fp64": 8, "fp32": 4, "fp16": 2, "bf16": 2}
REFUSALS = {"ncu": "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access performance counters\n",
            "likwid": "Cannot get access to MSRs. Please check permissions to the MSRs\n"}


def work(words):
    """(type, flop, byte read, byte written) of one run."""
    option = {words[i]: words[i + 1] for i in range(len(words) - 1) if words[i].startswith("--")}
    sizes = {key: int(value) for key, value in (one.split("=") for one in option["--params"].split(","))}
    size = SIZES[option["--dtype"]]
    if option["--operator"] == "gemm":
        flop, read, written = 2 * sizes["m"] * sizes["n"] * sizes["k"], 1e6, 1e6
    else:
        n = sizes["n"]
        flop, read, written = 2 * n, 2 * n * size, 0 if option["--operator"] == "dot" else n * size
    if MODE == "twice":
        flop *= 2
    if MODE == "uneven" and option["--operator"] == "dot":
        read *= 0.6
    if MODE == "nothing":
        flop = read = written = 0
    return option["--dtype"], flop, read, written, int(option["--runs"])


def ncu(words, program):
    if words[words.index("--clock-control") + 1] != "none":
        sys.exit("ncu would change the GPU's clocks")
    dtype, flop, read, written, runs = work(program)
    metrics = words[words.index("--metrics") + 1].split(",")
    matrix = {"fp16": "fp16_dst_fp32", "bf16": "bf16_dst_fp32"}.get(dtype)
    fma = {"fp64": "dfma", "fp32": "ffma"}.get(dtype)

    def figure(metric, flop, read, written):
        if metric == "gpu__time_duration.sum":
            return 1000
        if metric.startswith("dram__bytes_read"):
            return read
        if metric.startswith("dram__bytes_write"):
            return written
        if metric.startswith(("lts__t_bytes", "l1tex__t_bytes")):
            return read + written
        if matrix and matrix in metric:
            return flop
        return flop / 2 if fma and f"_{fma}_" in metric else 0

    unit = {True: "ns", False: "byte"}
    units = [unit[m.startswith("gpu__time")] if "__t" in m or "bytes" in m else "inst" if "inst" in m else "" for m in metrics]
    rows = [["fill", SETUP_FLOP, SETUP_BYTES, SETUP_BYTES]] + [["the_operator", flop, read, written]] * runs
    lines = ["==PROF== Connected to process 7", '"ID","Process ID","Kernel Name","' + '","'.join(metrics) + '"',
             '"","","","' + '","'.join(units) + '"']
    for number, (kernel, *figures) in enumerate(rows):
        cells = [str(number), "7", kernel] + [str(int(figure(m, *figures))) for m in metrics]
        lines.append(",".join(f'"{cell}"' for cell in cells))
    return pathlib.Path(words[words.index("--log-file") + 1]), "\n".join(lines) + "\n"


def rocprofv3(words, program):
    dtype, flop, read, written, runs = work(program)
    first = words.index("--pmc") + 1
    counters = [word for word in words[first:words.index("--", first)]]

    def figure(counter, flop, read, written):
        half_128, half_64 = read / 2 / 128, read / 2 / 64  # half of the reads are of 128 bytes
        known = {"TCC_EA0_RDREQ_sum": half_128 + half_64, "TCC_BUBBLE_sum": half_128, "TCC_EA0_WRREQ_sum": written / 64,
                 "TCC_EA0_WRREQ_64B_sum": written / 64, f"SQ_INSTS_VALU_FMA_F{dtype[2:]}": flop / 2 / 64}
        if dtype == "bf16":
            known = {"SQ_INSTS_VALU_MFMA_MOPS_BF16": flop / 512}
        return known.get(counter, 0)

    rows = [["fill", SETUP_FLOP, SETUP_BYTES, SETUP_BYTES]] + [["the_operator", flop, read, written]] * runs
    lines = ["Correlation_Id,Dispatch_Id,Agent_Id,Queue_Id,Process_Id,Kernel_Name,Counter_Name,Counter_Value,"
             "Start_Timestamp,End_Timestamp"]
    for number, (kernel, *figures) in enumerate(rows):
        for counter in counters:
            lines.append(f"{number},{number},Agent 4,1,7,{kernel},{counter},{figure(counter, *figures):.1f},1000,2000")
    folder = pathlib.Path(words[words.index("-d") + 1]) / "node"
    folder.mkdir()
    return folder / "7_counter_collection.csv", "\n".join(lines) + "\n"


def likwid(words, program):
    dtype, flop, read, written, runs = work(program)
    group = words[words.index("-g") + 1]
    if group == "L3":
        sys.exit("ERROR: no group L3")
    flop, read, written = SETUP_FLOP + runs * flop, SETUP_BYTES + runs * read, SETUP_BYTES + runs * written
    metrics = {
        "FLOPS_DP": {"DP [MFLOP/s]": (dtype == "fp64") * flop / 0.5 / 1e6},
        "FLOPS_SP": {"SP [MFLOP/s]": (dtype == "fp32") * flop / 0.5 / 1e6},
        "MEM": {"Memory read data volume [GBytes]": read / 1e9, "Memory write data volume [GBytes]": written / 1e9,
                "Memory data volume [GBytes]": (read + written) / 1e9},
        "L2": {"L2 data volume [GBytes]": (read + written) / 1e9},
    }["MEM" if group.startswith("MEM") else group]
    lines = ["STRUCT,Info,3,", "CPU name:,Stand-in,", "CPU type:,Stand-in,", "CPU clock:,2 GHz,",
             f"TABLE,Group 1 Metric,{group},{len(metrics) + 1},", "Metric,HWThread 0,HWThread 1", "Runtime (RDTSC) [s],0.5,0.5"]
    lines += [f"{name},{value / 4:.9f},{value * 3 / 4:.9f}" for name, value in metrics.items()]
    return pathlib.Path(words[words.index("-o") + 1]), "\n".join(lines) + "\n"


def perf(words, program):
    dtype, flop, read, written, runs = work(program)
    used, other, lanes = {"fp64": ("double", "single", 4), "fp32": ("single", "double", 8)}[dtype]
    flop, read, written = SETUP_FLOP + runs * flop, SETUP_BYTES + runs * read, SETUP_BYTES + runs * written
    counts = {f"fp_arith_inst_retired.{width}_{one}": 0 for width in ("scalar", "128b_packed", "256b_packed") for one in (used, other)}
    counts.update({f"fp_arith_inst_retired.256b_packed_{used}": flop / lanes,
                   "unc_m_cas_count.rd": read / 64, "unc_m_cas_count.wr": written / 64})
    lines = ["# started on Mon Jan  5 10:00:00 2026", ""]
    for event in words[words.index("-e") + 1].split(","):
        if event == "duration_time":
            lines.append("5000000,ns,duration_time,5000000,100.00,,")
        elif event in counts and MODE != "refused":
            lines.append(f"{int(counts[event])},,{event},5000000,100.00,,")
        else:
            lines.append(f"<not supported>,,{event},0,100.00,,")
    return pathlib.Path(words[words.index("-o") + 1]), "\n".join(lines) + "\n"


def start_two():
    """One in its group, which has its output, and one as daemons are: in a session of its own, its parent gone."""
    child = subprocess.Popen(["sleep", "600"])
    daemon = subprocess.run(["sh", "-c", "sleep 600 >/dev/null 2>&1 & echo $!"], start_new_session=True, check=True,
                            capture_output=True, text=True).stdout
    pathlib.Path(os.environ["GABLE_STAND_IN_LOG"]).write_text(f"{child.pid} {daemon}", encoding="utf-8")
    return child


def main():
    words = sys.argv[1:]
    tool = perf if words[0] == "stat" else likwid if "-O" in words else ncu if "--log-file" in words else rocprofv3
    program = words[words.index("run") - 1:]
    if MODE == "exit":
        print("the profiler broke", file=sys.stderr)
        return 3
    if MODE == "refused" and tool.__name__ in REFUSALS:
        print(REFUSALS[tool.__name__], file=sys.stderr)
        return 1
    if MODE == "endless":
        return subprocess.run(["cat", "/dev/zero"], check=False).returncode
    if MODE == "large":
        with open(words[words.index("-o") + 1], "wb") as file:
            file.truncate(5 * 2**30)  # it takes no space
        time.sleep(600)
    if MODE == "leaving":
        start_two()
    if MODE == "sleeping":
        start_two().wait()
    with open(os.environ["GABLE_STAND_IN_LOG"], "a", encoding="utf-8") as log:
        log.write(" ".join(program[1:]) + "\n")
    done = subprocess.run(["true"] if MODE == "idle" else program, check=False)
    if done.returncode != 0:
        return done.returncode
    path, text = tool(words[:-len(program)], program)
    if MODE != "missing":
        path.write_text("no table\n" if MODE == "garbage" else text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
