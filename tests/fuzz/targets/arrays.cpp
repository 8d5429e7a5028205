// NumPy's files and sparse tensors: as tables and as N-way arrays.
#include "fuzz/targets.hpp"

#include <mercer/dataset.hpp>
#include <mercer/row_source.hpp>
#include <mercer/tensor_file.hpp>

#include <stdexcept>

namespace mercer::fuzz {

namespace {

template <class T>
void read_rows(const std::string& path, const ReadOptions& options) {
  attempt([&] {
    const Dataset<T> data = read_dataset<T>(path, options, small_run());
    if (data.samples.rows() * data.samples.cols() < (Index{1} << 18)) (void)data.samples.to_dense();
  });
  attempt([&] {
    const auto rows = open_rows<T>(path, options, 3, small_run());
    for (auto chunk = rows->next(); chunk.rows() > 0; chunk = rows->next())
      if (chunk.cols() != rows->cols()) throw std::logic_error("rows of another width");
  });
}

void read_arrays(const std::string& path) {
  read_rows<double>(path, {});
  read_rows<float>(path, {.label = "-1", .missing = Missing::drop});
  attempt([&] {
    const Shape shape = tensor_shape(path);
    attempt([&] {
      const auto x = read_tensor<double>(path, small_run());
      if (x.shape() != shape) throw std::logic_error("an array of another shape than its header");
      double sum = 0;
      for (Index i = 0; i < x.size(0); ++i) sum += x.slice(0, i).count() > 0 ? 1 : 0;
      (void)sum;
    });
  });
  attempt([&] { (void)read_tensor<float>(path, small_run()); });
}

}  // namespace

void fuzz_npy(Bytes bytes) { read_arrays(spill("array.npy", bytes)); }

void fuzz_npz(Bytes bytes) {
  const std::string path = spill("arrays.npz", bytes);
  read_arrays(path);
  read_arrays(path + ":data");
  read_rows<double>(path, {.label = "label"});
}

void fuzz_tns(Bytes bytes) {
  const std::string path = spill("entries.tns", bytes);
  attempt([&] {
    const auto x = read_sparse_tensor<double>(path, {}, small_run());
    if (x.stored() < 1000) (void)write_tensor(scratch_folder() + "/again.tns", x);
  });
  attempt([&] { (void)read_sparse_tensor<float>(path, Shape{4, 0, 3}, small_run()); });
}

}  // namespace mercer::fuzz
