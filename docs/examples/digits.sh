#!/usr/bin/env bash
# Images of handwritten digits on two axes, by distances that are stored nowhere.
#
#   docs/examples/digits.sh [FOLDER]
set -euo pipefail
data=data/samples/digits.csv.gz
out=${1:-out/digits}
mkdir -p "$out"

# 64 pixels, then the digit, which is to colour the points.
zcat "$data" | awk -F, 'BEGIN { print "id,digit" } { print NR "," $65 }' >"$out/labels.csv"
tegula diodon mds "$data" --metric euclidean --columns "$(seq -s, 1 64)" --axes 3 \
    --labels "$out/labels.csv" -o "$out/embedding"
