"""T7: how far 2D-SVD and GLRAM reconstruct the ORL faces."""
TITLE = "ORL faces, 400 of 112 x 92: root mean square reconstruction error"
SOURCE = "computed once with NumPy from the definitions (Ding and Ye 2005 for 2D-SVD, Ye 2005 for GLRAM), to be met to the printed digits"
PUBLISHED = {
    "2D-SVD": (("--center", "yes"), {10: 1951.55, 15: 1596.60, 20: 1357.59}),
    "2D-SVD, mean 0": (("--center", "no"), {10: 1964.55, 15: 1600.85, 20: 1360.44}),
    "GLRAM, mean 0": (("--center", "no", "--iterations", "100"), {10: 1958.73, 15: 1597.48, 20: 1356.66}),
}
NOTES = """The square root of the mean over faces of the squared Frobenius norm of what the reconstruction leaves out, grey values as they are
(0 to 255), as many row as column vectors."""


def table(context):
    faces = context.data("orl/faces.npy")
    for name, (options, errors) in PUBLISHED.items():
        for d, error in errors.items():
            yield name, f"d = {d}", error, context.report("svd2d", faces, "--ranks", f"{d},{d}", *options)["rms_error"]
