#!/usr/bin/env bash
# Zinc in the flood plain of the Meuse: two models, which of them predicts better, and a map.
#
#   docs/examples/meuse.sh [FOLDER]       from the root; writes to FOLDER, out/meuse unless told
#
# needs: target/peers/meuse.csv
set -euo pipefail
data=target/peers/meuse.csv             # scripts/fetch-meuse
out=${1:-out/meuse}
mkdir -p "$out"

# What the data look like: semivariances by distance, in metres.
tegula exageostat variogram "$data" --values 'log(zinc)'

# A mean that depends on the distance from the river, and one that does not.
tegula exageostat fit "$data" --values 'log(zinc)' --covariance exponential --estimate-nugget \
    --mean 'sqrt(dist)' -o "$out/trend.json"
tegula exageostat fit "$data" --values 'log(zinc)' --covariance exponential --estimate-nugget \
    -o "$out/constant.json"
tegula exageostat assess "$out/trend.json" --against "$out/constant.json"

# A map: predictions on a grid of 50 m, as a table and as an image for a GIS.
grid=178600:181400:50,329700:333650:50
tegula exageostat predict "$out/constant.json" --grid "$grid" -o "$out/map.csv"
tegula exageostat predict "$out/constant.json" --grid "$grid" -o "$out/map.tif"

# A page with all of it.
tegula exageostat plot "$out/constant.json" --predictions "$out/map.csv" -o "$out/report.html"
