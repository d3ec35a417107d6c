#!/usr/bin/env bash
# Air temperature at weather stations in Texas, on the sphere: great-circle distances in km.
#
#   docs/examples/stations.sh [FOLDER]
set -euo pipefail
data=data/samples/texas-wind.csv
out=${1:-out/stations}
mkdir -p "$out"

# Columns called longitude and latitude are degrees on the sphere.
tegula exageostat fit "$data" --values air_temperature_c --covariance exponential \
    --estimate-nugget --mean latitude -o "$out/model.json"
tegula exageostat assess "$out/model.json" --blocks 10

# A mean that takes a column needs it at the new places, too: a table of a quarter of a degree.
awk 'BEGIN {
    print "longitude,latitude"
    for (y = 26; y <= 36.5; y += 0.25) for (x = -106; x <= -94; x += 0.25) print x "," y
}' >"$out/places.csv"
tegula exageostat predict "$out/model.json" --at "$out/places.csv" -o "$out/predictions.csv"
tegula exageostat plot "$out/model.json" --predictions "$out/predictions.csv" -o "$out/report.html"
