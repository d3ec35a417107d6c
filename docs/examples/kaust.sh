#!/usr/bin/env bash
# A field of the 2021 KAUST competition: a fit from neighbours, and predictions that can be judged.
#
#   docs/examples/kaust.sh [DATA.csv [FOLDER]]
#
# Without DATA.csv it takes the 10 000 places that are in data/samples. The 90 000 places of the
# competition, DATA/90_10/XYZ_90K_15_0168639_15_1.csv of github.com/ecrc/exageostatR, take ten times
# as long. Columns are x, y, z without a header.
set -euo pipefail
data=${1:-data/samples/XYZ_10K_15_0168639_15_1.csv}
out=${2:-out/kaust}
mkdir -p "$out"

# Every tenth place is held out.
awk 'NR % 10 != 0' "$data" >"$out/train.csv"
awk 'NR % 10 == 0' "$data" >"$out/test.csv"

# Each value given its 30 nearest before it, in place of all of them; the truth is variance 1.5,
# range 0.168639, smoothness 1.5.
tegula exageostat fit "$out/train.csv" --covariance matern --mean zero --method vecchia:30 \
    -o "$out/model.json"

# The error at the places held out, and a page with a map of the predictions.
tegula exageostat predict "$out/model.json" --at "$out/test.csv" -o "$out/predictions.csv"
tegula exageostat plot "$out/model.json" --predictions "$out/predictions.csv" -o "$out/report.html"
