library(tegula)
data <- read.csv("data/samples/XYZ_10K_15_0168639_15_1.csv", header = FALSE, col.names = c("x", "y", "z"))
test <- seq_len(nrow(data)) %% 10 == 0
fit <- tg_fit(z ~ 1, data[!test, ], covariance = "matern", method = "vecchia:30")
found <- predict(fit, data[test, ], se.fit = TRUE)
error <- data$z[test] - found$fit
print(c(coef(fit), MSE = mean(error^2), within = mean(abs(error) < 1.96 * found$se.fit)))
