tegula exageostat fit target/peers/meuse.csv --values 'log(zinc)' --mean 'sqrt(dist)' --covariance exponential --estimate-nugget
