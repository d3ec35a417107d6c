library(gstat)
library(sp)
meuse <- read.csv("target/peers/meuse.csv")
coordinates(meuse) <- ~ x + y
model <- fit.variogram(variogram(log(zinc) ~ 1, meuse), vgm(0.6, "Exp", 500, 0.05))
grid <- expand.grid(x = seq(min(meuse$x), max(meuse$x), length.out = 100), y = seq(min(meuse$y), max(meuse$y), length.out = 100))
gridded(grid) <- ~ x + y
png("out/map.gstat.png")
print(spplot(krige(log(zinc) ~ 1, meuse, grid, model, debug.level = 0)["var1.pred"]))
places <- SpatialPoints(coordinates(meuse) + 25)
print(head(as.data.frame(krige(log(zinc) ~ 1, meuse, places, model, debug.level = 0)), 3))
