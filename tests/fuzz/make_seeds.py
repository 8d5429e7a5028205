#!/usr/bin/python3
"""Writes seeds/TARGET/NAME: small files of every format and text that the readers know, to begin fuzzing with.
The files are committed; this is how they were made. Models and graphs are made by the fuzzer itself."""
import gzip
import io
import pathlib
import struct
import zipfile
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


def header(text, version=1, length=None):
    """The beginning of a .npy file, with whatever header."""
    length = struct.pack("<H" if version == 1 else "<I", len(text) if length is None else length)
    return b"\x93NUMPY" + bytes([version, 0]) + length + text.encode()


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
        "ragged": "1,2\n3\n4,5,6\n", "words": "a,b\nx,1\ny,2\n",
        "empty": "", "no-rows": "\n \n", "only-comments": "# a\n# b\n", "only-header": "a,b\n", "only-label": "a\n1\n2\n",
        "open-quote": '"a,b\n1,2\n', "quote-junk": '1,2\n"3"x,4\n', "pipes": "1|2\n3|4\n", "tabs": "1\t2\n3\t4\n",
        "blanks": " 1 2  \n3\t4 \n 5 6 7\n", "blank-quotes": '1 "2"\n"3" "4"x\n', "prose": "some words here\nmore words there\n",
        "signs": "+1,2\n3,+-4\n", "small": "1e-400,1\n-0,2\n", "long-word": "1,2\n3," + "x" * 70 + "\n",
        "label-gap": "b,a\n1,NA\n2,x\n", "label-gap-last": "1,2\n3,NA\n4,?\n", "all-gaps": "NA,1,0\n2,NA,1\n",
        "empty-column": "b,c,a\nNA,1,x\nNA,2,y\n", "filled": "b,c,a\n1,NA,x\nNA,2,y\n", "numbers-label": "b,a\n1,2.0\n3,2\n4,-0\n5,0\n",
        "label-quotes": 'b,a\n1,"x ""y"""\n2,z\n', "class-inside": "a b,it's,c\nx,1,2\nnot,z,3\nq,1,2\n", "decimal-comma": "1 2,5\n3 4\n5,5 1\n",
        "too-wide": ",".join("a" * 40) + "\n" + "1\n" * 3, "many-names": ",".join(f"n{i}" for i in range(25)) + "\n" + "1," * 24 + "x\n"}
    put("csv", "utf-16", b"\xff\xfe1\0,\0002\0")
    put("csv", "utf-16-big", b"\xfe\xff\0001\0,")
    for name, text in texts.items():
        put("csv", name, text)
    for name in ("quotes", "missing", "label-gap", "all-gaps", "open-quote", "quote-junk", "empty-column", "filled", "trailing"):
        put("tsv", name, texts[name].replace(",", "\t"))
    put("tsv", "plain", "1\t2\n3\t4\n")
    put("tsv", "header", "a\tb\tlabel\n1\t2\tred\n3\t\tblue\n")
    put("gz", "csv", gzip.compress(b"a,b\n1,2\n3,4\n", mtime=0))
    put("gz", "two", gzip.compress(b"1,2\n", mtime=0) + gzip.compress(b"3,4\n", mtime=0))
    put("gz", "cut", gzip.compress(b"1,2\n3,4\n" * 20, mtime=0)[:-6])
    put("gz", "not", "\x1f1,2\n3,4\n")
    put("gz", "text", "a,b\n1,2\n.\n3,4\n")
    put("gz", "junk", gzip.compress(b"1,2\n3,4\n", mtime=0) + b"junk")
    put("gz", "many-lines", gzip.compress(b"1.5,2.5,3.5\n" * 30000, mtime=0))
    put("gz", "long-line", gzip.compress(b"1,2\n3," + b" " * 300000 + b"4\n" + b"5,6\n" * 20000, mtime=0))
    svm = {"plain": "1 1:0.5 3:2\n-1 2:1\n+1 1:1 2:2 3:3\n", "comments": "0 1:1 # c\n\n2 4:1e-5\n",
           "qid": "1 qid:3 1:2 5:7\n", "large": "1 2147483648:1\n", "zero": "1 0:1 1:2\n", "word": "a 1:1\nb 2:1\n",
           "empty": "", "no-rows": "# a\n\n", "no-values": "1\n2\n", "no-targets": "1:1 2:2\n3:1\n", "mixed": "1 1:1\n1:1\n",
           "mixed-2": "1:1\n1 1:1\n", "order": "1 2:1 1:1\n", "twice": "1 2:1 2:1\n", "index": "1 a:1\n", "value": "1 1:x\n",
           "inf": "1 1:inf\n", "gap": "1 1:1 2:nan\n2 1:3\n", "target-gap": "NA 1:1\n2 1:2\n", "all-gaps": "? 1:1\n", "no-colon": "1 1\n",
           "bom": "\ufeff1 1:1\n", "lines": "1 1:2\r\n2 2:1", "many": "".join(f"{i % 3} {i % 7 + 1}:{i}\n" for i in range(60))}
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
    broken = {
        "void": "{'descr': '|V8', 'fortran_order': False, 'shape': (1,), }",
        "list": "{'descr': [('a', '<f8'), ('b', [('c', '<i4')]], 'fortran_order': False, 'shape': (1,), }",
        "open-list": "{'descr': [('a', '<f8'",
        "objects": "{'descr': '|O', 'fortran_order': False, 'shape': (1,), }",
        "axes": "{'descr': '|u1', 'fortran_order': False, 'shape': (" + "1, " * 65 + "), }",
        "many-axes": "{'descr': '|u1', 'fortran_order': True, 'shape': (" + "1, " * 64 + "), }",
        "negative": "{'descr': '|u1', 'fortran_order': False, 'shape': (-1, 2), }",
        "old-numbers": "{'descr': '|u1', 'fortran_order': False, 'shape': (1L, 1L), }",
        "overflow": "{'descr': '<f8', 'fortran_order': False, 'shape': (4294967296, 4294967296), }",
        "key": "{'descr': '<f8', 'colour': 1}",
        "few-keys": "{'descr': '<f8'}",
        "order": "{'descr': '<f8', 'fortran_order': 1, 'shape': (1,), }",
        "no-type": "{'descr': '', 'fortran_order': False, 'shape': (1,), }",
        "no-kind": "{'descr': '<', 'fortran_order': False, 'shape': (1,), }",
        "size": "{'descr': '<f0', 'fortran_order': False, 'shape': (1,), }",
        "large-size": "{'descr': '<f999999999', 'fortran_order': False, 'shape': (1,), }",
        "odd-size": "{'descr': '<f8x', 'fortran_order': False, 'shape': (1,), }",
        "odd-integers": "{'descr': '<i3', 'fortran_order': False, 'shape': (1,), }",
        "dates": "{'descr': '<M8[ns]', 'fortran_order': False, 'shape': (1,), }",
        "no-quote": "{'descr': <f8}", "no-end": "{'descr", "no-colon": "{'descr' '<f8'}", "no-tuple": "{'shape': [1]}",
        "no-number": "{'shape': (a,)}", "no-brace": "{'shape': (1,) ;", "no-bracket": "{'shape': (1 2)}"}
    for name, text in broken.items():
        put("npy", name, header(text) + b"\0")
    put("npy", "version", header("{}", 4))
    put("npy", "cut", header("{}", 1, 100))
    put("npy", "cut-v2", b"\x93NUMPY\2\0\1\0")
    put("npy", "cut-v1", b"\x93NUMPY\1\0\1")
    put("npy", "not", "1,2,3\n")
    for name, kind in {"int16": "<i2", "int32": "<i4", "uint8": "u1", "uint32": "<u4", "big-int": ">i8"}.items():
        put("npy", name, npy(TABLE.astype(kind)))
    put("npy", "fortran-three", npy(np.asfortranarray(np.arange(24.0).reshape(2, 3, 4))))
    put("npy", "fortran-float", npy(np.asfortranarray(TABLE.astype("f4"))))
    put("npy", "fortran-column", npy(np.asfortranarray(TABLE[:, :1])))
    put("npy", "inf", npy([[1, np.inf], [2, 3]]))
    put("npy", "label-inf", npy([[1, 2, np.inf], [2, 3, 4]]))
    put("npy", "label-nan", npy([[1, 2, np.nan], [2, 3, 4]]))
    put("npy", "bytes", npy(np.array([b"a", b"bc"])))
    put("npy", "too-long", npy(TABLE) + b"junk")
    put("npy", "too-short", npy(TABLE)[:-1])
    put("npy", "v2", npy(TABLE, (2, 0)))
    put("npy", "v3", npy(TABLE, (3, 0)))
    words = np.array(["p", "q", "p", "q"])
    put("npz", "data", npz(np.savez, data=TABLE))
    put("npz", "label", npz(np.savez_compressed, data=TABLE, columns=np.array(["u", "v", "w"]), label=words))
    put("npz", "two", npz(np.savez, a=TABLE, b=TABLE))
    put("npz", "fortran", npz(np.savez_compressed, data=np.asfortranarray(TABLE)))
    put("npz", "numbers", npz(np.savez, data=TABLE.astype("f4"), label=np.arange(4)))
    put("npz", "label-gap", npz(np.savez, data=TABLE, label=np.array([1, np.nan, 2, 1])))
    names, wide, gaps = np.array(["u", "\u00e9", "\u20ac\U0001f600"]), np.array([b"u", b"v", b"w"]), np.array([1, np.nan, 2, 1])
    arrays = {"label": [" ", TABLE, words, names], "label-gaps": [" ", TABLE, gaps], "label-inf": [" ", TABLE, gaps * np.inf],
              "label-first": ["!", gaps, TABLE], "labels-few": [" ", TABLE, np.arange(3)], "bytes": [" ", TABLE, words, wide],
              "columns-few": [" ", TABLE, words, words], "columns-numbers": [" ", TABLE, words, np.arange(3)],
              "label-complex": [" ", TABLE, np.zeros(4, "c8")], "label-big": [" ", TABLE, words.astype(">U2")],
              "all-gaps": [" ", TABLE, gaps * np.nan], "tensor": ["#", np.arange(24.0).reshape(2, 3, 4), TABLE],
              "two-tables": ['"', TABLE, TABLE, words], "only-texts": ['"', words, words],
              "axes": ['"', np.arange(24.0).reshape(2, 3, 4), TABLE, words], "fortran": [" ", np.asfortranarray(TABLE), gaps],
              "fortran-label": ['"', np.asfortranarray(TABLE), words], "rows": ["!", TABLE[:, 0], TABLE]}
    for name, (first, *parts) in arrays.items():
        put("npz", f"of-{name}", first.encode() + b"".join(map(npy, parts)))
    put("npz", "empty", "")
    put("npz", "no-arrays", npz(lambda out: zipfile.ZipFile(out, "w").writestr(zipfile.ZipInfo("a.txt"), "a")))
    put("npz", "crc", npz(np.savez, data=TABLE).replace(struct.pack("<d", 7), struct.pack("<d", 8)))
    put("npz", "cut", npz(np.savez, data=TABLE)[:-3])
    put("npz", "csr", npz(scipy.sparse.save_npz, scipy.sparse.csr_matrix(np.eye(4) * 2)))
    put("npz", "csc", npz(scipy.sparse.save_npz, scipy.sparse.csc_matrix(np.eye(4) * 2)))
    entries = {"plain": "1 1 1 2.5\n2 3 1 -1\n4 1 3 1e3\n", "comments": "# c\n1 2 3\n\n2 1 4\n",
               "twice": "1 1 2\n1 1 3\n", "four": "1 1 1 1 1\n2 2 2 3 7\n",
               "empty": "", "only-comments": "# a\n\n", "one-field": "1\n", "vector": "1 2\n3 4\n", "zero": "0 1 2 3\n",
               "word": "1 a 1 2\n", "value": "1 1 1 x\n", "nan": "1 1 1 nan\n", "inf": "1 1 1 -inf\n", "ragged": "1 1 1 1\n1 1 1\n",
               "ragged-2": "1 1 1 1\n1 1 1 1 1\n", "large": "4294967295 1 1 1\n", "too-large": "1 4294967296 1 1\n",
               "far-too-large": "1 99999999999999999999999 1 1\n", "beyond": "5 1 1 1\n", "signs": "1 1 1 +3\n1 1 1 -0\n",
               "small": "1 1 1 1e-400\n", "behind": "1 1 1 2 # c\n1 1 1 2#c\n", "bom": "\ufeff1 1 1 2\n", "long-word": "1 1 1 " + "x" * 70,
               "long-index": "1 " + "x" * 70 + " 1 1\n", "order": "4 3 3 1\n1 1 1 2\n2 9 1 3\n1 1 1 5\n1 2 1 4\n", "blanks": "\t1 1  1\t2 \r\n"}
    for name, text in entries.items():
        put("tns", name, text)


def images():
    put("pgm", "ascii", "P2\n# c\n3 2\n255\n0 1 2\n3 4 255\n")
    put("pgm", "raw", b"P5 3 2 255\n" + bytes(range(6)))
    put("pgm", "deep", b"P5\n2 2\n65535\n" + bytes(range(8)))
    put("pgm", "bits", "P2 1 1 1 1")
    broken = {"magic": "P3 1 1 1 1", "empty": "", "cut": "P2 3", "no-width": "P2 x 1 1 1", "width": "P2 0 1 1 1", "negative": "P2 -1 1 1 1",
              "white": "P2 1 1 70000 1", "no-white": "P2 1 1 0 0", "short": "P2 2 1 255 7", "too-short": "P2 9 9 255 7", "pixel": "P2 1 1 9 10",
              "long": "P2 1 1 9 8 7", "raw-long": "P5 1 1 255 abc", "huge": "P2 4294967296 4294967296 1 1", "joined": "P2 1 1 9x 1",
              "comment": "P2#a\n1#b\n1#c\n9#d\n5#e", "pair": "P2 2 1 255 3 4", "pair-white": "P2 2 1 25 3 4", "raw-pixel": "P5 1 1 9 a"}
    for name, text in broken.items():
        put("pgm", name, text)
    put("pgm", "deep-pixel", b"P5 1 1 300 \xff\xff")
    put("png", "grey", png(3, 2, 8, 0, [bytes([1, 2, 3]), bytes([4, 5, 6])]))
    put("png", "rgb", png(2, 2, 8, 2, [bytes(range(6))] * 2))
    put("png", "rgba", png(1, 2, 8, 6, [bytes(4)] * 2))
    put("png", "deep", png(2, 1, 16, 0, [bytes([1, 2, 3, 4])]))
    put("png", "bits", png(8, 1, 1, 0, [b"\xaa"]))
    put("png", "grey-alpha", png(2, 1, 8, 4, [bytes(4)]))
    put("png", "palette", png(2, 1, 8, 3, [bytes([0, 1])], chunk(b"PLTE", bytes([255, 0, 0, 0, 255, 0]))))
    put("png", "pair", png(2, 1, 8, 0, [bytes([1, 2])]))
    put("png", "deep-rgb", png(1, 1, 16, 2, [bytes(range(6))]))
    put("png", "deep-pair", png(2, 1, 16, 0, [bytes(4)]))
    put("png", "huge", png(50000, 50000, 8, 0, [b"1"]))
    put("png", "few-rows", png(2, 3, 8, 0, [b"12"]))
    put("png", "no-palette", png(2, 1, 8, 3, [bytes([0, 1])]))
    put("png", "transparent", png(2, 1, 8, 3, [bytes([0, 1])], chunk(b"PLTE", bytes(6)) + chunk(b"tRNS", b"\0\1")))
    put("png", "gamma", png(2, 1, 8, 0, [bytes([1, 2])], chunk(b"gAMA", struct.pack(">I", 45455)) + chunk(b"tEXt", b"a\0b")))
    put("png", "bits-4", png(3, 1, 4, 0, [b"\x12\x30"]))
    put("png", "empty", "")
    put("png", "not", "GIF89a")
    put("png", "cut", png(3, 2, 8, 0, [bytes(3)] * 2)[:40])
    put("png", "large-interlaced", png(9, 9, 8, 0, [bytes(9)] * 20, interlaced=1))
    put("png", "interlaced", png(1, 1, 8, 0, [bytes([9])], interlaced=1))


def models():
    def model(text, length=None):
        return struct.pack("<Q", len(text) if length is None else length) + text.encode()

    headers = {"empty": "{}", "nested": "[" * 40 + "]" * 40, "nested-objects": '{"a":' * 20 + "1" + "}" * 20, "text": '"a"',
               "not-json": "{a}", "no-version": '{"__metadata__":{"format":"mercer"}}', "numbers": '{"__metadata__":{"a":1}}',
               "no-tensor": '{"__metadata__":{},"a":1}', "odd-tensor": '{"a":{"dtype":"F16","shape":[1],"data_offsets":[0,2]}}',
               "negative": '{"a":{"dtype":"F64","shape":[-1],"data_offsets":[0,8]}}',
               "offsets": '{"a":{"dtype":"F64","shape":[1],"data_offsets":[8,0]}}',
               "twice": '{"a":{"dtype":"F64","shape":[0],"data_offsets":[0,0]},"a":{"dtype":"F64","shape":[0],"data_offsets":[0,0]}}',
               "overflow": '{"a":{"dtype":"F64","shape":[4294967296,4294967296],"data_offsets":[0,8]}}'}
    for name, text in headers.items():
        put("model", name, model(text))
    put("model", "short", "1234")
    put("model", "longer", model("{}", 1000))
    put("model", "huge", model("{}", 1 << 60))


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
    models()
    for target, lines in TEXTS.items():
        for number, line in enumerate(lines):
            put(target, f"{number:02}", line)
