"""T2: denoising eleven Gaussians in ten dimensions, the error of linear PCA over that of kernel PCA."""
import json

import numpy as np

TITLE = "Denoising eleven Gaussians in R^10: mean squared error of linear over kernel PCA"
SOURCE = "Mika, Schölkopf, Smola, Müller, Scholz, Rätsch, 'Kernel PCA and de-noising in feature spaces', NIPS 1998, Table 1"
PUBLISHED = {
    0.05: [2058.42, 1238.36, 846.14, 565.41, 309.64, 170.36, 125.97, 104.40, 92.23],
    0.1: [10.22, 31.32, 21.51, 29.24, 27.66, 23.53, 29.64, 40.07, 63.41],
    0.2: [0.99, 1.12, 1.18, 1.50, 2.11, 2.73, 3.72, 5.09, 6.32],
    0.4: [1.07, 1.26, 1.44, 1.64, 1.91, 2.08, 2.22, 2.34, 2.47],
    0.8: [1.23, 1.39, 1.54, 1.70, 1.80, 1.96, 2.10, 2.25, 2.39],
}
CENTERS, DIMENSIONS, TRAIN, TEST = 11, 10, 100, 33
HALF_WIDTH = 0.5  # of the cube that holds the centres; the paper says 1: see the notes
NOTES = """Settings as published: 100 training and 33 test points a centre, kernel exp(-|x-y|^2/(10 c)), c = 2 sigma^2, centred
kernel PCA, the fixed point begun at the noisy point. One thing differs: the paper puts the centres in [-1,1]^10. So placed they lie so
far apart that the kernel is nearly block diagonal at small sigma, and the ratios come out far from the table; in [-1/2,1/2]^10 they
follow it but for the row sigma = 0.1, where ours lie below the published ones for two and more components. There the kernel is just wide
enough for a few test points to end at a wrong centre, and a single one of them outweighs all the others: the row measures how many, and
differs from draw to draw by more than from the table. What is published is one draw of the centres; ours are the mean errors over several."""


def draw(random, sigma):
    centers = random.uniform(-HALF_WIDTH, HALF_WIDTH, (CENTERS, DIMENSIONS))
    clean = np.repeat(centers, TEST, axis=0)
    train = np.repeat(centers, TRAIN, axis=0)
    return train + sigma * random.normal(size=train.shape), clean + sigma * random.normal(size=clean.shape), clean


def errors(context, method, *options):
    report = json.loads(context.mercer(
        "denoise", path(context, "train"), "--noisy", path(context, "noisy"), "--clean", path(context, "clean"),
        "--out", path(context, "out"), "--method", method, "-k", ",".join(map(str, range(1, 10))), *options, "--json"))
    return np.array([entry["mean_squared_distance"] for entry in report["sweep"]])


def path(context, name):
    return f"{context.folder}/t2_{name}.npy"


def table(context):
    draws = 2 if context.quick else 10
    for sigma, published in PUBLISHED.items():
        linear, kernel = np.zeros(9), np.zeros(9)
        for turn in range(draws):
            random = np.random.default_rng([context.seed, turn])
            for name, rows in zip(("train", "noisy", "clean"), draw(random, sigma)):
                np.save(path(context, name), rows)
            linear += errors(context, "pca")
            kernel += errors(context, "kpca", "--kernel", f"rbf(gamma={1 / (10 * 2 * sigma**2)!r})", "--starts", "1")
        for k in range(9):
            yield f"sigma = {sigma}", f"n = {k + 1}", published[k], linear[k] / kernel[k]
