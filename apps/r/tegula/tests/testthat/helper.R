# The root of the sources, and the program, where the tests of the sources run.
root <- Sys.getenv("TEGULA_ROOT")
program <- Sys.getenv("TEGULA")

sample_of <- function(name) {
    if (root == "") skip("TEGULA_ROOT does not name the sources: scripts/r-tests does")
    file.path(root, "data/samples", name)
}

synthetic <- function(n = 140) utils::head(utils::read.csv(sample_of("e_sub140.csv")), n)

texas <- function() utils::read.csv(sample_of("texas-wind.csv"))

# Fits fast: the smoothness is known, and there is no noise.
quick <- function(formula = z ~ 1, data = synthetic(), nugget = NULL, ...) {
    tg_fit(formula, data, fix = c(smoothness = 0.5), nugget = nugget, ...)
}

# A new folder, which goes when the test ends.
new_folder <- function(env = parent.frame()) {
    folder <- tempfile("tegula")
    dir.create(folder)
    do.call(on.exit, list(bquote(unlink(.(folder), recursive = TRUE)), add = TRUE), envir = env)
    folder
}

# What the program writes as JSON.
by_program <- function(words) {
    if (program == "") skip("TEGULA does not name the program: scripts/r-tests does")
    out <- suppressWarnings(system2(program, c(words, "--json", "-", "--quiet"), stdout = TRUE, stderr = FALSE))
    paste(out, collapse = "\n")
}

# The text of a number in JSON, digit by digit.
digits_of <- function(json, name) {
    pattern <- paste0("\"", name, "\": ?(-?[0-9.eE+-]+)")
    found <- regmatches(json, regexec(pattern, json))[[1]]
    expect_length(found, 2)
    found[2]
}
