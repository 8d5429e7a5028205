#!/usr/bin/python3
"""Writes seeds/TARGET/NAME: small files of every format and text that the readers know, to begin fuzzing with.
The files are committed; this is how they were made. Models and graphs are made by the fuzzer itself."""
import gzip
import io
import pathlib
import struct
import zlib

import numpy as np
import scipy.sparse

HERE = pathlib.Path(__file__).resolve().parent
TABLE = np.arange(12.0).reshape(4, 3)


def put(target, name, content):
    folder = HERE / "seeds" / target
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())


def npy(array, version=None):
    out = io.BytesIO()
    np.lib.format.write_array(out, np.asarray(array), version=version)
    return out.getvalue()


def npz(save, *args, **arrays):
    out = io.BytesIO()
    save(out, *args, **arrays)
    return out.getvalue()


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(width, height, depth, color, rows, extra=b"", interlaced=0):
    header = struct.pack(">IIBBBBB", width, height, depth, color, 0, 0, interlaced)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + extra +
            chunk(b"IDAT", zlib.compress(b"".join(b"\0" + row for row in rows))) + chunk(b"IEND", b""))


def tables():
    texts = {
        "plain": "1,2,3\n4,5,6\n", "header": "a,b,class\n1,2,x\n3,4.5e-3,y\n", "last-line": "1,2\n3,4",
        "quotes": '"a","b ""q""",c\n1,2,3\n"4",5,6\n', "missing": "a,b\n1,NA\n,nan\n3,4\n?,5\n",
        "semicolon": "a;b\r\n1;2\r\n3;4\r\n", "comma-decimals": "a;b\n1,5;2,5\n3,25;4\n",
        "comments": "# hello\n1 2 3\n\n4 5 6\n", "bom": "\ufeffa,b\n1,2\n", "one": "7\n",
        "inf": "1,inf\n-1e400,0x10\n", "trailing": "1,2,\n3,4,\n", "wide": ",".join(["1"] * 300) + "\n",
        "ragged": "1,2\n3\n4,5,6\n", "words": "a,b\nx,1\ny,2\n"}
    for name, text in texts.items():
        put("csv", name, text)
    put("tsv", "plain", "1\t2\n3\t4\n")
    put("tsv", "header", "a\tb\tlabel\n1\t2\tred\n3\t\tblue\n")
    put("gz", "csv", gzip.compress(b"a,b\n1,2\n3,4\n", mtime=0))
    put("gz", "two", gzip.compress(b"1,2\n", mtime=0) + gzip.compress(b"3,4\n", mtime=0))
    put("gz", "cut", gzip.compress(b"1,2\n3,4\n" * 20, mtime=0)[:-6])
    put("gz", "not", "1,2\n3,4\n")
    svm = {"plain": "1 1:0.5 3:2\n-1 2:1\n+1 1:1 2:2 3:3\n", "comments": "0 1:1 # c\n\n2 4:1e-5\n",
           "qid": "1 qid:3 1:2 5:7\n", "large": "1 2147483648:1\n", "zero": "1 0:1 1:2\n", "word": "a 1:1\nb 2:1\n"}
    for name, text in svm.items():
        put("libsvm", name, text)


def arrays():
    kinds = {"double": "<f8", "float": "<f4", "int8": "i1", "uint16": "<u2", "big": ">f8", "half": "<f2",
             "int64": "<i8", "uint64": "<u8", "bool": "?", "complex": "<c8"}
    for name, kind in kinds.items():
        put("npy", name, npy(TABLE.astype(kind)))
    others = {"fortran": np.asfortranarray(TABLE), "three": np.arange(24.0).reshape(2, 3, 4), "one": np.arange(5.0),
              "scalar": 3.0, "empty": np.zeros((0, 3)), "text": np.array(["a", "bc"]),
              "nan": [[1, np.nan], [2, 3]]}
    for name, array in others.items():
        put("npy", name, npy(array))
    put("npy", "records", npy(np.zeros(2, dtype=[("a", "<f8"), ("b", "<i4", (2,))])))
    put("npy", "v2", npy(TABLE, (2, 0)))
    put("npy", "v3", npy(TABLE, (3, 0)))
    words = np.array(["p", "q", "p", "q"])
    put("npz", "data", npz(np.savez, data=TABLE))
    put("npz", "label", npz(np.savez_compressed, data=TABLE, columns=np.array(["u", "v", "w"]), label=words))
    put("npz", "two", npz(np.savez, a=TABLE, b=TABLE))
    put("npz", "fortran", npz(np.savez_compressed, data=np.asfortranarray(TABLE)))
    put("npz", "numbers", npz(np.savez, data=TABLE.astype("f4"), label=np.arange(4)))
    put("npz", "label-gap", npz(np.savez, data=TABLE, label=np.array([1, np.nan, 2, 1])))
    put("npz", "csr", npz(scipy.sparse.save_npz, scipy.sparse.csr_matrix(np.eye(4) * 2)))
    put("npz", "csc", npz(scipy.sparse.save_npz, scipy.sparse.csc_matrix(np.eye(4) * 2)))
    entries = {"plain": "1 1 1 2.5\n2 3 1 -1\n4 1 3 1e3\n", "comments": "# c\n1 2 3\n\n2 1 4\n",
               "twice": "1 1 2\n1 1 3\n", "four": "1 1 1 1 1\n2 2 2 3 7\n"}
    for name, text in entries.items():
        put("tns", name, text)


def images():
    put("pgm", "ascii", "P2\n# c\n3 2\n255\n0 1 2\n3 4 255\n")
    put("pgm", "raw", b"P5 3 2 255\n" + bytes(range(6)))
    put("pgm", "deep", b"P5\n2 2\n65535\n" + bytes(range(8)))
    put("pgm", "bits", "P2 1 1 1 1")
    put("png", "grey", png(3, 2, 8, 0, [bytes([1, 2, 3]), bytes([4, 5, 6])]))
    put("png", "rgb", png(2, 2, 8, 2, [bytes(range(6))] * 2))
    put("png", "rgba", png(1, 2, 8, 6, [bytes(4)] * 2))
    put("png", "deep", png(2, 1, 16, 0, [bytes([1, 2, 3, 4])]))
    put("png", "bits", png(8, 1, 1, 0, [b"\xaa"]))
    put("png", "grey-alpha", png(2, 1, 8, 4, [bytes(4)]))
    put("png", "palette", png(2, 1, 8, 3, [bytes([0, 1])], chunk(b"PLTE", bytes([255, 0, 0, 0, 255, 0]))))
    put("png", "interlaced", png(1, 1, 8, 0, [bytes([9])], interlaced=1))


TEXTS = {
    "kernel": ["rbf", "rbf(gamma=0.5)", "rbf(sigma=2) + 0.1*linear", "poly(degree=3, gamma=0.5, coef0=1)",
               "sigmoid(gamma=0.1, coef0=-1)", "cosine*laplacian(gamma=auto)", "matern32(length=2)", "matern52(1.5)",
               "rq(length=1, alpha=2)", "chi2(gamma=0.5)", "additive_chi2", "expr('exp(-sqdist)*(1+dot)^2')",
               "2*(rbf(gamma=median) + linear)*(cosine)", "precomputed", "user(mine)", "((rbf))"],
    "basis": ["poly(degree=2)", "monomials(degree=3)", "radial(count=2, gamma=1)",
              "radial(centers='0 0 0; 1 1 1', gamma=0.5)", "cosines(count=2, length=2)",
              "fourier(count=4, kernel='rbf(gamma=1)', kind=fourier)", "functions('x1^2', 'sin(x2)')",
              "x1^2, x1*x2, sin(x3)", "poly(degree=2, gamma=2, coef0=0) + cosines(count=1)", "user(mine)",
              "fourier(count=6, kernel=matern32(length=1))"],
    "formula": ["exp(-sqdist)", "dot^2+1", "(1+dot)^3*exp(-l1dist)", "x1^2", "sin(x1)*x2 + cos(x3)", "x1*x2/x3",
                "sqrt(abs(x1))", "max(x1,x2)", "if(x1>0,1,2)", "dot>1?2:3", "log(1+sqdist)", "rint(dot)", "1e308*10",
                "_pi*x1", "-x1^-2", "tanh(dot)+sinh(l1dist)"],
    "options": ["400M", "4G", "1.5GB", "123456", "10", "0.95", "auto", "lowrank", "standardize", "pivoted",
                "barnes-hut", "8,16,32", "1e18", "T"],
}

if __name__ == "__main__":
    tables()
    arrays()
    images()
    for target, lines in TEXTS.items():
        for number, line in enumerate(lines):
            put(target, f"{number:02}", line)
