data <- as.matrix(read.csv("data/samples/digits.csv.gz", header = FALSE))
found <- cmdscale(dist(data[, 1:64]), k = 5, eig = TRUE)
print(head(found$points, 3))
print(found$GOF)
