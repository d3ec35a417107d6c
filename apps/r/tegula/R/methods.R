# What R's generic functions say of a fit.

# A number, or NA where JSON has null.
number <- function(x) if (is.null(x)) NA_real_ else as.double(x)

coefficient_table <- function(fit) {
    rows <- fit$result$coefficients
    if (length(rows) == 0) {
        return(NULL)
    }
    of <- function(name) vapply(rows, function(row) number(row[[name]]), 0)
    table <- cbind(Estimate = of("estimate"), "Std. Error" = of("std_error"), "t value" = of("t"), "Pr(>|t|)" = of("p"))
    rownames(table) <- vapply(rows, function(row) row$name, "")
    table
}

parameter_table <- function(fit) {
    result <- fit$result
    values <- c(result$params, list(nugget = result$nugget))
    interval <- function(name, end) {
        ends <- result$intervals[[name]]
        if (is.null(ends)) NA_real_ else number(ends[[end]])
    }
    table <- cbind(
        Estimate = vapply(values, number, 0),
        "Std. Error" = vapply(names(values), function(name) number(result$std_errors[[name]]), 0),
        "2.5 %" = vapply(names(values), interval, 0, 1), "97.5 %" = vapply(names(values), interval, 0, 2)
    )
    rownames(table) <- names(values)
    table
}

print.tg_fit <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
    result <- x$result
    cat("Gaussian random field: ", deparse1(x$formula), "\n", sep = "")
    cat("covariance ", result$covariance, ", ", result$data$n, " observations, ", result$method$name, "\n\n", sep = "")
    if (length(coef(x))) {
        cat("Coefficients of the mean:\n")
        print(coef(x), digits = digits)
        cat("\n")
    }
    cat("Covariance:\n")
    print(parameter_table(x)[, 1], digits = digits)
    cat("\nlog-likelihood ", format(result$loglik, digits = 8), "\n", sep = "")
    invisible(x)
}

summary.tg_fit <- function(object, ...) {
    structure(
        list(
            call = object$call, coefficients = coefficient_table(object), parameters = parameter_table(object),
            df = object$result$coefficients_df, loglik = logLik(object), result = object$result
        ),
        class = "summary.tg_fit"
    )
}

print.summary.tg_fit <- function(x, digits = max(3L, getOption("digits") - 3L),
                                 signif.stars = getOption("show.signif.stars"), ...) {
    result <- x$result
    cat("\nCall:\n", paste(deparse(x$call), collapse = "\n"), "\n", sep = "")
    if (!is.null(x$coefficients)) {
        cat("\nMean:\n")
        printCoefmat(x$coefficients, digits = digits, signif.stars = signif.stars, na.print = "")
        cat("t and p by Student's distribution with ", x$df, " degrees of freedom\n", sep = "")
    }
    cat("\nCovariance ", result$covariance, ":\n", sep = "")
    print(x$parameters, digits = digits, na.print = "")
    what <- if (identical(result$criterion, "reml")) "restricted log-likelihood" else "log-likelihood"
    cat("\n", what, " ", format(result$loglik, digits = 9), ", AIC ", format(stats::AIC(x$loglik), digits = 8),
        ", BIC ", format(stats::BIC(x$loglik), digits = 8), "\n", sep = "")
    cat(result$message, "\n", sep = "")
    for (remark in result$remarks) cat(strwrap(translated(remark), initial = "* ", prefix = "  "), sep = "\n")
    invisible(x)
}

coef.tg_fit <- function(object, ...) {
    table <- coefficient_table(object)
    if (is.null(table)) numeric() else stats::setNames(table[, 1], rownames(table))
}

vcov.tg_fit <- function(object, ...) {
    mean <- object$result$mean
    if (length(mean$names) == 0) {
        return(matrix(0, 0, 0))
    }
    matrix(unlist(mean$covariance), length(mean$names), dimnames = list(mean$names, mean$names))
}

# Refuses what is no level of an interval.
check_level <- function(level) {
    if (!is.numeric(level) || length(level) != 1 || !isTRUE(level > 0 && level < 1)) {
        raise("refused", "level: ", deparse1(level), " is not between 0 and 1: write level = 0.95 for 95 %")
    }
}

confint.tg_fit <- function(object, parm, level = 0.95, ...) {
    check_level(level)
    table <- coefficient_table(object)
    tail <- (1 - level) / 2
    half <- stats::qt(1 - tail, object$result$coefficients_df) * table[, 2]
    ends <- cbind(table[, 1] - half, table[, 1] + half)
    dimnames(ends) <- list(rownames(table), paste(format(100 * c(tail, 1 - tail), digits = 3, trim = TRUE), "%"))
    if (missing(parm)) ends else ends[parm, , drop = FALSE]
}

# As many as the criteria of the program count.
nobs.tg_fit <- function(object, ...) {
    result <- object$result
    fields <- if (isTRUE(result$data$replicates > 1)) result$data$replicates else 1
    n <- fields * result$data$n
    if (identical(result$criterion, "reml")) n - length(coef(object)) else n
}

logLik.tg_fit <- function(object, ...) {
    result <- object$result
    df <- length(result$estimated) + if (identical(result$criterion, "reml")) 0 else length(coef(object))
    structure(result$loglik, df = df, nobs = nobs(object), class = "logLik")
}

formula.tg_fit <- function(x, ...) x$formula

# The columns of the data as a data frame, texts as factors.
frame_of <- function(fit) as.data.frame(fit$columns, check.names = FALSE, stringsAsFactors = FALSE)

fitted.tg_fit <- function(object, ...) {
    data <- frame_of(object)
    if (is_several(object)) raise("refused", "fitted() and residuals() are for one field of one variable")
    coefficients <- coef(object)
    if (length(coefficients) == 0) {
        return(rep(0, nrow(data)))
    }
    design <- model.matrix(stats::delete.response(terms(object$formula, data = data)), data)
    if (!setequal(colnames(design), names(coefficients))) {
        raise("refused", "the columns of the mean (", paste(names(coefficients), collapse = ", "), ") are not those of model.matrix()")
    }
    unname(drop(design[, names(coefficients), drop = FALSE] %*% coefficients))
}

residuals.tg_fit <- function(object, ...) {
    mean <- fitted(object)
    eval(object$formula[[2]], frame_of(object), environment(object$formula)) - mean
}

# The values and the places that a likelihood is of, but for rows that were dropped.
observed <- function(fit) {
    data <- frame_of(fit)
    columns <- fit$result$data$columns
    among <- function(names) intersect(names, names(data))
    is_whole <- stats::complete.cases(data[among(c(all.vars(fit$formula), columns_used(fit$result)))])
    names <- c(all.vars(fit$formula[[2]]), named_in(unlist(columns[c("coords", "time")])))
    list(columns$values, data[is_whole, among(names), drop = FALSE])
}

# Refuses objects that are no fits to the same data.
check_comparable <- function(fits) {
    is_fit <- vapply(fits, inherits, TRUE, "tg_fit")
    if (!all(is_fit)) {
        other <- which(!is_fit)[1]
        raise("refused", "anova: object ", other, " is of class ", class(fits[[other]])[1],
            ": compare fits of tg_fit alone")
    }
    if (length(unique(lapply(fits, observed))) > 1) {
        raise("refused", "anova: fits to different data cannot be compared: ",
            "fit all to the same rows and values")
    }
}

anova.tg_fit <- function(object, ...) {
    fits <- list(object, ...)
    check_comparable(fits)
    if (length(fits) == 1) {
        table <- coefficient_table(object)
        if (is.null(table)) raise("refused", "anova: the mean has no coefficients, and there is no second fit to compare with")
        found <- data.frame("t value" = table[, 3], "Pr(>|t|)" = table[, 4], row.names = rownames(table), check.names = FALSE)
        return(structure(found, heading = "Coefficients of the mean, each given the others\n", class = c("anova", "data.frame")))
    }
    criteria <- vapply(fits, function(fit) fit$result$criterion, "")
    if (length(unique(criteria)) > 1) raise("refused", "anova: one fit is by REML, another by ML: fit both by ML")
    means <- vapply(fits, function(fit) fit$result$mean$formula, "")
    if (criteria[1] == "reml" && length(unique(means)) > 1) {
        raise("refused", "anova: restricted likelihoods of different means cannot be compared: fit by ML, reml = FALSE")
    }
    logliks <- lapply(fits, logLik)
    df <- vapply(logliks, attr, 0, "df")
    order <- order(df)
    value <- vapply(logliks, as.double, 0)[order]
    df <- df[order]
    chisq <- c(NA, 2 * diff(value))
    steps <- c(NA, diff(df))
    # A search ends a little beside the maximum.
    is_lower <- steps > 0 & chisq < -0.01
    if (any(is_lower, na.rm = TRUE)) {
        warn("anova: a fit with more parameters is less likely than the one before it: the models are ",
            "not nested, or a search ended early; there is no test of them")
    }
    p <- ifelse(steps > 0 & !is_lower, pchisq(pmax(chisq, 0), steps, lower.tail = FALSE), NA)
    table <- data.frame(Df = df, AIC = -2 * value + 2 * df, logLik = value, Chisq = chisq, "Chi Df" = steps, "Pr(>Chisq)" = p, check.names = FALSE)
    rownames(table) <- make.unique(vapply(fits[order], function(fit) paste(deparse1(fit$formula), fit$result$covariance), ""))
    heading <- "Likelihood ratio tests; valid where each model is a special case of the next\n"
    structure(table, heading = heading, class = c("anova", "data.frame"))
}
