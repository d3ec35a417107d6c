# Predictions and draws at new places.

# The columns of a prediction at `newdata`.
predicted <- function(fit, newdata, more = character(), seed = NULL, progress = FALSE) {
    columns <- if (is.null(newdata)) fit$columns else new_columns(fit, newdata)
    words <- c("exageostat", "predict", MODEL, paste0("--at=", PLACES), paste0("--output=", COLUMNS))
    words <- c(words, more, flag("--seed", seed))
    if (isTRUE(fit$flags$drop_missing)) words <- c(words, "--drop-missing")
    with_model(fit, words, stats::setNames(list(columns), PLACES), progress)
}

# The columns of new places, in the reference system of the data of the fit.
new_columns <- function(fit, newdata) {
    table <- plain(in_crs(newdata, fit$crs), "newdata")
    columns_for(table, c(all.vars(fit$formula[[3]]), columns_used(fit$result)))
}

# The names of the means among `columns`: one, or one for each variable or replicate.
means_of <- function(fit, columns) {
    names <- grep("^mean(_|$)", names(columns), value = TRUE)
    # With a transformation and a nugget there are means of new observations, too.
    is_plain <- identical(fit$result$transform$name, "none")
    if (is_plain) names else setdiff(names, sub("^mean", "mean_obs", names))
}

predict.tg_fit <- function(object, newdata = NULL, se.fit = FALSE, interval = c("none", "confidence", "prediction"),
                           level = 0.95, neighbours = NULL, method = NULL, type = c("response", "table"),
                           progress = FALSE, ...) {
    interval <- match.arg(interval)
    type <- match.arg(type)
    if (...length()) raise("refused", "predict: unknown arguments")
    check_level(level)
    if (interval != "none" && is_several(object)) {
        raise("refused", "interval: of several variables take type = \"table\"")
    }
    more <- c(flag("--neighbours", neighbours), flag("--method", method))
    kept <- predicted(object, newdata, more, progress = progress)
    if (type == "table") {
        return(beside(if (is.null(newdata)) frame_of(object) else newdata, columns_of(kept)))
    }
    columns <- plain_columns(kept)
    means <- means_of(object, columns)
    if (is_several(object)) {
        fit <- do.call(cbind, columns[means])
        if (!se.fit) {
            return(fit)
        }
        # Replicates have one variance.
        variances <- intersect(c("variance", sub("^mean", "variance", means)), names(columns))
        return(list(fit = fit, se.fit = sqrt(do.call(cbind, columns[variances]))))
    }
    fit <- columns[[means]]
    se <- sqrt(pmax(columns$variance, 0))
    if (interval != "none") {
        of_new <- interval == "prediction"
        names <- if (of_new) c("lower95_obs", "upper95_obs") else c("lower95", "upper95")
        if (all(names %in% names(columns)) || "lower95" %in% names(columns)) {
            if (level != 0.95) raise("refused", "level: with a transformation intervals are of 95 %")
            if (!all(names %in% names(columns))) names <- c("lower95", "upper95")
            fit <- cbind(fit = fit, lwr = columns[[names[1]]], upr = columns[[names[2]]])
        } else {
            variance <- if (of_new && !is.null(columns$variance_obs)) columns$variance_obs else columns$variance
            half <- qnorm(1 - (1 - level) / 2) * sqrt(pmax(variance, 0))
            fit <- cbind(fit = fit, lwr = fit - half, upr = fit + half)
        }
    }
    if (se.fit) list(fit = fit, se.fit = se) else fit
}

simulate.tg_fit <- function(object, nsim = 1, seed = 0, newdata = NULL, ...) {
    columns <- plain_columns(predicted(object, newdata, flag("--simulate", nsim), seed))
    names <- paste0("sim", seq_len(nsim))
    drawn <- as.data.frame(columns[names])
    names(drawn) <- paste0("sim_", seq_len(nsim))
    drawn
}
