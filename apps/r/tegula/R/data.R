# Data frames and sf objects as columns, and results back in their form.

is_sf <- function(data) inherits(data, "sf")

# A data frame without geometry, with the coordinates of points as columns.
plain <- function(data, what = "data") {
    if (!is.data.frame(data)) {
        if (is.matrix(data) && !is.null(colnames(data))) {
            return(as.data.frame(data))
        }
        raise("refused", what, ": a data frame or an sf object, not ", class(data)[1])
    }
    if (!is_sf(data)) {
        return(as.data.frame(data))
    }
    if (!requireNamespace("sf", quietly = TRUE)) raise("refused", what, ": an sf object needs the package sf")
    if (!all(sf::st_geometry_type(data) == "POINT")) {
        raise("refused", what, ": the geometry is not made of points: take its centroids, as sf::st_centroid(", what, ")")
    }
    names <- if (isTRUE(sf::st_is_longlat(data))) c("longitude", "latitude") else c("x", "y")
    table <- sf::st_drop_geometry(data)
    taken <- intersect(names, names(table))
    if (length(taken)) {
        raise("refused", what, ": the columns ", paste(taken, collapse = ", "), " stand beside a geometry that gives them: drop them")
    }
    places <- sf::st_coordinates(data)
    if ("Z" %in% colnames(places)) {
        raise("refused", what, ": the points have a third coordinate: leave it out, as sf::st_zm(", what,
            "), or give a data frame with three columns that coords names")
    }
    table[[names[1]]] <- places[, 1]
    table[[names[2]]] <- places[, 2]
    as.data.frame(table)
}

# The reference system of the geometry; NULL if there is none.
crs_of <- function(data) {
    crs <- if (is_sf(data)) sf::st_crs(data)
    if (is.null(crs) || is.na(crs)) NULL else crs
}

# An sf object in the reference system `crs`, if both have one.
in_crs <- function(data, crs) {
    own <- crs_of(data)
    if (is.null(own) || is.null(crs) || own == crs) data else sf::st_transform(data, crs)
}

# The coordinates of `data`, the table of which is `table`: NULL leaves them to the program.
coords_of <- function(coords, data, table) {
    if (is_sf(data) && is.null(coords)) utils_tail(names(table), 2) else listed(coords, "coords")
}

# The last of some names, as utils::tail has them.
utils_tail <- function(names, count) names[seq(length(names) - count + 1, length(names))]

# A column as numbers, or as texts in which nothing is a missing value.
cells <- function(values, name) {
    if (inherits(values, c("Date", "POSIXt"))) {
        raise("refused", "the column '", name, "' holds dates: make numbers of them, as days since the first one")
    }
    if (is.ordered(values)) {
        raise("refused", "the column '", name, "' is an ordered factor: make a plain one, as factor(", name, ", ordered = FALSE)")
    }
    if (is.factor(values) || is.character(values)) {
        return(as.character(values))
    }
    if (is.complex(values) || !is.atomic(values) || length(dim(values)) > 1) {
        raise("refused", "the column '", name, "' holds ", class(values)[1], " values: give numbers or texts")
    }
    # NA and NaN are both missing.
    values <- as.double(values)
    values[is.na(values)] <- NaN
    values
}

# The columns of a table, with their names. Of those that are not `used`, what cannot be sent is left out.
columns_for <- function(table, used = names(table)) {
    if (anyDuplicated(names(table))) raise("refused", "two columns have the name '", names(table)[anyDuplicated(names(table))], "': rename one")
    sent <- function(name) {
        tryCatch(cells(table[[name]], name), tegula_refused = function(e) if (name %in% used) stop(e))
    }
    Filter(Negate(is.null), sapply(names(table), sent, simplify = FALSE))
}

# The columns that texts name: each is a name, or an expression of columns.
named_in <- function(texts) {
    inside <- function(text) tryCatch(all.vars(str2lang(text)), error = function(e) NULL)
    c(texts, unlist(lapply(texts, inside)))
}

# `columns` beside what `data` has; an sf object stays one.
beside <- function(data, columns) {
    for (name in names(columns)) data[[name]] <- columns[[name]]
    data
}

# What an expression or a name is on the command line.
said <- function(expression, ...) {
    text <- paste(deparse(expression, width.cutoff = 500L, ...), collapse = " ")
    gsub("[[:space:]]+", " ", text)
}

# The terms of a one-sided formula, or the texts of a vector; NULL stays NULL.
listed <- function(given, what) {
    if (is.null(given)) {
        return(NULL)
    }
    if (inherits(given, "formula")) {
        if (length(given) != 2) raise("refused", what, ": a formula with one side, as ~ x + y")
        summands <- function(e) if (is.call(e) && identical(e[[1]], as.name("+")) && length(e) == 3) c(summands(e[[2]]), summands(e[[3]])) else list(e)
        return(vapply(summands(given[[2]]), said, ""))
    }
    if (is.character(given) && length(given)) {
        return(given)
    }
    raise("refused", what, ": name columns, as ~ x + y or c(\"x\", \"y\")")
}

# The left side of a formula as --values, and the right one as --mean, columns of `table` for the dot; and the
# formula with these columns.
sides <- function(formula, table, coords) {
    if (!inherits(formula, "formula") || length(formula) != 3) {
        raise("refused", "formula: a response and the terms of the mean, as zinc ~ sqrt(dist); zinc ~ 1 for a constant")
    }
    left <- formula[[2]]
    values <- if (is.call(left) && identical(left[[1]], as.name("cbind"))) vapply(as.list(left)[-1], said, "") else said(left)
    right <- formula[[3]]
    if ("." %in% all.vars(right)) {
        columns <- setdiff(names(table), c(all.vars(left), coords))
        if (length(columns) == 0) raise("refused", "formula: no column is left for '.'")
        all <- Reduce(function(a, b) call("+", a, b), lapply(columns, as.name))
        if (!identical(right, as.name("."))) all <- call("(", all)
        right <- do.call(substitute, list(right, list(. = all)))
        formula[[3]] <- right
    }
    for (name in intersect(all.vars(right), names(table))) {
        levels <- levels(table[[name]])
        if (!is.null(levels) && !identical(levels[1], sort(levels, method = "radix")[1])) {
            warning("'", name, "': the mean takes levels in the order of their names, so '",
                sort(levels, method = "radix")[1], "' is the first one, not '", levels[1], "'", call. = FALSE)
        }
    }
    mean <- paste0("~", said(right, backtick = TRUE))
    list(values = paste(values, collapse = ","), mean = mean, formula = formula)
}
