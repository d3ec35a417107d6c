#!/usr/bin/env bash
# A likelihood on a cluster of unequal nodes: planned, then simulated, before any node is asked for.
#
#   docs/examples/cluster.sh [FOLDER]
set -euo pipefail
cluster=2chifflot+4chifflet             # "tegula platform show" lists nodes; calibrate makes yours
out=${1:-out/cluster}
mkdir -p "$out"

# Which node owns which tile in each phase: maps, messages and the bound, without running anything.
tegula plan exageostat --platform "$cluster" --tiles 40 -o "$out/plan"

# The run in virtual time: with the same tiles on every node, and by what nodes can do.
for distribution in block-cyclic lp; do
    tegula simulate exageostat --platform "$cluster" --tiles 40 --distribution "$distribution" \
        --trace "$out/$distribution.trace"
done
tegula trace "$out/block-cyclic.trace" "$out/lp.trace" -o "$out/compare.html"
tegula trace "$out/lp.trace" --panel aggregated -o "$out/utilisation.svg"
