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

test_that("whole numbers are sent without an exponent", {
    expect_identical(flag("--seed", 100000), "--seed=100000")
    expect_identical(flag("--workers", 1e9), "--workers=1000000000")
    expect_identical(flag("--memory", 8 * 2^30), "--memory=8589934592")
    for (x in c(0.1, 1 / 3, 1e-300, 1e22, 123456.789)) expect_identical(as.double(digits(x)), x)
    before <- options(OutDec = ",")
    on.exit(options(before))
    expect_identical(flag("--nugget", 0.1), "--nugget=0.1")
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
