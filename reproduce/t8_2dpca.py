"""T8: recognising the ORL faces by 2DPCA and by PCA, with one to five training images a person."""
import numpy as np

TITLE = "ORL faces, share of the other images recognised (%), by nearest neighbour, each method at its best number of components"
SOURCE = "Yang, Zhang, Frangi, Yang, 'Two-dimensional PCA', IEEE PAMI 26(1), 2004, table 1"
PUBLISHED = {1: (66.9, 76.7), 2: (84.7, 89.1), 3: (88.2, 91.8), 4: (90.8, 95.0), 5: (93.5, 96.0)}
PEOPLE, IMAGES, HEIGHT = 40, 10, 112
NOTES = """The first images of each person train, the others are to be recognised. PCA: components of the pixels, Euclidean distance. 2DPCA:
svd2d with all rows kept and q column vectors, the distance between two faces being the sum of the distances of their q projected
columns, as in the paper. What the paper shows, and this must too: 2DPCA recognises more than PCA for every number of training images."""


def split(faces, count):
    place = np.arange(len(faces)) % IMAGES < count
    return faces[place], faces[~place], np.arange(len(faces))[place] // IMAGES, np.arange(len(faces))[~place] // IMAGES


def recognised(distances, train_labels, test_labels):
    return 100 * np.mean(train_labels[np.argmin(distances, axis=1)] == test_labels)


def scores(context, command, train, test, *options):
    """Those of the training and of the test images."""
    np.save(context.folder / "t8_train.npy", train)
    np.save(context.folder / "t8_test.npy", test)
    context.mercer(command, "t8_train.npy", *options, "--model", "t8.mercer", "--out", "t8_a.npy", "--quiet")
    context.mercer("transform", "t8.mercer", "t8_test.npy", "--out", "t8_b.npy", "--quiet")
    return np.load(context.folder / "t8_a.npy"), np.load(context.folder / "t8_b.npy")


def pca(context, train, test, labels):
    flat = [part.reshape(len(part), -1).astype(float) for part in (train, test)]
    a, b = scores(context, "pca", *flat, "-k", min(100, len(train) - 1))
    squares = np.cumsum((b[:, None, :] - a[None, :, :]) ** 2, axis=2)
    return max(recognised(squares[:, :, k], *labels) for k in range(a.shape[1]))


def two_dimensional(context, train, test, labels, most=10):
    a, b = (part.reshape(len(part), HEIGHT, most) for part in scores(context, "svd2d", train, test, "--ranks", f"all,{most}"))
    columns = np.stack([np.linalg.norm(b[:, None, :, k] - a[None, :, :, k], axis=2) for k in range(most)])
    return max(recognised(columns[:q].sum(axis=0), *labels) for q in range(1, most + 1))


def table(context):
    faces = np.load(context.data("orl/faces.npy"))
    for count, (linear, matrix) in PUBLISHED.items():
        if context.quick and count not in (1, 3, 5):
            continue
        train, test, *labels = split(faces, count)
        yield f"{count} training images", "PCA", linear, pca(context, train, test, labels)
        yield f"{count} training images", "2DPCA", matrix, two_dimensional(context, train, test, labels)
