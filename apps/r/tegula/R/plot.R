# Figures of a fit, by R's own graphics.

plot.tg_fit <- function(x, which = c("variogram", "map", "residuals"), n = 80, ...) {
    for (one in match.arg(which, several.ok = TRUE)) {
        switch(one, variogram = draw_variogram(x, ...), map = draw_map(x, n, ...), residuals = draw_residuals(x, ...))
    }
    invisible(x)
}

covariance_at <- function(fit, distances) {
    .Call(tegula_covariance_at_r, fit$result$covariance, as.double(unlist(fit$result$params)), as.double(distances))
}

draw_variogram <- function(fit, ...) {
    columns <- fit$result$data$columns
    words <- c("exageostat", "variogram", "data", paste0("--values=", columns$values))
    words <- c(words, paste0("--coords=", paste(columns$coords, collapse = ",")), paste0("--mean=", fit$result$mean$formula))
    words <- c(words, paste0("--distance=", fit$result$data$distance))
    if (isTRUE(fit$flags$drop_missing)) words <- c(words, "--drop-missing")
    found <- bins_of(run_command(words, tables = list(data = fit$columns))$result)
    at <- seq(1e-6, 1, length.out = 200) * max(found$distance)
    line <- covariance_at(fit, 0) + fit$result$nugget - covariance_at(fit, at)
    unit <- if (fit$result$data$distance == "euclidean") "distance" else "distance (km)"
    plot(found$distance, found$semivariance, xlim = c(0, max(found$distance)), ylim = c(0, max(found$semivariance, line)),
        xlab = unit, ylab = "semivariance", main = "Variogram of what the mean leaves", pch = 19, col = "steelblue", ...)
    lines(at, line, col = "firebrick", lwd = 2)
    legend("bottomright", c("data", "fitted covariance"), pch = c(19, NA), lty = c(NA, 1), col = c("steelblue", "firebrick"), bty = "n")
}

# The columns of the coordinates, which have to be two.
places_of <- function(fit) {
    names <- fit$result$data$columns$coords
    if (length(names) != 2 || !all(names %in% names(fit$columns))) {
        raise("refused", "a map has two columns as coordinates, and these are ", paste(names, collapse = ", "))
    }
    if (grepl("lat", names[1], ignore.case = TRUE)) names <- rev(names)
    names
}

draw_map <- function(fit, n, ...) {
    names <- places_of(fit)
    x <- fit$columns[[names[1]]]
    y <- fit$columns[[names[2]]]
    needs <- setdiff(all.vars(fit$formula[[3]]), names)
    if (length(needs) || !is.null(fit$result$data$columns$time)) {
        raise("refused", "a map of predictions takes the mean from the coordinates alone, and this one needs ",
            paste(c(needs, fit$result$data$columns$time), collapse = ", "),
            ": predict at places that have it, and draw these")
    }
    across <- seq(min(x), max(x), length.out = n)
    up <- seq(min(y), max(y), length.out = n)
    grid <- expand.grid(across, up)
    names(grid) <- names
    mean <- predict(fit, grid)
    ratio <- if (fit$result$data$distance == "euclidean") 1 else 1 / cos(mean(range(y)) * pi / 180)
    graphics::image(across, up, matrix(mean, n), col = hcl.colors(64, "viridis"), asp = ratio, xlab = names[1],
        ylab = names[2], main = paste0("Prediction (", format(min(mean), digits = 3), " to ", format(max(mean), digits = 3), ") and data"), ...)
    points(x, y, pch = 1, cex = 0.5, col = "white")
}

draw_residuals <- function(fit, ...) {
    left <- tg_assess(fit)$left_out
    plot(left$predicted, left$observed, xlab = "predicted from all others", ylab = "observed", main = "Each one left out",
        pch = 19, cex = 0.6, col = "steelblue", ...)
    abline(0, 1, col = "grey40")
}
