#!/usr/bin/env python3
"""torch_baseline.py: times PyTorch's matmul and scaled_dot_product_attention on the GPU, at the sizes of gpu_stage.sh's products, and prints a CSV:
somebody else's figures beside ours, never in our results. fp32 is not tf32, and only scores that a causal mask leaves count. Exit code 77 without
PyTorch or a GPU that it can use."""
import sys

MATMUL = [(n, n, n) for n in (4096, 6144)]
ATTENTION = [(32, 32, 4096, 64, False), (16, 16, 4096, 128, False), (32, 8, 4096, 128, True)]  # heads, of keys, length, width, causal
WARM, RUNS = 3, 15


def print_row(torch, words, flop, call):
    """A row; or where there is no kernel for this type, or no memory, the reason among the errors."""
    times = []
    try:
        for _ in range(WARM + RUNS):
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            begin.record()
            call()
            end.record()
            end.synchronize()
            times.append(begin.elapsed_time(end))
    except (RuntimeError, TypeError) as error:
        print(f"{words}: {str(error).splitlines()[0]}", file=sys.stderr)
        return
    ms = sorted(times[WARM:])[RUNS // 2]
    print(words, flop, RUNS, f"{ms:.4f}", f"{flop / ms / 1e9:.1f}", sep=",", flush=True)


def print_rows(torch):
    torch.backends.cuda.matmul.allow_tf32 = False
    attend = torch.nn.functional.scaled_dot_product_attention
    print(f"# PyTorch {torch.__version__}, {torch.cuda.get_device_name(0)}")
    print("operation,type,size,flop,runs,median (ms),rate (TFLOP/s)")
    for name, dtype in {"bf16": torch.bfloat16, "fp16": torch.float16, "fp32": torch.float32, "fp64": torch.float64}.items():
        for m, n, k in MATMUL:
            a, b = (torch.randn(shape, device="cuda", dtype=dtype) for shape in ((m, k), (k, n)))
            print_row(torch, f"matmul,{name},m={m} n={n} k={k}", 2 * m * n * k, lambda: torch.matmul(a, b))
        for heads, kv, length, width, causal in ATTENTION if name != "fp64" else []:
            q, k, v = (torch.randn((1, h, length, width), device="cuda", dtype=dtype) for h in (heads, kv, kv))
            flop = 4 * width * heads * (length * (length + 1) // 2 if causal else length * length)
            print_row(torch, f"attention,{name},h={heads} kv={kv} l={length} d={width} mask={'causal' if causal else 'none'}", flop,
                      lambda: attend(q, k, v, is_causal=causal, **({"enable_gqa": True} if heads != kv else {})))  # not known before 2.5


try:
    import torch as pytorch
except ImportError as missing:
    sys.exit(print(f"skipped: {missing}", file=sys.stderr) or 77)
if not pytorch.cuda.is_available():
    sys.exit(print("skipped: PyTorch has no GPU that it can use", file=sys.stderr) or 77)
print_rows(pytorch)
