library(tegula)
data <- as.matrix(read.csv("data/samples/digits.csv.gz", header = FALSE))
found <- tg_mds(data[, 1:64], k = 5, metric = "euclidean")
print(found)
