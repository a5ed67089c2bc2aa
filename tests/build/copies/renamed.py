"""renamed.py ROOT: no file of backends/hip is one of backends/cuda with the names exchanged, nor is one form of the tile primitive the
other's. What the vendors call their things is taken out of both files; then the runs of RUN tokens that one has in common with the other
are counted, and may make up at most MOST of the shorter file's. Comments do not count, and neither do files of less than LEAST tokens: tables
of names, which are what the shared sources are compiled against. The check itself is checked on copies made here, which it has to find."""
import pathlib
import re
import sys

RUN = 12
MOST = 0.4
LEAST = 150
SUFFIXES = {".cpp", ".hpp", ".cmake"}
# Longer names first. What an identifier is left with is compared as it is.
VENDOR = re.compile(r"cublaslt|cublas|hipblaslt|hipblas|rocblas|nvml|rocm_?smi|rsmi|amd_?smi|nvidia|cuda|rocm|hip|amd|warp|wave(?:front)?|"
                    r"sm_?\d+a?|gfx\w+|cc\d+|nv", re.I)
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|\w+|[^\w\s]')


def tokens(path, text):
    text = re.sub(r"#[^\n]*", "", text) if path.suffix == ".cmake" else COMMENT.sub("", text)
    return [VENDOR.sub("v", token).lower() for token in TOKEN.findall(text)]


def runs(words):
    return [tuple(words[at:at + RUN]) for at in range(len(words) - RUN + 1)]


def alike(first, second):
    """Part of the shorter one's runs that the other has too; 0 where one is too short to be judged."""
    shorter, longer = sorted((first, second), key=len)
    if len(shorter) < LEAST:
        return 0.0
    others = set(runs(longer))
    own = runs(shorter)
    return sum(run in others for run in own) / len(own)


def sources(folder, *files):
    paths = [*sorted(folder.rglob("*")), *(file for file in files if file.exists())]
    return {path: tokens(path, path.read_text()) for path in paths if path.suffix in SUFFIXES}


def made_up(path):
    """The file as somebody would copy it for the other vendor."""
    text = path.read_text()
    for name, other in (("cublas", "hipblas"), ("CUBLAS", "HIPBLAS"), ("nvml", "rocm_smi"), ("Nvml", "RocmSmi"), ("NVML", "ROCM_SMI"), ("CUDA", "HIP"),
                        ("Cuda", "Hip"), ("cuda", "hip"), ("NVIDIA", "AMD"), ("warp", "wave"), ("Warp", "Wave")):
        text = text.replace(name, other)
    return tokens(path, re.sub(r"sm_?\d+a?", "gfx942", text))


def main():
    root = pathlib.Path(sys.argv[1])
    cuda, hip = (sources(root / "backends" / vendor, root / "operators/device/tile" / f"{vendor}.hpp") for vendor in ("cuda", "hip"))
    if not cuda or not hip:
        sys.exit("one of the two folders has no sources")
    pairs = [(one, other) for one in cuda.items() for other in hip.items()]
    found = sorted(((alike(a, b), one.relative_to(root), other.relative_to(root)) for (one, a), (other, b) in pairs), reverse=True)
    for ratio, one, other in found[:5]:
        print(f"{100 * ratio:5.1f} %  {one}  {other}")
    copies = [entry for entry in found if entry[0] > MOST]
    for ratio, one, other in copies:
        print(f"{other} is a renamed copy of {one}: {100 * ratio:.0f} % of the shorter one")
    missed = [path for path, words in cuda.items() if len(words) >= LEAST and alike(words, made_up(path)) <= MOST]
    for path in missed:
        print(f"a renamed copy of {path.relative_to(root)} is not recognised")
    sys.exit(1 if copies or missed else 0)


main()
