# Writes means.csv and means.json: a small set of data, design matrices of formulas, and fits by
# generalised least squares. R 4.2.2. Run in this folder: Rscript means.R
invisible(Sys.setlocale("LC_COLLATE", "C"))
set.seed(7)
n <- 60
d <- data.frame(
  x = round(runif(n), 3), y = round(runif(n), 3), elev = round(rnorm(n, 200, 30), 1),
  land = sample(c("wood", "Arable", "town", "Moor"), n, TRUE), code = sample(c(1, 2, 10), n, TRUE)
)
distances <- as.matrix(dist(d[, c("x", "y")]))
field <- drop(t(chol(0.2 * exp(-distances / 0.2) + diag(0.05, n))) %*% rnorm(n))
effect <- c(wood = 0.3, Arable = 0, town = -0.4, Moor = 0.1)
d$z <- round((0.3 * (5 + 0.01 * d$elev + effect[d$land] + field) + 1)^(1 / 0.3), 4)
write.csv(d, "means.csv", row.names = FALSE, quote = FALSE)

json <- function(x) paste0("[", paste(sprintf("%.15g", x), collapse = ", "), "]")
texts <- function(x) paste0("[", paste0("\"", x, "\"", collapse = ", "), "]")
formulas <- c(
  "x + y", "land", "land - 1", "0 + x + land + factor(code)", "land:factor(code)",
  "land*factor(code)", "x:land", "x*land", "x + x:land", "land + x:land", "land + land:factor(code)",
  "(x + y + land)^2", "land/x", "poly(elev, 3)", "poly(elev, 1)", "poly(x, 2, raw = TRUE)*land",
  "I(x * 2 + y^2/3)", "land*factor(code) - land", "y + land:factor(code) + x:land", "-1 + land:x",
  "poly(log(elev), degree = 2):land", "land + factor(code) + land:factor(code):x", "log(elev + 1e5)",
  "factor(code)*sqrt(x) + x"
)
matrices <- sapply(formulas, function(f) {
  m <- model.matrix(as.formula(paste("~", f)), d)
  columns <- apply(m, 2, function(column) paste0("      ", json(column)))
  paste0(
    "    { \"formula\": \"", f, "\", \"names\": ", texts(colnames(m)), ", \"columns\": [\n",
    paste(columns, collapse = ",\n"), "\n    ] }"
  )
})
# Generalised least squares where variance, range and nugget have these logarithms.
gls <- function(theta, z, m, reml) {
  factor <- chol(exp(theta[1]) * exp(-distances / exp(theta[2])) + diag(exp(theta[3]), n))
  w <- backsolve(factor, m, transpose = TRUE)
  v <- backsolve(factor, z, transpose = TRUE)
  cross <- crossprod(w)
  b <- drop(solve(cross, crossprod(w, v)))
  log2pi <- log(2 * pi)
  value <- -0.5 * (n * log2pi + 2 * sum(log(diag(factor))) + sum((v - w %*% b)^2))
  if (reml) {
    logdet <- function(a) as.numeric(determinant(a)$modulus)
    value <- value + 0.5 * (ncol(m) * log2pi - logdet(cross) + logdet(crossprod(m)))
  }
  list(loglik = value, b = b, se = sqrt(diag(solve(cross))))
}
maximum <- function(z, m, reml) {
  found <- list(par = log(c(0.2, 0.2, 0.05) * var(z) / 0.25))
  for (again in 1:3) {
    found <- nlminb(found$par, function(theta) -gls(theta, z, m, reml)$loglik,
      control = list(rel.tol = 1e-15, x.tol = 1e-12))
  }
  c(list(theta = exp(found$par)), gls(found$par, z, m, reml))
}
fits <- c()
products <- "poly(elev, 2) + x:factor(code)"
for (case in list(list("elev + land", FALSE), list(products, FALSE), list(products, TRUE))) {
  f <- case[[1]]
  reml <- case[[2]]
  m <- model.matrix(as.formula(paste("~", f)), d)
  g <- maximum(log(d$z), m, reml)
  t <- g$b / g$se
  fits <- c(fits, paste0(
    "    { \"mean\": \"", f, "\", \"criterion\": \"", if (reml) "reml" else "ml",
    "\", \"loglik\": ", sprintf("%.17g", g$loglik - sum(log(d$z))), ",\n      \"theta\": ",
    json(g$theta), ",\n      \"names\": ", texts(colnames(m)), ",\n      \"estimate\": ", json(g$b),
    ",\n      \"std_error\": ", json(g$se), ",\n      \"t\": ", json(t), ",\n      \"p\": ",
    json(2 * pt(-abs(t), n - ncol(m))), " }"
  ))
}
m <- model.matrix(~ elev + land, d)
profile <- function(lambda) {
  maximum((d$z^lambda - 1) / lambda, m, FALSE)$loglik + (lambda - 1) * sum(log(d$z))
}
best <- optimize(profile, c(-1, 1), maximum = TRUE, tol = 1e-7)
cat("{\n  \"matrices\": [\n", paste(matrices, collapse = ",\n"), "\n  ],\n  \"fits\": [\n",
  paste(fits, collapse = ",\n"), "\n  ],\n  \"box_cox\": { \"lambda\": ",
  sprintf("%.17g", best$maximum), ", \"loglik\": ", sprintf("%.17g", best$objective), " }\n}\n",
  sep = "", file = "means.json")
