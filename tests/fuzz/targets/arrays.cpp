// NumPy's files and sparse tensors: as tables and as N-way arrays.
#include "fuzz/both_ways.hpp"
#include "fuzz/targets.hpp"
#include "fuzz/ways.hpp"
#include "fuzz/wrapped.hpp"

#include <mercer/tensor_file.hpp>

#include <stdexcept>

namespace mercer::fuzz {

namespace {

constexpr unsigned array_ways = 4;

/// The ways from `first` on.
void read_arrays(const std::string& path, const Ways& ways, unsigned first = 0) {
  if (ways.at(first)) read_both_ways<double>(path, {}, 3);
  if (ways.at(first + 1)) read_both_ways<float>(path, {.label = "-1", .missing = Missing::drop}, 3);
  if (ways.at(first + 2))
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
  if (ways.at(first + 3)) attempt([&] { (void)read_tensor<float>(path, small_run()); });
}

/// An archive of the .npy files that begin after the first byte, which says how they are called.
std::string archive_of_arrays(Bytes bytes) {
  static const std::vector<std::vector<std::string>> names{
      {"data", "label", "columns"}, {"label", "data", "more"}, {"a", "b", "label"}, {"tensor", "data"}};
  const auto& called = names[static_cast<unsigned char>(bytes[0]) % names.size()];
  std::vector<std::pair<std::string, Bytes>> files;
  for (std::size_t at = 1; at < bytes.size() && files.size() < called.size();) {
    const std::size_t end = std::min(bytes.find("\x93NUMPY", at + 1), bytes.size());
    files.emplace_back(called[files.size()] + ".npy", bytes.substr(at, end - at));
    at = end;
  }
  return zip_archive(files);
}

}  // namespace

void fuzz_npy(Bytes bytes) { read_arrays(spill("array.npy", bytes), Ways(bytes, array_ways)); }

/// What does not begin as an archive does is made one.
void fuzz_npz(Bytes bytes) {
  const bool packed = bytes.empty() || bytes[0] == 'P';
  const std::string& path =
      packed ? spill("arrays.npz", bytes) : spill("arrays.npz", archive_of_arrays(bytes));
  constexpr unsigned with_label = 2 * array_ways;
  const Ways ways(bytes, with_label + 2);
  read_arrays(path, ways);
  read_arrays(path + ":data", ways, array_ways);
  if (ways.at(with_label)) read_both_ways<double>(path, {.label = "label"}, 3);
  if (ways.at(with_label + 1)) read_both_ways<float>(path, {.label = "label", .missing = Missing::drop}, 3);
}

void fuzz_tns(Bytes bytes) {
  const std::string& path = spill("entries.tns", bytes);
  const Ways ways(bytes, 8);
  if (ways.within(0, 5))
    attempt([&] {
      const auto x = read_sparse_tensor<double>(path, {}, small_run());
      if (!ways.at(0) || x.stored() > 1000) return;
      static const std::string written = scratch_folder() + "/again.tns";
      write_tensor(written, x);
      const auto again = read_sparse_tensor<double>(written, {}, small_run());
      if (again.shape() != x.shape() || again.values() != x.values())
        throw std::logic_error("a tensor changed on its way through a file");
    });
  if (ways.within(5, 8)) attempt([&] { (void)read_sparse_tensor<float>(path, Shape{4, 0, 3}, small_run()); });
}

}  // namespace mercer::fuzz
