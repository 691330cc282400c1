# draws.csv as R's package posterior reads it. Usage: Rscript check_draws.R DIRECTORY, in which check_exchange.py has left its files
suppressPackageStartupMessages(library(posterior))
directory <- commandArgs(trailingOnly = TRUE)[1]
for (method in c("auto", "chain")) {
  table <- read.csv(file.path(directory, method, "draws.csv"), check.names = FALSE)
  draws <- as_draws_df(table)
  chains <- if (method == "auto") 1 else 128
  length <- if (method == "auto") 1000 else 7
  stopifnot(nchains(draws) == chains, niterations(draws) == length, ndraws(draws) == chains * length,
            identical(variables(draws), c("lp__", "theta_0", "theta_1")))
  # Chain by chain in columns: what the table says of chain 1 (the first rows with .chain 1), and the means of all.
  first <- extract_variable_matrix(draws, "theta_0")[, 1]
  stopifnot(identical(unname(first), table$theta_0[table$.chain == 1]))
  summary <- summarise_draws(draws, "mean", "rhat")
  stopifnot(all.equal(unname(as.numeric(summary$mean[2:3])), unname(colMeans(table[, c("theta_0", "theta_1")]))), all(is.finite(as.numeric(summary$rhat))))
  rows <- read.table(file.path(directory, method, "getdist.txt"))
  stopifnot(all.equal(rows[[2]], -table$lp__), all.equal(rows[[3]], table$theta_0))
}
cat("draws.csv: read by R's package posterior\n")
