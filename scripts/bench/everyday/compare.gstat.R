library(gstat)
library(sp)
stations <- read.csv("data/samples/texas-wind.csv")
coordinates(stations) <- ~ longitude + latitude
proj4string(stations) <- CRS("+proj=longlat +datum=WGS84")
for (formula in c(air_temperature_c ~ 1, air_temperature_c ~ latitude, air_temperature_c ~ latitude + longitude)) {
    model <- fit.variogram(variogram(formula, stations), vgm(5, "Exp", 200, 0.5))
    left_out <- krige.cv(formula, stations, model, verbose = FALSE, debug.level = 0)
    cat(deparse(formula), " RMSE left out", sqrt(mean(left_out$residual^2)), "\n")
}
