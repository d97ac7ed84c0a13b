# Logistic regressions of disguised answers by R: the likelihoods are written out here, and `optim`
# maximises them. R also draws the respondents and throws their coins, so nothing here is ours.
#
#     Rscript likelihood.R        (R alone; it writes reports.csv and maxima.csv beside it)
#
# tests/test_survey_estimate.py holds ppdm.survey.relate.regression to the numbers of maxima.csv.

set.seed(20)
n <- 1500
age <- sample(c(20, 30, 40, 50), n, replace = TRUE)
sex <- sample(c("f", "m"), n, replace = TRUE)
region <- sample(c("north", "south", "west"), n, replace = TRUE)

true <- function(eta) rbinom(n, 1, plogis(eta)) == 1
coin <- function(p) runif(n) < p
word <- function(said) ifelse(said, "yes", "no")

# Warner: the truth with probability 0.75, else the opposite
warner <- true(-2 + 0.04 * age - 0.7 * (sex == "m"))
warner <- word(ifelse(coin(0.75), warner, !warner))

# Forced response: the truth with probability 2/3, else "yes" or "no" with 1/6 each
forced <- true(0.5 - 0.03 * age + 0.9 * (region == "south") + 0.3 * (region == "west"))
die <- sample(1:6, n, replace = TRUE)
forced <- word(ifelse(die == 1, TRUE, ifelse(die == 6, FALSE, forced)))

# Unrelated question: hers with probability 0.7, else another with a share of 0.3
unrelated <- word(ifelse(coin(0.7), true(-1 + 0.8 * (sex == "m")), coin(0.3)))

reports <- data.frame(warner, forced, unrelated, age, sex, region)
write.csv(reports, "reports.csv", row.names = FALSE, quote = FALSE)

# P(report "yes") = from + gain * P(true "yes")
devices <- list(
  warner = c(from = 0.25, gain = 0.5),
  forced = c(from = 1 / 6, gain = 2 / 3),
  unrelated = c(from = 0.3 * 0.3, gain = 0.7)
)
models <- list(
  warner = ~ age + sex,
  forced = ~ age + region,
  unrelated = ~ sex
)

maximum <- function(name) {
  X <- model.matrix(models[[name]], reports)
  yes <- reports[[name]] == "yes"
  from <- devices[[name]][["from"]]
  gain <- devices[[name]][["gain"]]
  # optim searches better where all coefficients are of one size
  size <- pmax(apply(abs(X), 2, max), 1)
  minus <- function(b) {
    said <- from + gain * plogis(as.vector(X %*% (b / size)))
    -sum(log(ifelse(yes, said, 1 - said)))
  }
  slope <- function(b) {
    p <- plogis(as.vector(X %*% (b / size)))
    said <- from + gain * p
    -colSums(X * gain * p * (1 - p) * (yes - said) / (said * (1 - said))) / size
  }
  b <- rep(0, ncol(X))
  b <- optim(b, minus, slope, method = "BFGS", control = list(reltol = 1e-15, maxit = 5000))$par
  curvature <- function(b) optimHess(b, minus, slope, control = list(ndeps = rep(1e-4, length(b))))
  for (again in 1:3) { # the last digits
    b <- b - as.vector(solve(curvature(b), slope(b)))
  }
  stopifnot(max(abs(slope(b))) < 1e-8)
  information <- curvature(b)
  data.frame(
    answer = name,
    term = colnames(X),
    coefficient = b / size,
    se = sqrt(diag(solve(information))) / size,
    log_likelihood = -minus(b)
  )
}

found <- do.call(rbind, lapply(names(models), maximum))
for (column in c("coefficient", "se", "log_likelihood")) {
  found[[column]] <- formatC(found[[column]], digits = 9, format = "g", flag = "#")
}
write.csv(found, "maxima.csv", row.names = FALSE, quote = FALSE)
