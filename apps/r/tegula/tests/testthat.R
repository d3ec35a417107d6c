library(testthat)
library(tegula)

test_check("tegula")
