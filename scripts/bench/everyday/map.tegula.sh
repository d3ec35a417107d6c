tegula exageostat fit target/peers/meuse.csv --values 'log(zinc)' --covariance exponential --estimate-nugget -o out/map.json --quiet
tegula exageostat predict out/map.json --grid 178600:181400:25,329700:333650:50 -o out/map.csv
tegula exageostat plot out/map.json --predictions out/map.csv -o out/map.html
