# The blocks of R on pages run, in order, and raise what the pages say.

# Sizes of memory depend on the machine.
one_line <- function(lines) {
    gsub("[0-9.]+ [KMG]iB", "SIZE", trimws(gsub("[[:space:]]+", " ", paste(lines, collapse = " "))))
}

test_that("blocks do what the pages say", {
    skip_if(root == "", "TEGULA_ROOT does not say where the pages are")
    before <- setwd(root)
    on.exit(setwd(before))
    grDevices::pdf(NULL)
    on.exit(grDevices::dev.off(), add = TRUE)
    for (path in c("apps/r/README.md", "docs/mistakes.md")) {
        lines <- readLines(path)
        fences <- grep("^```", lines)
        starts <- fences[c(TRUE, FALSE)]
        ends <- fences[c(FALSE, TRUE)]
        inside <- function(at) lines[seq(starts[at] + 1, ends[at] - 1)]
        names <- new.env()
        blocks <- which(lines[starts] == "```r")
        expect_gt(length(blocks), 0)
        for (at in blocks) {
            code <- parse(text = inside(at))
            if (at < length(starts) && grepl("^```text", lines[starts[at + 1]])) {
                error <- expect_error(eval(code, names), class = "tegula_error")
                expect_equal(one_line(paste0("Error: ", conditionMessage(error))), one_line(inside(at + 1)), info = path)
            } else {
                expect_no_error(eval(code, names))
            }
        }
    }
})
