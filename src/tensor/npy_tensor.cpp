// N-way arrays from and to .npy and .npz: used where they lie if the type fits, converted where not, written
// in C order a block at a time.
#include "base/atomic_file.hpp"
#include "data/npy_reader.hpp"
#include "data/npz_archive.hpp"
#include "data/npz_output.hpp"
#include "tensor/reorder.hpp"
#include "tensor/tensor_formats.hpp"

#include <mercer/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace mercer {

namespace {

template <class T>
TensorView<T> tensor_of(const NpyArray& array, const Run& run) {
  require_rows(array.header, array.where);  // an array of numbers, and not an empty one
  const Elements<T> elements = array_elements<T>(array, run);
  const Shape& shape = array.header.shape;
  return array.header.fortran ? TensorView<T>::first_fastest(elements.data, shape, elements.owner)
                              : TensorView<T>::last_fastest(elements.data, shape, elements.owner);
}

/// The one named; else the only array of numbers, else "tensor" (or "data", as tables call it), else the only
/// one of three axes or more, else of two.
const NpzArchive::Entry& choose_tensor(const NpzArchive& archive, const Location& file) {
  const NpzArchive::Entry* named = archive.find(file.array.empty() ? "tensor" : file.array);
  if (!file.array.empty()) {
    if (named != nullptr) return *named;
    throw Error(ErrorCode::usage, fmt::format("{}: no array '{}'", file.path, file.array), archive.list());
  }
  if (named == nullptr) named = archive.find("data");
  if (archive.entries().size() == 1) return archive.entries().front();
  for (const std::size_t least : {1, 3, 2}) {
    const NpzArchive::Entry* only = nullptr;
    int count = 0;
    for (const auto& e : archive.entries()) {
      if (!e.header.is_numeric() || e.header.shape.size() < least) continue;
      only = &e;
      ++count;
    }
    if (count == 1) return *only;
    if (named != nullptr) return *named;
  }
  throw Error(ErrorCode::usage, fmt::format("{}: which array is the tensor?", file.path),
              fmt::format("say {}:NAME; {}", file.path, archive.list()));
}

/// Elements that are put in order at once: enough that reading along the fastest mode of the source wastes
/// no cache lines, few enough that they are no burden.
constexpr Index block_elements = Index{1} << 21;

/// As C has it.
Shape last_fastest_modes(Index order) {
  Shape modes(static_cast<std::size_t>(order));
  std::iota(modes.rbegin(), modes.rend(), Index{0});
  return modes;
}

template <class T>
bool is_last_fastest(const TensorView<T>& x) {
  Index stride = 1;
  for (Index m = x.order(); m-- > 0; stride *= x.size(m))
    if (x.size(m) > 1 && x.stride(m) != stride) return false;
  return true;
}

template <class T>
void write_elements(AtomicFile& file, const TensorView<T>& x, std::vector<T>& buffer) {
  if (is_last_fastest(x)) {
    file.write(x.data(), static_cast<std::size_t>(x.count()) * sizeof(T));
  } else if (x.count() <= block_elements) {
    buffer.resize(static_cast<std::size_t>(x.count()));
    copy_in_order(x, last_fastest_modes(x.order()), buffer.data());
    file.write(buffer.data(), buffer.size() * sizeof(T));
  } else if (const Index slice = x.count() / x.size(0); x.order() > 1 && slice > block_elements) {
    for (Index i = 0; i < x.size(0); ++i) write_elements(file, x.slice(0, i), buffer);
  } else {
    const Index step = block_elements / slice;
    for (Index i = 0; i < x.size(0); i += step)
      write_elements(file, x.range(0, i, std::min(step, x.size(0) - i)), buffer);
  }
}

template <class T>
void write_array(AtomicFile& file, const TensorView<T>& x) {
  file.write(format_npy_header(sizeof(T) == 4 ? "<f4" : "<f8", x.shape()));
  std::vector<T> buffer;
  write_elements(file, x, buffer);
}

}  // namespace

Shape npy_tensor_shape(const Location& file) { return read_npy_header(file.path).shape; }

Shape npz_tensor_shape(const Location& file) {
  const NpzArchive archive(file.path);
  return choose_tensor(archive, file).header.shape;
}

template <class T>
TensorView<T> read_npy_tensor(const Location& file, const Run& run) {
  return tensor_of<T>(read_array(file.path), run);
}

template <class T>
TensorView<T> read_npz_tensor(const Location& file, const Run& run) {
  const NpzArchive archive(file.path);
  const NpyArray array = archive.read(choose_tensor(archive, file));
  archive.check_unchanged();
  return tensor_of<T>(array, run);
}

template <class T>
void write_npy_tensor(const Location& file, const TensorView<T>& x) {
  AtomicFile output(file.path);
  write_array(output, x);
  output.commit();
}

template <class T>
void write_npz_tensor(const Location& file, const TensorView<T>& x) {
  NpzOutput output(file.path);
  AtomicFile array(file.path);  // never committed: it goes when this function ends
  write_array(array, x);
  output.add_file(file.array.empty() ? "tensor" : file.array, array);
  output.finish();
}

template TensorView<float> read_npy_tensor(const Location&, const Run&);
template TensorView<double> read_npy_tensor(const Location&, const Run&);
template TensorView<float> read_npz_tensor(const Location&, const Run&);
template TensorView<double> read_npz_tensor(const Location&, const Run&);
template void write_npy_tensor(const Location&, const TensorView<float>&);
template void write_npy_tensor(const Location&, const TensorView<double>&);
template void write_npz_tensor(const Location&, const TensorView<float>&);
template void write_npz_tensor(const Location&, const TensorView<double>&);

}  // namespace mercer
