"""From a data frame to pictures: kernel PCA in a dozen steps. Each `# %%` is a cell for editors that show notebooks.

    /usr/bin/python3 examples/python/tour.py --out tour-output
"""
# %% The data: 600 handwritten digits as a data frame, the class beside the pixels.
import argparse
import pathlib

import matplotlib

matplotlib.use("Agg")  # pictures go to files
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

import mercer

HERE = pathlib.Path(__file__).resolve().parent
parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("tour-output"))
out = parser.parse_args().out
out.mkdir(parents=True, exist_ok=True)

names = [f"pixel{row}{column}" for row in range(8) for column in range(8)] + ["digit"]
digits = pd.read_csv(HERE.parent / "data" / "digits.csv.gz", header=None, names=names).sample(600, random_state=0)
label = digits.pop("digit")
digits = digits / 16
print(f"{len(digits)} digits of {digits.shape[1]} pixels, {label.nunique()} classes")

# %% Two components; names of columns come along, and scores are a data frame as well.
kpca = mercer.KernelPCA(n_components=2, kernel="rbf", gamma="median").set_output(transform="pandas")
scores = kpca.fit_transform(digits)
print(scores.head(3).round(3))
print(kpca.explain())

# %% What they look like.
figure, axes = plt.subplots(figsize=(6, 5))
points = axes.scatter(scores["kernelpca0"], scores["kernelpca1"], c=label, cmap="tab10", s=9)
axes.legend(*points.legend_elements(), title="digit", fontsize="small", loc="best")
axes.set(title=f"kernel PCA, {kpca.kernel_}", xlabel="component 1", ylabel="component 2")
figure.savefig(out / "scores.png", dpi=120)

# %% How many components? Each ratio is over the exact trace, and each eigenvalue has a residual.
many = mercer.KernelPCA(n_components=0.9, kernel="rbf", gamma="median").fit(digits)
print(f"{len(many.eigenvalues_)} components hold 90 % of the variance; largest residual {many.residuals_.max():.1e}")
figure, axes = plt.subplots(figsize=(6, 4))
axes.plot(np.arange(1, len(many.eigenvalues_) + 1), many.explained_variance_ratio_.cumsum())
axes.set(title="share of variance", xlabel="components", ylabel="cumulative share", ylim=(0, 1))
figure.savefig(out / "shares.png", dpi=120)

# %% Kernels are objects.
kernel = mercer.rbf(many.gamma_) + 0.1 * mercer.cosine()
print(kernel, "is", kernel.definiteness)
mixed = mercer.KernelPCA(n_components=2, kernel=kernel).fit(digits)
print("shares with it:", mixed.explained_variance_ratio_.round(3))

# %% Noise away: project onto the leading components, and come back.
noisy = np.clip(digits + 0.25 * np.random.RandomState(0).standard_normal(digits.shape), 0, 1)
denoiser = mercer.KernelPCA(n_components=32, kernel="rbf", gamma="median", fit_inverse_transform=True, inverse_method="auto")
clean = denoiser.fit(digits).inverse_transform(denoiser.transform(noisy))
error = lambda pixels: float(np.sqrt(np.mean((np.asarray(pixels) - digits.to_numpy()) ** 2)))
print(f"error of a pixel: {error(noisy):.3f} with noise, {error(clean):.3f} after")
figure, axes = plt.subplots(3, 10, figsize=(8, 2.6))
for row, pixels, name in zip(axes, (digits.to_numpy(), noisy.to_numpy(), clean), ("digit", "noisy", "denoised")):
    for image, place in zip(pixels[:10], row):
        place.imshow(image.reshape(8, 8), cmap="gray_r", vmin=0, vmax=1)
        place.set(xticks=[], yticks=[])
    row[0].set_ylabel(name, fontsize="small")
figure.savefig(out / "denoised.png", dpi=120)

# %% In a pipeline: gamma by cross-validation, of a classifier behind it.
train, test, train_label, test_label = train_test_split(digits, label, random_state=0, stratify=label)
pipeline = make_pipeline(mercer.KernelPCA(n_components=20, kernel="rbf"), KNeighborsClassifier())
search = GridSearchCV(pipeline, {"kernelpca__gamma": [0.001, 0.01, 0.1, 1.0]}, cv=3).fit(train, train_label)
accuracy = search.score(test, test_label)
print(f"gamma = {search.best_params_['kernelpca__gamma']}, {100 * accuracy:.1f} % of the test digits right")

# %% A file that the command line reads, too: mercer info tour-output/digits.mercer
kpca.save(out / "digits.mercer")
again = mercer.load(out / "digits.mercer")
assert np.allclose(again.transform(digits), scores)
print("pictures and the model are in", out)
