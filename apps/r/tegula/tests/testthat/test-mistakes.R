# What beginners do, and what they are told.

told <- function(expression, words, class = "tegula_refused") {
    error <- expect_error(expression, class = class)
    for (one in words) expect_match(conditionMessage(error), one, fixed = TRUE)
}

test_that("mistakes are told with what to do", {
    data <- synthetic()
    told(tg_fit(lead ~ 1, data), c("lead", "'x'"))
    told(tg_fit(z ~ 1, data, covariance = "matrn"), c("matrn", "matern"))
    told(tg_fit(~ z, data), c("zinc ~ sqrt(dist)"))
    told(tg_fit(z ~ 1, as.list(data)), c("data frame", "list"))
    told(tg_fit(z ~ 1, data, fix = 0.5), c("fix", "c(range = 0.1)"))
    told(tg_fit(z ~ 1, data, nugget = "yes"), c("nugget", "estimate"))
    told(tg_fit(z ~ 1, data, coords = ~ lon + lat), c("lon"))
    missing <- transform(data, z = ifelse(x > 0.9, NA, z))
    told(quick(data = missing), c("drop_missing = TRUE", "NA is a missing value"))
    expect_s3_class(quick(data = missing, drop_missing = TRUE), "tg_fit")
    told(tg_fit(z ~ 1, transform(data, z = as.Date("2020-01-01") + z)), c("dates", "days"))
    told(quick(z ~ soil, transform(data, soil = factor(x > 0.5, ordered = TRUE))), c("ordered factor"))
    told(predict(quick(z ~ x), data.frame(y = 1)), c("x"))
    told(tg_mds(matrix(1:6, 2)), c("2", "3"))
    told(tg_mds("nothing.h5:d"), "nothing.h5", class = "tegula_error")
    told(tg_sample(data, "exponential", c(1, 0.1)), "c(variance = 1, range = 0.1)")
    told(tg_read("nothing.json", data), "nothing.json", class = "tegula_not_found")
    for (text in c('{"mean": "x"}', "[1, 2]", "words", "")) {
        json <- tempfile(fileext = ".json")
        writeLines(text, json)
        told(tg_read(json, data), c(json, "holds no model"))
    }
    told(tg_fit(z ~ 1, data, fix = c(range = "a")), c("fix: range is \"a\"", "fix = c(name = value)"))
    told(tg_fit(z ~ 1, data, bounds = list(range = c(NA, 1))), c("bounds: range", "c(low, high)"))
    told(tg_sample(data, "exponential", c(variance = "a")), c("params: variance", "c(name = value)"))
    told(predict(quick(), data, interval = "confidence", level = 95), c("level: 95", "level = 0.95"))
    told(confint(quick(), level = 2), "level: 2")
    told(predict(quick(), data.frame(x = 1)), c("newdata has no column 'y'", "the fit"))
    told(tg_pca(iris), c("hold no numbers", "drop them", "setdiff(names(x), \"Species\")"))
    twice <- rbind(data, data[1, ])
    told(tg_fit(z ~ 1, twice, nugget = NULL, fix = c(smoothness = 0.5)), "nugget", class = "tegula_error")
})

test_that("a warning of the program is one of R", {
    data <- synthetic(20)
    expect_warning(
        tg_fit(z ~ 1, data, fix = c(smoothness = 0.5), nugget = NULL, bounds = list(range = c(0.01, 0.011))),
        "--bounds is bounds = list",
        class = "tegula_warning"
    )
    other <- tempfile(fileext = ".json")
    tg_write(quick(data = data), other)
    expect_warning(tg_read(other, transform(data, z = z + 1)), "data is not the data that the fit was")
})

test_that("what does not fit the memory goes to a folder", {
    places <- data.frame(x = rep(1:25, 24), y = rep(1:24, each = 25))
    places$z <- tg_sample(places, "exponential", c(variance = 1, range = 3))
    small <- function(...) tg_fit(z ~ 1, places, covariance = "exponential", memory = "1500kB", ...)
    expect_error(small(), "--scratch is scratch =", class = "tegula_memory")
    expect_s3_class(small(scratch = tempdir()), "tg_fit")
})
