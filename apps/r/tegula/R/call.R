# Runs commands of tegula in this process, and raises what they refuse as conditions of R.

# The names under which a command keeps what it would write.
RESULT <- "result.json"
COLUMNS <- "columns.csv"
MATRIX <- "matrix.npy"
# The names under which it is lent a model, "the fit" in messages, and the places to predict at.
MODEL <- "the fit.json"
PLACES <- "newdata"

# What flags of the command line are called here.
HERE <- c(
    "--covariance" = "covariance =", "--coords" = "coords = ~ x + y", "--distance" = "distance =", "--time" = "time =",
    "--values" = "the left side of the formula", "--replicates" = "replicates = TRUE", "--noise" = "noise =",
    "--drop-missing" = "drop_missing = TRUE", "--mean" = "the right side of the formula",
    "--transform" = "transform =", "--fix" = "fix = c(name = value)", "--bounds" = "bounds = list(name = c(low, high))",
    "--start" = "start = c(name = value)", "--nugget" = "nugget = VALUE", "--estimate-nugget" = "nugget = \"estimate\"",
    "--method" = "method =", "--memory" = "memory =", "--scratch" = "scratch =", "--axes" = "k =",
    "--metric" = "metric =", "--fill" = "fill =",
    "--symmetry-tolerance" = "symmetry_tolerance =", "--params" = "params = c(name = value)",
    "--neighbours" = "neighbours =", "--at" = "newdata =", "--reml" = "reml = TRUE", "--starts" = "starts =",
    "--optimizer" = "optimizer =", "--information" = "information =", "--simulate" = "nsim =",
    "--profile-intervals" = "profile_intervals = TRUE", "--cross-validate" = "cross_validate =",
    "--blocks" = "blocks =", "--bins" = "bins =", "--correction" = "correction =",
    "--pretreatment" = "pretreatment =", "--workers" = "threads =", "--seed" = "seed ="
)

# A message of the program in words of R.
translated <- function(message) paste0(gsub(MODEL, "the fit", message, fixed = TRUE), hint(message))

# What the flags that a message names are called in R; empty if it names none.
hint <- function(message) {
    flags <- unique(regmatches(message, gregexpr("--[a-z]+(-[a-z]+)*", message))[[1]])
    known <- flags[flags %in% names(HERE)]
    said <- if (length(known)) paste(known, "is", HERE[known])
    if (grepl("missing value", message)) said <- c("NA is a missing value", said)
    if (grepl("tegula diodon distances", message)) said <- c(said, "points take metric =")
    if (length(said)) paste0(" [in R: ", paste(said, collapse = ", "), "]") else ""
}

# Raises an error of the class tegula_KIND.
raise <- function(kind, ...) {
    text <- paste0(...)
    stop(structure(
        class = c(paste0("tegula_", kind), "tegula_error", "error", "condition"),
        list(message = text, call = NULL)
    ))
}

# Warns by a condition of the class tegula_warning.
warn <- function(...) {
    classes <- c("tegula_warning", "warning", "condition")
    warning(structure(class = classes, list(message = paste0(...), call = NULL)))
}

# A number as the program reads it, to the last digit; a whole one without an exponent, for flags that count.
digits <- function(x) {
    x <- as.double(x)
    is_whole <- isTRUE(x == round(x) && abs(x) < 1e15)
    short <- format(x, digits = 15, trim = TRUE, scientific = if (is_whole) FALSE else NA, decimal.mark = ".")
    if (isTRUE(as.double(short) == x)) short else formatC(x, digits = 17, format = "g", decimal.mark = ".")
}

# The numbers that stand under `key` in the argument which is `name` on the command line.
all_digits <- function(values, key, name) {
    if (!is.numeric(values) || anyNA(values)) {
        argument <- sub("--", "", name)
        raise("refused", argument, ": ", key, " is ", deparse1(values), ", no number: write ", HERE[[name]])
    }
    vapply(values, digits, "")
}

# The words of a flag; none if the value is NULL or FALSE.
flag <- function(name, value) {
    if (is.null(value) || isFALSE(value)) {
        return(character())
    }
    if (isTRUE(value)) {
        return(name)
    }
    if (is.numeric(value)) value <- digits(value)
    paste0(name, "=", value)
}

# The words of a flag that takes NAME=VALUE for each item; two values are an interval.
pairs_of <- function(name, values) {
    if (is.null(values) || length(values) == 0) {
        return(character())
    }
    if (is.null(names(values)) || any(names(values) == "")) {
        raise("refused", sub("--", "", name), ": name each value, as c(range = 0.1)")
    }
    one <- function(key, value) {
        paste0(name, "=", key, "=", paste(all_digits(value, key, name), collapse = ":"))
    }
    unlist(Map(one, names(values), values, USE.NAMES = FALSE))
}

# Runs the command that `words` are; a list of result (parsed), text (its JSON), numbers and texts.
run_command <- function(words, tables = list(), matrices = list(), models = character(), progress = FALSE) {
    words <- c(words, paste0("--json=", RESULT))
    kept <- .Call(tegula_run, words, tables, matrices, models, isTRUE(progress))
    if (!is.null(kept$failure)) {
        if (kept$interrupted) {
            # As R does where Ctrl-C is pressed.
            signalCondition(structure(class = c("interrupt", "condition"), list(message = "", call = NULL)))
            raise("stopped", "interrupted")
        }
        message <- sub("\ngo on from there with:.*", "", kept$text)
        raise(kept$failure, translated(message))
    }
    for (text in kept$texts$warnings) warn(translated(text))
    kept$result <- jsonlite::fromJSON(kept$text, simplifyDataFrame = FALSE, simplifyMatrix = TRUE)
    kept
}

# The columns that a command has left.
columns_of <- function(kept) {
    own <- startsWith(names(kept$numbers), "column:")
    columns <- kept$numbers[own]
    names(columns) <- sub("^column:", "", names(columns))
    columns
}

# The same by the names that the program gives them where `newdata` has no column called so.
plain_columns <- function(kept) {
    columns <- columns_of(kept)
    stats::setNames(columns, sub("^predicted_", "", names(columns)))
}

# Workers, memory, the folder for what does not fit, and seed as words.
run_words <- function(threads, memory, scratch, seed) {
    c(flag("--workers", threads), flag("--memory", memory), flag("--scratch", scratch), flag("--seed", seed))
}
