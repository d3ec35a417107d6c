test_that("a fit has the numbers of the program, to the last digit", {
    path <- sample_of("texas-wind.csv")
    fit <- tg_fit(air_temperature_c ~ latitude, texas(), covariance = "exponential")
    json <- by_program(c("exageostat", "fit", path, "--values", "air_temperature_c", "--mean", "~latitude",
        "--covariance", "exponential", "--estimate-nugget"))
    for (name in c("loglik", "variance", "range", "nugget", "std_error", "aliased")) {
        if (name != "aliased") expect_identical(digits_of(fit$model, name), digits_of(json, name))
    }
    expect_identical(unname(coef(fit)), unlist(lapply(jsonlite::fromJSON(json, simplifyDataFrame = FALSE)$coefficients, `[[`, "estimate")))
})

test_that("generic functions agree with each other", {
    fit <- quick(z ~ x)
    data <- synthetic()
    expect_s3_class(fit, "tg_fit")
    expect_equal(residuals(fit), data$z - drop(cbind(1, data$x) %*% coef(fit)))
    expect_equal(fitted(fit) + residuals(fit), data$z)
    expect_equal(sqrt(diag(vcov(fit))), summary(fit)$coefficients[, 2])
    expect_equal(attr(logLik(fit), "df"), 2 + 2)
    expect_equal(AIC(fit), 2 * 4 - 2 * fit$result$loglik)
    expect_equal(BIC(fit), log(140) * 4 - 2 * fit$result$loglik)
    expect_true(all(confint(fit)[, 1] < coef(fit) & coef(fit) < confint(fit)[, 2]))
    expect_equal(nobs(fit), 140)
    shown <- capture.output(print(summary(fit)))
    for (words in c("(Intercept)", "Pr(>|t|)", "smoothness", "97.5 %", "log-likelihood")) {
        expect_true(any(grepl(words, shown, fixed = TRUE)), info = words)
    }
    expect_output(print(fit), "log-likelihood")
})

test_that("formulas have factors, the dot and several variables", {
    data <- synthetic()
    data$soil <- factor(c("clay", "peat", "sand")[1 + seq_len(140) %% 3])
    fit <- quick(z ~ soil + I(x^2), data)
    expect_identical(names(coef(fit)), c("(Intercept)", "soilpeat", "soilsand", "I(x^2)"))
    expect_length(residuals(fit), 140)
    expect_identical(names(coef(quick(z ~ ., data))), c("(Intercept)", "x", "y", "soilpeat", "soilsand"))
    expect_warning(quick(z ~ soil, transform(data, soil = relevel(soil, "sand"))), "'clay' is the first one")
    data$w <- data$z + sin(7 * data$x)
    two <- tg_fit(cbind(z, w) ~ 1, data, covariance = "bivariate-matern-parsimonious",
        nugget = NULL,
        fix = c(smoothness1 = 0.5, smoothness2 = 0.5))
    expect_identical(colnames(predict(two, data[1:3, ])), c("mean_z", "mean_w"))
})

test_that("restricted likelihoods and nested models are compared as they may be", {
    data <- synthetic()
    small <- quick(z ~ 1, data)
    large <- quick(z ~ x + y, data)
    table <- anova(small, large)
    expect_s3_class(table, "anova")
    expect_equal(table$Chisq[2], 2 * (large$result$loglik - small$result$loglik))
    expect_equal(table[["Pr(>Chisq)"]][2], pchisq(table$Chisq[2], 2, lower.tail = FALSE))
    reml <- quick(z ~ x, data, reml = TRUE)
    expect_error(anova(small, reml), "ML", class = "tegula_refused")
    expect_error(anova(reml, quick(z ~ 1, data, reml = TRUE)), "different means")
    expect_s3_class(anova(large), "anova")
})

test_that("what is no nested model of the same data is not tested", {
    data <- synthetic()
    fit <- quick(z ~ 1, data)
    for (other in list(transform(data, z = 3 * z), transform(data, x = rev(x)))) {
        expect_error(anova(fit, quick(z ~ x, other)), "different data", class = "tegula_refused")
    }
    expect_error(anova(fit, lm(z ~ x, data)), "object 2 is of class lm", class = "tegula_refused")
    expect_s3_class(anova(fit, quick(z ~ u, transform(data, u = x^2))), "anova")
    some <- transform(data, u = ifelse(x > 0.9, NA, x), v = ifelse(x < 0.1, NA, x))
    gaps <- lapply(c(z ~ u, z ~ v), quick, some, drop_missing = TRUE)
    expect_error(anova(gaps[[1]], gaps[[2]]), "different data")
    worse <- tg_fit(z ~ x, data, nugget = NULL, fix = c(smoothness = 2))
    expect_warning(table <- anova(fit, worse), "not nested", class = "tegula_warning")
    expect_lt(table$Chisq[2], 0)
    expect_true(is.na(table[["Pr(>Chisq)"]][2]))
})

test_that("names may need quotes, and columns that are not used may hold anything", {
    data <- synthetic()
    odd <- stats::setNames(transform(data, u = x^2), c("east x", "y", "my z", "a b"))
    fit <- tg_fit(`my z` ~ `a b`, odd, coords = ~ `east x` + y, nugget = NULL, fix = c(smoothness = 0.5))
    plain <- quick(z ~ u, transform(data, u = x^2))
    expect_equal(unname(coef(fit)), unname(coef(plain)))
    expect_equal(residuals(fit), residuals(plain))
    expect_equal(predict(fit, odd[1:5, ]), predict(plain, transform(data, u = x^2)[1:5, ]))
    json <- tempfile(fileext = ".json")
    tg_write(fit, json)
    expect_equal(formula(tg_read(json, odd)), formula(fit), ignore_attr = TRUE)
    dot <- tg_fit(`my z` ~ ., odd, coords = ~ `east x` + y, nugget = NULL, fix = c(smoothness = 0.5))
    expect_equal(fitted(dot), fitted(fit))

    more <- transform(data, day = as.Date("2020-01-01") + x, size = factor(x > 0.5, ordered = TRUE))
    more$both <- cbind(data$x, data$y)
    more$list <- as.list(data$x)
    fit <- quick(data = more)
    expect_equal(coef(fit), coef(quick()))
    expect_equal(predict(fit, more[1:5, ]), predict(quick(), data[1:5, ]))
    expect_named(predict(fit, more[1:5, ], type = "table"), c(names(more), "mean", "variance"))
    expect_equal(tg_variogram(z ~ 1, more), tg_variogram(z ~ 1, data))
    expect_length(tg_sample(more, "exponential", c(variance = 1, range = 0.1)), 140)
    expect_error(quick(z ~ size, more), "ordered factor", class = "tegula_refused")
})

test_that("files are written whole or stay as they were", {
    fit <- quick()
    folder <- new_folder()
    file <- file.path(folder, "model.json")
    writeLines("old", file)
    tg_write(fit, file)
    expect_equal(jsonlite::fromJSON(file)$loglik, fit$result$loglik)
    expect_identical(list.files(folder, all.files = TRUE, no.. = TRUE), "model.json")
    missing <- file.path(folder, "none", "model.json")
    expect_error(tg_write(fit, missing), "there is no folder", class = "tegula_not_found")
    expect_error(tg_write(fit, folder), "it is a folder", class = "tegula_file")
    page <- file.path(folder, "page.html")
    writeLines("old", page)
    broken <- fit
    broken$columns$z <- NULL
    expect_error(tg_report(broken, page), class = "tegula_error")
    expect_identical(readLines(page), "old")
    tg_report(fit, page)
    expect_gt(file.size(page), 5000)
    skip_if_not(file.exists("/dev/full"))
    expect_error(tg_write(fit, "/dev/full"), "/dev/full", class = "tegula_file")
    expect_error(tg_report(fit, "/dev/full"), "/dev/full", class = "tegula_error")
    expect_true(file.exists("/dev/full"))
})

test_that("whole numbers are sent without an exponent", {
    expect_identical(flag("--seed", 100000), "--seed=100000")
    expect_identical(flag("--workers", 1e9), "--workers=1000000000")
    expect_identical(flag("--memory", 8 * 2^30), "--memory=8589934592")
    for (x in c(0.1, 1 / 3, 1e-300, 1e22, 123456.789)) expect_identical(as.double(digits(x)), x)
    before <- options(OutDec = ",")
    on.exit(options(before))
    expect_identical(flag("--nugget", 0.1), "--nugget=0.1")
})

test_that("figures that cannot be drawn are left out, or say why", {
    grDevices::pdf(NULL)
    on.exit(grDevices::dev.off())
    windy <- quick(z ~ w, transform(synthetic(), w = sin(7 * x)))
    expect_silent(plot(windy))
    expect_error(plot(windy, "map"), "predict(x, newdata)", fixed = TRUE, class = "tegula_refused")
    line <- quick(z ~ 1, coords = "x", nugget = 0.1)
    expect_silent(plot(line))
    expect_error(plot(line, "map"), "two columns", class = "tegula_refused")
    both <- tg_fit(cbind(z, w) ~ 1, transform(synthetic(60), w = z + sin(7 * x)), replicates = TRUE)
    expect_error(plot(both), "of several", class = "tegula_refused")
    before <- graphics::par("mar")
    grDevices::dev.control("enable")
    plot(quick(), "map")
    expect_identical(graphics::par("mar"), before)
    calls <- vapply(grDevices::recordPlot()[[1]], function(call) call[[2]][[1]]$name, "")
    expect_true("C_rect" %in% calls, info = "the key of the colours")
})

test_that("a fit is saved, and read by the program and here", {
    fit <- quick()
    rds <- tempfile(fileext = ".rds")
    saveRDS(fit, rds)
    expect_identical(predict(readRDS(rds), synthetic(5)), predict(fit, synthetic(5)))
    json <- tempfile(fileext = ".json")
    tg_write(fit, json)
    expect_equal(predict(tg_read(json, synthetic()), synthetic(5)), predict(fit, synthetic(5)))
    found <- by_program(c("exageostat", "loglik", json, "--train", sample_of("e_sub140.csv")))
    expect_equal(as.double(digits_of(found, "loglik")), fit$result$loglik, tolerance = 1e-12)
})

test_that("pages, variograms, scores and draws are made", {
    fit <- quick()
    page <- tempfile(fileext = ".html")
    tg_report(fit, page)
    expect_match(paste(readLines(page), collapse = ""), "tegula-map")
    found <- tg_assess(fit, cross_validate = 5)
    expect_equal(nrow(found$left_out), 140)
    bins <- tg_variogram(z ~ 1, synthetic())
    expect_named(bins, c("pairs", "distance", "semivariance"))
    drawn <- tg_sample(synthetic(), "exponential", c(variance = 1, range = 0.1), seed = 3)
    expect_identical(drawn, tg_sample(synthetic(), "exponential", c(variance = 1, range = 0.1), seed = 3))
    expect_length(drawn, 140)
    expect_true("matern" %in% tg_covariances()$covariance)
    picture <- tempfile(fileext = ".pdf")
    grDevices::pdf(picture)
    plot(fit)
    grDevices::dev.off()
    expect_gt(file.size(picture), 5000)
})

test_that("the variogram of a fit is on the scale of the field", {
    fit <- quick()
    # Its values are not positive, which the program says of either transformation.
    for (transform in list(list(name = "log"), list(name = "box-cox", lambda = -0.5))) {
        fit$result$transform <- transform
        expect_error(plot(fit, which = "variogram"), "positive", class = "tegula_refused")
    }
    fit$result$transform <- list(name = "tukey-gh", g = 0.5, h = 0)
    expect_error(plot(fit, which = "variogram"), "tukey-gh", class = "tegula_refused")
})
