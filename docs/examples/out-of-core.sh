#!/usr/bin/env bash
# A Cholesky factorisation of a matrix that does not fit the memory it is given.
#
#   docs/examples/out-of-core.sh [ORDER [MEMORY [FOLDER]]]
set -euo pipefail
n=${1:-3000}
memory=${2:-16MiB}
out=${3:-out/out-of-core}
mkdir -p "$out"

# What it will take: memory, disk, operations, time.
tegula linalg potrf -n "$n" --memory "$memory" --scratch "$out" --dry-run

# Less than half of it in memory; the rest is in a file in $out, which is gone when the run ends.
tegula linalg potrf -n "$n" --memory "$memory" --scratch "$out" --check --trace "$out/run.trace"
tegula trace "$out/run.trace"
tegula trace "$out/run.trace" --panel memory -o "$out/memory.svg"
