library(gstat)
library(sp)
data <- read.csv("data/samples/XYZ_10K_15_0168639_15_1.csv", header = FALSE, col.names = c("x", "y", "z"))
test <- seq_len(nrow(data)) %% 10 == 0
coordinates(data) <- ~ x + y
model <- fit.variogram(variogram(z ~ 1, data[!test, ]), vgm(1, "Mat", 0.1, kappa = 1.5), fit.kappa = TRUE)
found <- krige(z ~ 1, data[!test, ], data[test, ], model, nmax = 30, debug.level = 0)
error <- data$z[test] - found$var1.pred
print(model)
print(c(MSE = mean(error^2), within = mean(abs(error) < 1.96 * sqrt(found$var1.var))))
