"""Rates of cuBLAS and cuSOLVER on whole matrices that lie on the device, through PyTorch: JSON with
operations per second by routine and order, in double precision.

    scripts/bench/peers/cuda_libraries.py potrf:16384 gemm:16384 ...

Each is the best of three after one that does not count. "none" where a matrix does not fit.
"""

import json
import sys
import time

import torch

OPERATIONS = {
    "gemm": lambda n: 2 * n**3,
    "potrf": lambda n: n**3 / 3,
    "getrf": lambda n: 2 * n**3 / 3,
    "getrf-nopiv": lambda n: 2 * n**3 / 3,
    "geqrf": lambda n: 4 * n**3 / 3,
}


def call(routine, n):
    a = torch.rand(n, n, dtype=torch.float64, device="cuda") - 0.5
    if routine == "gemm":
        b, c = torch.rand_like(a), torch.empty_like(a)
        return lambda: torch.mm(a, b, out=c)
    if routine == "geqrf":
        return lambda: torch.geqrf(a)
    a.diagonal().add_(n)
    if routine == "potrf":
        a.add_(a.T.clone())
        return lambda: torch.linalg.cholesky_ex(a)
    return lambda: torch.linalg.lu_factor_ex(a, pivot=routine == "getrf")


def seconds(work):
    work()
    times = []
    for _ in range(3):
        torch.cuda.synchronize()
        start = time.perf_counter()
        work()
        torch.cuda.synchronize()
        times.append(time.perf_counter() - start)
    return min(times)


torch.backends.cuda.preferred_linalg_library("cusolver")
rates = {}
for word in sys.argv[1:]:
    routine, order = word.split(":")
    try:
        rates[word] = OPERATIONS[routine](int(order)) / seconds(call(routine, int(order)))
    except torch.cuda.OutOfMemoryError:
        rates[word] = None
    torch.cuda.empty_cache()
print(json.dumps({"device": torch.cuda.get_device_name(), "torch": torch.__version__, "rates": rates}))
