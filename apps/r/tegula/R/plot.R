# Figures of a fit, by R's own graphics.

plot.tg_fit <- function(x, which = c("variogram", "map", "residuals"), n = 80, ...) {
    which <- if (missing(which)) drawable(x, which) else match.arg(which, several.ok = TRUE)
    for (one in which) {
        reason <- obstacle(x, one)
        if (!is.null(reason)) raise("refused", "plot: ", reason)
        switch(one, variogram = draw_variogram(x, ...), map = draw_map(x, n, ...), residuals = draw_residuals(x, ...))
    }
    invisible(x)
}

# Those of some figures that can be drawn; the last one, if none can, to say why.
drawable <- function(fit, figures) {
    can <- vapply(figures, function(figure) is.null(obstacle(fit, figure)), TRUE)
    if (any(can)) figures[can] else figures[length(figures)]
}

# Why a figure of a fit cannot be drawn; NULL if it can.
obstacle <- function(fit, figure) {
    columns <- fit$result$data$columns
    coords <- columns$coords
    if (is_several(fit)) {
        return("figures are of one field of one variable, and this fit is of several")
    }
    if (figure == "variogram" && !is.null(columns$time)) {
        return("the variogram is of places without time")
    }
    if (figure == "variogram" && fit$result$transform$name == "tukey-gh") {
        return("there is no variogram of a field under tukey-gh")
    }
    if (figure != "map") {
        return(NULL)
    }
    if (length(coords) != 2 || !all(coords %in% names(fit$columns))) {
        return(paste("a map has two columns as coordinates, and these are", paste(coords, collapse = ", ")))
    }
    needs <- c(setdiff(intersect(all.vars(fit$formula[[3]]), names(fit$columns)), coords), columns$time)
    if (length(needs)) {
        paste0("a map takes the mean from coordinates alone, and this one needs ",
            paste(needs, collapse = ", "), ": draw predict(x, newdata) at places that have it")
    }
}

covariance_at <- function(fit, distances) {
    .Call(tegula_covariance_at_r, fit$result$covariance, as.double(unlist(fit$result$params)), as.double(distances))
}

draw_variogram <- function(fit, ...) {
    columns <- fit$result$data$columns
    transform <- fit$result$transform
    power <- if (is.null(transform$lambda)) "" else paste0(":", digits(transform$lambda))
    words <- c("exageostat", "variogram", "data", paste0("--values=", columns$values), paste0("--transform=", transform$name, power))
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

# The columns of the two coordinates, that to the east first.
places_of <- function(fit) {
    names <- fit$result$data$columns$coords
    if (grepl("lat", names[1], ignore.case = TRUE)) rev(names) else names
}

# A strip of colours with the numbers that they stand for, in the margin at the right.
draw_key <- function(colours, range) {
    box <- graphics::par("usr")
    side <- box[2] + (box[2] - box[1]) * c(0.02, 0.05)
    edges <- seq(box[3], box[4], length.out = length(colours) + 1)
    graphics::rect(side[1], edges[-length(edges)], side[2], edges[-1], col = colours, border = NA, xpd = NA)
    ticks <- pretty(range)
    ticks <- ticks[ticks >= range[1] & ticks <= range[2]]
    at <- box[3] + (ticks - range[1]) / diff(range) * (box[4] - box[3])
    text(side[2], at, format(ticks), pos = 4, cex = 0.8, xpd = NA)
}

draw_map <- function(fit, n, zlim = NULL, ...) {
    names <- places_of(fit)
    x <- fit$columns[[names[1]]]
    y <- fit$columns[[names[2]]]
    across <- seq(min(x), max(x), length.out = n)
    up <- seq(min(y), max(y), length.out = n)
    grid <- expand.grid(across, up)
    names(grid) <- names
    mean <- predict(fit, grid)
    ratio <- if (fit$result$data$distance == "euclidean") 1 else 1 / cos(mean(range(y)) * pi / 180)
    colours <- hcl.colors(64, "viridis")
    # A constant has a strip of some width, too.
    shown <- if (is.null(zlim)) range(mean, finite = TRUE) else zlim
    if (diff(shown) == 0) shown <- shown + c(-1, 1) * max(abs(shown[1]), 1) / 100
    before <- graphics::par(mar = graphics::par("mar") + c(0, 0, 0, 3))
    on.exit(graphics::par(before))
    graphics::image(across, up, matrix(mean, n), zlim = shown, col = colours, asp = ratio, xlab = names[1],
        ylab = names[2], main = "Prediction and data", ...)
    points(x, y, pch = 1, cex = 0.5, col = "white")
    draw_key(colours, shown)
}

draw_residuals <- function(fit, ...) {
    left <- tg_assess(fit)$left_out
    plot(left$predicted, left$observed, xlab = "predicted from all others", ylab = "observed", main = "Each one left out",
        pch = 19, cex = 0.6, col = "steelblue", ...)
    abline(0, 1, col = "grey40")
}
