#!/usr/bin/env bash
# Sequences of 16S rRNA on axes, by their words of six letters; new sequences among them.
#
#   docs/examples/16s.sh [FOLDER]
#
# needs: target/peers/16s.fasta
set -euo pipefail
data=target/peers/16s.fasta             # scripts/fetch-16s
out=${1:-out/16s}
mkdir -p "$out"

# The phylum of each: >NAME|... LINEAGE;BY;RANK. Names are made unique, as identifiers must be.
awk -F'\t' '/^>/ { n += 1; split($1, name, "|"); print name[1] "_" n; next } { print }' "$data" \
    >"$out/sequences.fasta"
awk -F'\t' 'BEGIN { print "id,phylum" } /^>/ {
    n += 1; split($1, name, "|"); split($2, rank, ";"); gsub("\"", "", rank[3])
    print substr(name[1], 2) "_" n "," (rank[3] == "" ? "none" : rank[3])
}' "$data" >"$out/labels.csv"

# Distances once, to a file; then axes.
tegula diodon distances "$out/sequences.fasta" --metric kmer:6 -o "$out/distances.h5"
tegula diodon mds "$out/distances.h5" --axes 5 --labels "$out/labels.csv" -o "$out/embedding"

# New items are placed by their distances to the embedded ones alone; here the same ones again.
tegula diodon project "$out/embedding" "$out/distances.h5" --labels "$out/labels.csv" \
    -o "$out/placed"
