"""Readers, writers and generators."""
import numpy as np
import pandas as pd
import pytest
import scipy.sparse

import mercer


def test_a_table_comes_back_in_every_format(tmp_path):
    X = np.random.RandomState(0).standard_normal((20, 3))
    for ending in ("csv", "tsv", "npz", "csv.gz"):
        mercer.write(tmp_path / f"x.{ending}", X, columns=["a", "b", "c"], labels=["u", "v"] * 10, label="kind")
        data, labels, columns = mercer.read(tmp_path / f"x.{ending}", label="kind")
        np.testing.assert_array_equal(data, X)
        assert labels.tolist() == ["u", "v"] * 10 and columns == ["a", "b", "c"]


def test_labels_that_are_numbers_are_numbers(tmp_path):
    (tmp_path / "x.csv").write_text("a,y,z\n1,3,0.5\n2,1,2.5\n")
    assert mercer.read(tmp_path / "x.csv", label="y").labels.tolist() == [3, 1]
    assert mercer.read(tmp_path / "x.csv", label="y").labels.dtype == np.int64
    assert mercer.read(tmp_path / "x.csv", label=-1).labels.tolist() == [0.5, 2.5]
    assert mercer.read(tmp_path / "x.csv").labels is None


def test_gaps_are_refused_dropped_filled_or_kept(tmp_path):
    (tmp_path / "x.csv").write_text("a,b\n1,2\n,4\n5,6\n")
    with pytest.raises(ValueError, match="row|line"):
        mercer.read(tmp_path / "x.csv")
    assert mercer.read(tmp_path / "x.csv", missing="drop").data.tolist() == [[1, 2], [5, 6]]
    assert mercer.read(tmp_path / "x.csv", missing="mean").data[1].tolist() == [3, 4]
    assert np.isnan(mercer.read(tmp_path / "x.csv", missing="fit").data[1, 0])


def test_precision_transposing_and_mapping(tmp_path):
    X = np.arange(12.0).reshape(4, 3)
    np.save(tmp_path / "x.npy", X)
    assert mercer.read(tmp_path / "x.npy", dtype=np.float32).data.dtype == np.float32
    np.testing.assert_array_equal(mercer.read(tmp_path / "x.npy", transpose=True).data, X.T)
    ours = mercer.read(tmp_path / "x.npy").data
    ours[0, 0] = 99  # our own memory
    mapped = mercer.read(tmp_path / "x.npy", mmap=True).data
    np.testing.assert_array_equal(mapped, X)
    with pytest.raises(ValueError, match="read-only"):
        mapped[0, 0] = 99
    with pytest.raises(ValueError, match="float32"):
        mercer.read(tmp_path / "x.npy", dtype=int)


def test_libsvm_is_sparse(tmp_path):
    X = scipy.sparse.random(30, 8, 0.3, format="csr", random_state=0)
    mercer.write(tmp_path / "x.libsvm", X, labels=[1, 2, 3] * 10)
    data, labels, _ = mercer.read(tmp_path / "x.libsvm", label=0)
    assert scipy.sparse.issparse(data) and labels.tolist() == [1, 2, 3] * 10
    np.testing.assert_allclose(data.toarray(), X.toarray()[:, : data.shape[1]])


def test_a_data_frame_keeps_its_names(tmp_path):
    mercer.write(tmp_path / "x.csv", pd.DataFrame({"u": [1.0, 2.0], "v": [3.0, 4.0]}))
    assert mercer.read(tmp_path / "x.csv").columns == ["u", "v"]


def test_a_file_that_is_not_there_is_a_file_not_found_error(tmp_path):
    with pytest.raises(FileNotFoundError, match="nowhere"):
        mercer.read(tmp_path / "nowhere.csv")
    with pytest.raises(FileNotFoundError):
        mercer.load(tmp_path / "nowhere.mercer")


def test_arrays_come_back_in_every_format(tmp_path):
    X = np.random.RandomState(0).standard_normal((4, 5, 6))
    for ending in ("npy", "npz"):
        mercer.write_tensor(tmp_path / f"x.{ending}", X)
        np.testing.assert_array_equal(mercer.read_tensor(tmp_path / f"x.{ending}"), X)
    mapped = mercer.read_tensor(tmp_path / "x.npy", mmap=True)
    np.testing.assert_array_equal(mapped, X)
    assert not mapped.flags.writeable and mercer.read_tensor(tmp_path / "x.npy").flags.writeable
    sparse = mercer.sparse_tensor([[0, 1], [2, 0], [1, 1]], [1.5, 2.0])
    mercer.write_tensor(tmp_path / "x.tns", sparse)
    np.testing.assert_array_equal(mercer.read_tensor(tmp_path / "x.tns").to_dense(), sparse.to_dense())
    assert mercer.read_tensor(tmp_path / "x.tns", shape=(5, 5, 5)).shape == (5, 5, 5)


def test_everything_that_is_listed_can_be_made():
    for name in mercer.generators():
        make = mercer.generate_tensor if name in ("fluorescence", "spots") else mercer.generate
        assert make(name, 30).data.shape[0] > 0
        np.testing.assert_array_equal(make(name, 30, seed=5).data, make(name, 30, seed=5).data)
    assert mercer.generate("gaussians", 50, features=7, clusters=3).data.shape == (50, 7)
    with pytest.raises(ValueError, match="no-such-shape"):
        mercer.generate("no-such-shape")
