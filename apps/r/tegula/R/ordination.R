# Items placed on axes.

tg_mds <- function(d, k = 2, metric = NULL, method = NULL, correction = NULL, symmetry_tolerance = NULL, fill = NULL,
                   threads = NULL, memory = NULL, scratch = NULL, seed = 0, progress = FALSE) {
    words <- c(flag("--metric", metric), flag("--correction", correction), flag("--symmetry-tolerance", symmetry_tolerance))
    words <- c(words, flag("--fill", fill), flag("--method", method))
    if (inherits(d, "dist")) d <- as.matrix(d)
    ordination("mds", d, k, c(words, run_words(threads, memory, scratch, seed)), progress, is_points = !is.null(metric))
}

tg_pca <- function(x, k = 10, pretreatment = "standard", method = NULL, fill = NULL, threads = NULL, memory = NULL,
                   scratch = NULL, seed = 0, progress = FALSE) {
    words <- c(flag("--pretreatment", pretreatment), flag("--method", method), flag("--fill", fill))
    ordination("pca", x, k, c(words, run_words(threads, memory, scratch, seed)), progress)
}

tg_coa <- function(x, k = 10, method = NULL, fill = NULL, threads = NULL, memory = NULL, scratch = NULL, seed = 0,
                   progress = FALSE) {
    words <- c(flag("--method", method), flag("--fill", fill))
    ordination("coa", x, k, c(words, run_words(threads, memory, scratch, seed)), progress)
}

# A data frame, refused if a column of it is not of numbers.
numeric_columns <- function(data) {
    is_number <- vapply(data, function(column) is.numeric(column) || is.logical(column), TRUE)
    if (all(is_number)) {
        return(data)
    }
    others <- deparse1(names(data)[!is_number])
    raise("refused", "x: some columns hold no numbers: drop them, as x[setdiff(names(x), ", others, ")]")
}

# Runs the analysis `what` of a matrix, a data frame or the name of a file.
ordination <- function(what, data, k, words, progress, is_points = FALSE) {
    matrices <- tables <- list()
    name <- "x"
    if (is.character(data) && length(data) == 1) {
        name <- data
    } else if (is_points) {
        tables <- list(x = columns_for(as.data.frame(data)))
    } else {
        entries <- if (is.data.frame(data)) as.matrix(numeric_columns(data)) else data
        if (!is.matrix(entries) || !(is.numeric(entries) || is.logical(entries))) {
            raise("refused", "x: a matrix of numbers, a data frame of them, a dist object or the name of a file, not ", class(data)[1])
        }
        names <- dimnames(entries)
        entries <- matrix(as.double(entries), nrow(entries))
        matrices <- list(x = list(entries, names[[1]], names[[2]]))
    }
    words <- c("diodon", what, name, flag("--axes", k), words)
    kept <- run_command(words, tables, matrices, progress = progress)
    numbers <- kept$numbers
    axes <- length(numbers$eigenvalues)
    labels <- sprintf(if (what == "coa") "CA%d" else "PC%d", seq_len(axes))
    by_axes <- function(values, names) matrix(values, length(names), axes, dimnames = list(names, labels))
    structure(
        list(
            points = by_axes(numbers$coordinates, kept$texts$ids), eig = stats::setNames(numbers$eigenvalues, labels),
            share = stats::setNames(numbers$eigenvalues / numbers$trace, labels),
            variables = if (!is.null(numbers$variable_coordinates)) by_axes(numbers$variable_coordinates, kept$texts$variable_ids),
            method = kept$texts$method, result = kept$result
        ),
        class = "tg_ordination"
    )
}

print.tg_ordination <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
    cat(x$method, " of ", nrow(x$points), " items\n\n", sep = "")
    print(rbind(eigenvalue = x$eig, share = x$share), digits = digits)
    invisible(x)
}

plot.tg_ordination <- function(x, axes = c(1, 2), labels = nrow(x$points) <= 40,
                               xlim = if (labels) extendrange(x$points[, axes[1]], f = 0.15), ...) {
    if (ncol(x$points) < max(axes)) {
        raise("refused", "plot: there is no axis ", max(axes), " among ", ncol(x$points),
            ": ask for more, as k = ", max(axes), ", if the items have them")
    }
    named <- paste0(colnames(x$points)[axes], " (", format(100 * x$share[axes], digits = 3), " %)")
    plot(x$points[, axes], xlab = named[1], ylab = named[2], asp = 1, type = if (labels) "n" else "p",
        pch = 19, cex = 0.6, xlim = xlim, ...)
    if (labels) text(x$points[, axes], rownames(x$points), cex = 0.8)
    invisible(x)
}
