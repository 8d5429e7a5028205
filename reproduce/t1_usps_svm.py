"""T1: a linear support vector machine on kernel PCA features of handwritten digits."""
import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import LinearSVC

TITLE = "USPS digits: test error in % of a linear SVM on kernel PCA features, kernel (x·y)^p"
SOURCE = "Schölkopf, Smola and Müller 1998, Nonlinear component analysis as a kernel eigenvalue problem, table 1"
NOTES = """Kernel PCA on 3,000 random training images, features of all 7,291 and of the 2,007 test images by transform. The
features of a cell are divided by one number, the root of their mean squared length, so that C means the same everywhere. The machine is
liblinear's (scikit-learn's LinearSVC: one against the rest, squared hinge), C by 3-fold cross-validation on all training images among
0.1, 1, 10 and 100. The paper does not say which 3,000 images it took, which machine and how C was chosen. With few components and p above 1 our
errors lie about a point above the published ones. Other C, the plain hinge, features standardised one by one, pixels in [0, 1], the first
3,000 images, training the machine on the 3,000 alone: none of these closes that gap. One test image is 0.05."""

COMPONENTS = (32, 64, 128, 256, 512, 1024, 2048)
PUBLISHED = {  # by components, for p = 1 ... 7
    32: (9.6, 8.8, 8.1, 8.5, 9.1, 9.3, 10.8), 64: (8.8, 7.3, 6.8, 6.7, 6.7, 7.2, 7.5),
    128: (8.6, 5.8, 5.9, 6.1, 5.8, 6.0, 6.8), 256: (8.7, 5.5, 5.3, 5.2, 5.2, 5.4, 5.4),
    512: (None, 4.9, 4.6, 4.4, 5.1, 4.6, 4.9), 1024: (None, 4.9, 4.3, 4.4, 4.6, 4.8, 4.6),
    2048: (None, 4.9, 4.2, 4.1, 4.0, 4.3, 4.4)}
CHOICES_OF_C = (0.1, 1, 10, 100)
TRAINING_POINTS = 3000


def table(context):
    images, labels = (np.load(context.data(f"usps/train_{what}.npy")) for what in ("images", "labels"))
    tests, truth = (np.load(context.data(f"usps/test_{what}.npy")) for what in ("images", "labels"))
    chosen = np.sort(np.random.default_rng(context.seed).permutation(len(images))[:TRAINING_POINTS])
    for name, rows in (("fit", images[chosen]), ("train", images), ("test", tests)):
        np.save(context.folder / f"{name}.npy", rows.reshape(len(rows), -1).astype(float))

    degrees, counts = ((1, 2, 3), (32, 128)) if context.quick else (range(1, 8), COMPONENTS)
    for p in degrees:
        wanted = [k for k in counts if PUBLISHED[k][p - 1] is not None]
        train, test = features(context, p, max(wanted))
        for k in wanted:
            if k > train.shape[1]:  # beyond the numerical rank there are no components
                yield f"{k} components", f"p = {p}", PUBLISHED[k][p - 1], f"only {train.shape[1]} components"
                continue
            yield f"{k} components", f"p = {p}", PUBLISHED[k][p - 1], error(train[:, :k], labels, test[:, :k], truth)


def features(context, degree, count):
    """Scores of the training and of the test images on the leading components."""
    pixels = 256  # gamma = 1/256 changes the kernel by a factor alone and keeps the numbers near 1
    context.mercer("kpca", "fit.npy", "--kernel", f"poly(degree={degree}, gamma={1 / pixels}, coef0=0)", "-k", count, "--model",
                   "digits.mercer")
    out = []
    for name in ("train", "test"):
        context.mercer("transform", "digits.mercer", f"{name}.npy", "--out", f"{name}_scores.npy")
        out.append(np.load(context.folder / f"{name}_scores.npy"))
    return out


def error(train, labels, test, truth):
    size = np.sqrt((train ** 2).sum(axis=1).mean())
    train, test = train / size, test / size
    c = choose_c(train, labels)
    return 100 * np.mean(machine(c).fit(train, labels).predict(test) != truth)


def choose_c(train, labels):
    folds = list(StratifiedKFold(3).split(train, labels))
    wrong = [sum(np.sum(machine(c).fit(train[a], labels[a]).predict(train[b]) != labels[b]) for a, b in folds) for c in CHOICES_OF_C]
    return CHOICES_OF_C[int(np.argmin(wrong))]


def machine(c):
    warnings.simplefilter("ignore", ConvergenceWarning)  # large C: the last digits of the margin change no class
    return LinearSVC(C=c, tol=1e-2, random_state=0, max_iter=1000)
