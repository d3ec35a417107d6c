test_that("distances give the axes of cmdscale", {
    for (d in list(eurodist, dist(as.matrix(iris[1:60, 1:4])))) {
        ours <- tg_mds(d, k = 3)
        theirs <- cmdscale(d, k = 3, eig = TRUE)
        expect_equal(unname(ours$eig), theirs$eig[1:3], tolerance = 1e-9)
        for (axis in 1:3) {
            sign <- sign(sum(ours$points[, axis] * theirs$points[, axis]))
            expect_equal(unname(sign * ours$points[, axis]), unname(theirs$points[, axis]), tolerance = 1e-6)
        }
    }
    expect_identical(rownames(tg_mds(eurodist)$points)[1], "Athens")
    expect_output(print(tg_mds(eurodist)), "eigenvalue")
})

test_that("components are those of prcomp", {
    ours <- tg_pca(iris[, 1:4], k = 2, pretreatment = "col-centering")
    theirs <- prcomp(iris[, 1:4])
    sign <- sign(sum(ours$points[, 1] * theirs$x[, 1]))
    expect_equal(unname(sign * ours$points[, 1]), unname(theirs$x[, 1]), tolerance = 1e-8)
    expect_identical(rownames(ours$variables), names(iris)[1:4])
})

test_that("correspondence analysis has its inertia, and files are read", {
    counts <- unclass(HairEyeColor[, , "Male"])
    ours <- tg_coa(counts, k = 2)
    expected <- chisq <- suppressWarnings(chisq.test(counts))$statistic / sum(counts)
    expect_equal(sum(ours$eig) / sum(ours$share), unname(expected), tolerance = 1e-9)
    path <- tempfile(fileext = ".csv")
    write.csv(as.matrix(eurodist), path)
    expect_equal(unname(tg_mds(path)$eig), unname(tg_mds(eurodist)$eig), tolerance = 1e-9)
})

test_that("items at one place have no axes", {
    expect_warning(none <- tg_mds(matrix(0, 4, 4)), "0 of 2 axes", class = "tegula_warning")
    expect_identical(dim(none$points), c(4L, 0L))
    expect_output(print(none), "4 items")
    expect_error(plot(none), "no axis 2", class = "tegula_refused")
})

test_that("there is room for labels at the edge", {
    grDevices::pdf(NULL)
    on.exit(grDevices::dev.off())
    items <- tg_mds(eurodist)
    plot(items)
    at <- items$points[, 1]
    half <- graphics::strwidth(rownames(items$points), cex = 0.8) / 2
    expect_true(all(at - half > graphics::par("usr")[1] & at + half < graphics::par("usr")[2]))
    plot(items, xlim = c(-9000, 9000))
    expect_lt(graphics::par("usr")[1], -9000)
})
