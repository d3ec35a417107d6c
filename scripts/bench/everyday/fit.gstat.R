library(gstat)
library(sp)
meuse <- read.csv("target/peers/meuse.csv")
coordinates(meuse) <- ~ x + y
# By least squares on the variogram; there is no likelihood, and there are no standard errors.
empirical <- variogram(log(zinc) ~ sqrt(dist), meuse)
print(fit.variogram(empirical, vgm(0.15, "Exp", 300, 0.05)))
