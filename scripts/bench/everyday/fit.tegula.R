library(tegula)
meuse <- read.csv("target/peers/meuse.csv")
fit <- tg_fit(log(zinc) ~ sqrt(dist), meuse, coords = ~ x + y, covariance = "exponential")
print(summary(fit))
