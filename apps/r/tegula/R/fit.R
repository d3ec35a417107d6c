# The fit of a Gaussian random field.

tg_fit <- function(formula, data, coords = NULL, covariance = "matern", nugget = "estimate", method = "exact",
                   time = NULL, distance = NULL, transform = "none", fix = NULL, bounds = NULL, start = NULL,
                   reml = FALSE, noise = NULL, replicates = FALSE, drop_missing = FALSE, starts = NULL,
                   optimizer = NULL, information = NULL, profile_intervals = FALSE, threads = NULL, memory = NULL,
                   scratch = NULL, seed = 0, progress = FALSE) {
    call <- match.call()
    table <- plain(data)
    coords <- coords_of(coords, data, table)
    time <- listed(time, "time")
    noise <- listed(noise, "noise")
    says <- sides(formula, table, c(coords, time))
    columns <- columns_for(table, c(all.vars(says$formula), named_in(c(coords, time, noise))))
    words <- c("exageostat", "fit", "data", paste0("--values=", says$values), paste0("--mean=", says$mean))
    if (!is.null(coords)) words <- c(words, paste0("--coords=", paste(coords, collapse = ",")))
    words <- c(words, flag("--time", time), flag("--distance", distance), flag("--covariance", covariance))
    words <- c(words, flag("--method", method), flag("--transform", transform), flag("--reml", isTRUE(reml)))
    words <- c(words, nugget_words(nugget), pairs_of("--fix", fix), pairs_of("--bounds", bounds), pairs_of("--start", start))
    words <- c(words, flag("--noise", noise), flag("--replicates", isTRUE(replicates)))
    words <- c(words, flag("--drop-missing", isTRUE(drop_missing)))
    words <- c(words, flag("--starts", starts), flag("--optimizer", optimizer), flag("--information", information))
    words <- c(words, flag("--profile-intervals", isTRUE(profile_intervals)), run_words(threads, memory, scratch, seed))
    kept <- run_command(words, tables = list(data = columns), progress = progress)
    flags <- list(drop_missing = drop_missing, threads = threads, memory = memory, scratch = scratch)
    new_fit(kept, call, says$formula, columns, flags, crs_of(data))
}

nugget_words <- function(nugget) {
    if (identical(nugget, "estimate")) {
        return("--estimate-nugget")
    }
    if (is.null(nugget)) {
        return(character())
    }
    if (!is.numeric(nugget) || length(nugget) != 1) raise("refused", "nugget: \"estimate\", a variance, or NULL for none")
    flag("--nugget", nugget)
}

new_fit <- function(kept, call, formula, columns, flags, crs) {
    structure(
        list(call = call, formula = formula, result = kept$result, model = kept$text, columns = columns,
            flags = flags, crs = crs),
        class = "tg_fit"
    )
}

# Whether there are several variables, or replicates of one.
is_several <- function(fit) {
    left <- fit$formula[[2]]
    is.call(left) && identical(left[[1]], as.name("cbind")) && length(left) > 2
}

# What a command says of a fit that stands in its words as MODEL.
with_model <- function(fit, words, tables = list(), progress = FALSE) {
    words <- c(words, "--train=data")
    words <- c(words, run_words(fit$flags$threads, fit$flags$memory, fit$flags$scratch, NULL))
    models <- stats::setNames(fit$model, MODEL)
    run_command(words, c(list(data = fit$columns), tables), models = models, progress = progress)
}

# Writes `text` to `file` whole, or not at all: what was there before stays if it fails. Devices are
# written as they are, since a rename would replace them.
write_whole <- function(text, file) {
    fails <- function(kind, ...) raise(kind, "cannot write ", file, ": ", ...)
    if (!dir.exists(dirname(file))) fails("not_found", "there is no folder ", dirname(file))
    if (dir.exists(file)) fails("file", "it is a folder")
    is_device <- startsWith(file, "/dev/")
    path <- normalizePath(file, mustWork = FALSE)
    new <- if (is_device) file else tempfile(".tegula", dirname(path))
    if (!is_device) on.exit(unlink(new))
    bytes <- charToRaw(paste0(enc2utf8(text), "\n"))
    # What the system says comes as a warning, that a disk is full where the file is closed, if at all.
    why <- NULL
    note <- function(condition) why <<- c(why, conditionMessage(condition))
    write <- function() {
        to <- file(new, "wb", raw = is_device)
        tryCatch(writeBin(bytes, to), finally = close(to))
        if (!is_device && file.size(new) != length(bytes)) stop("not all of it was written")
        if (!is_device && is.null(why)) file.rename(new, path)
    }
    withCallingHandlers(tryCatch(write(), error = note), warning = function(condition) {
        note(condition)
        invokeRestart("muffleWarning")
    })
    if (!is.null(why)) fails("file", why[1])
}

tg_write <- function(fit, file) {
    write_whole(jsonlite::prettify(fit$model, 2), file)
    invisible(file)
}

# Whether parsed JSON is a model of the program.
is_model <- function(result) {
    has_texts <- function() {
        texts <- list(result$covariance, result$mean$formula, result$data$columns$values)
        all(vapply(texts, is.character, TRUE))
    }
    tryCatch(has_texts(), error = function(e) FALSE)
}

# The left side of a formula, of what --values says.
left_of <- function(values) {
    parsed <- tryCatch(str2lang(values), error = function(e) NULL)
    parts <- strsplit(values, ",")[[1]]
    if (!is.null(parsed)) {
        parsed
    } else if (length(parts) == 1) {
        as.name(values)
    } else {
        as.call(c(as.name("cbind"), lapply(parts, left_of)))
    }
}

tg_read <- function(file, data) {
    text <- tryCatch(paste(suppressWarnings(readLines(file, warn = FALSE)), collapse = "\n"), error = function(e) {
        raise("not_found", "cannot read ", file, ": ", conditionMessage(e))
    })
    result <- tryCatch(jsonlite::fromJSON(text, simplifyDataFrame = FALSE), error = function(e) NULL)
    if (!is_model(result)) {
        raise("refused", file, " holds no model: give a file that tg_write, or tegula exageostat fit -o, ",
            "has written")
    }
    left <- left_of(result$data$columns$values)
    right <- sub("^[ ]*~?", "", switch(result$mean$formula, constant = "1", zero = "0", result$mean$formula))
    formula <- stats::as.formula(paste("~", right), env = parent.frame())
    formula <- stats::as.formula(call("~", left, formula[[2]]), env = parent.frame())
    columns <- columns_for(plain(data), c(all.vars(formula), columns_used(result)))
    flags <- list(drop_missing = isTRUE(result$data$drop_missing))
    fit <- new_fit(list(result = result, text = text), match.call(), formula, columns, flags, crs_of(data))
    # Says if these are other data than the model was fitted to.
    with_model(fit, c("exageostat", "loglik", MODEL))
    fit
}

# The columns that a model takes beside those of its formula.
columns_used <- function(result) {
    columns <- result$data$columns
    named_in(unlist(columns[c("coords", "time", "noise")]))
}

tg_assess <- function(fit, cross_validate = NULL, blocks = NULL) {
    words <- c("exageostat", "assess", MODEL, flag("--cross-validate", cross_validate))
    words <- c(words, flag("--blocks", blocks))
    kept <- with_model(fit, c(words, if (!is_several(fit)) paste0("--output=", COLUMNS)))
    result <- kept$result
    if (!is_several(fit)) result$left_out <- as.data.frame(columns_of(kept))
    result
}

tg_report <- function(fit, file) {
    output <- paste0("--output=", normalizePath(file, mustWork = FALSE))
    with_model(fit, c("exageostat", "plot", MODEL, output))
    invisible(file)
}

tg_variogram <- function(formula, data, coords = NULL, bins = 15, distance = NULL, drop_missing = FALSE) {
    table <- plain(data)
    coords <- coords_of(coords, data, table)
    says <- sides(formula, table, coords)
    words <- c("exageostat", "variogram", "data", paste0("--values=", says$values), paste0("--mean=", says$mean))
    if (!is.null(coords)) words <- c(words, paste0("--coords=", paste(coords, collapse = ",")))
    words <- c(words, flag("--bins", bins), flag("--distance", distance), flag("--drop-missing", isTRUE(drop_missing)))
    columns <- columns_for(table, c(all.vars(says$formula), named_in(coords)))
    bins_of(run_command(words, tables = list(data = columns))$result)
}

bins_of <- function(result) {
    of <- function(name) vapply(result$bins, function(bin) as.double(bin[[name]]), 0)
    data.frame(pairs = of("pairs"), distance = of("distance"), semivariance = of("semivariance"))
}

tg_sample <- function(data, covariance, params, coords = NULL, nugget = 0, distance = NULL, seed = 0) {
    table <- plain(data)
    coords <- coords_of(coords, data, table)
    if (is.null(names(params))) raise("refused", "params: name each value, as c(variance = 1, range = 0.1)")
    one <- function(key, value) paste0(key, "=", all_digits(value, key, "--params"))
    given <- paste0("--params=", paste(Map(one, names(params), params), collapse = ","))
    words <- c("exageostat", "sample", "--at=data", paste0("--covariance=", covariance), given)
    if (!is.null(coords)) words <- c(words, paste0("--coords=", paste(coords, collapse = ",")))
    words <- c(words, flag("--nugget", nugget), flag("--distance", distance), flag("--seed", seed), paste0("--output=", COLUMNS))
    drawn <- columns_of(run_command(words, tables = list(data = columns_for(table, named_in(coords)))))
    if (length(drawn) == 1) drawn[[1]] else do.call(cbind, drawn)
}

tg_covariances <- function() {
    found <- run_command(c("exageostat", "covariances"))$result$covariances
    names <- vapply(found, function(one) one$name, "")
    parameters <- vapply(found, function(one) paste(vapply(one$parameters, function(p) p$name, ""), collapse = ", "), "")
    data.frame(covariance = names, parameters = parameters, formula = vapply(found, function(one) one$formula, ""))
}
