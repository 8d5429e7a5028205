# kernlab's side: kpca() a few times in one process, as one line of JSON; with OUT once, its scores written.
#     Rscript kernlab_kernel_pca.R x.npy COMPONENTS GAMMA REPEATS [OUT]
suppressPackageStartupMessages(library(kernlab))

# A double matrix in C order, as numpy.save writes it.
read_npy <- function(path) {
  file <- file(path, "rb")
  on.exit(close(file))
  readBin(file, "raw", 8)  # magic and version 1.0
  header <- readChar(file, readBin(file, "integer", 1, size = 2, endian = "little"))
  shape <- as.integer(strsplit(sub(".*\\((.*)\\).*", "\\1", header), ",")[[1]])
  matrix(readBin(file, "double", prod(shape)), shape[1], shape[2], byrow = TRUE)
}

arguments <- commandArgs(trailingOnly = TRUE)
x <- read_npy(arguments[1])
seconds <- c()
for (i in seq_len(as.integer(arguments[4]))) {
  model <- NULL
  start <- proc.time()[["elapsed"]]
  model <- kpca(x, kernel = "rbfdot", kpar = list(sigma = as.numeric(arguments[3])), features = as.integer(arguments[2]))
  seconds <- c(seconds, proc.time()[["elapsed"]] - start)
}
if (length(arguments) > 4) writeBin(as.vector(rotated(model)), arguments[5])
numbers <- function(values) paste(sprintf("%.17g", values), collapse = ", ")
cat(sprintf('{"seconds": [%s], "eigenvalues": [%s]}\n', numbers(seconds), numbers(eig(model) * nrow(x))))
