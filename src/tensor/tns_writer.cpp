// The writer of .tns: indices from 1, then the value in as few digits as bring it back exactly. What is
// stored of a sparse tensor goes out, zeros too (they may be observations); of a dense one what is not zero.
#include "data/text_output.hpp"
#include "tensor/tensor_formats.hpp"

#include <mercer/error.hpp>

#include <fmt/compile.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

namespace mercer {

namespace {

template <class T>
class TnsOutput {
 public:
  explicit TnsOutput(const Location& file) : where_(file.shown()), output_(file) {}

  void put(const Shape& index, T value) {
    if (!std::isfinite(value))
      throw Error(ErrorCode::bad_data,
                  fmt::format("{}: the value at ({}) is {}", where_, fmt::join(index, ", "), value),
                  ".tns holds finite numbers; .npy holds any");
    auto end = std::back_inserter(lines_);
    for (const Index i : index) fmt::format_to(end, FMT_COMPILE("{} "), i + 1);
    fmt::format_to(end, FMT_COMPILE("{}\n"), value);
    empty_ = false;
    if (lines_.size() >= (std::size_t{1} << 20)) flush();
  }

  void finish() {
    if (empty_)
      throw Error(ErrorCode::bad_data,
                  fmt::format("{}: there is no entry to write: all of them are zero", where_),
                  ".tns keeps no shape; .npy does");
    flush();
    output_.finish();
  }

 private:
  void flush() {
    output_.write(std::string_view(lines_.data(), lines_.size()));
    lines_.clear();
  }

  std::string where_;
  TextOutput output_;
  fmt::memory_buffer lines_;
  bool empty_ = true;
};

}  // namespace

template <class T>
void write_tns(const Location& file, const TensorView<T>& x) {
  TnsOutput<T> output(file);
  Shape index(x.shape().size(), 0);
  const T* at = x.data();
  for (Index done = 0; done < x.count(); ++done) {
    if (*at != 0) output.put(index, *at);
    for (auto m = static_cast<std::size_t>(x.order()); m-- > 0;) {  // the last index is the fastest
      at += x.strides()[m];
      if (++index[m] < x.shape()[m]) break;
      at -= x.shape()[m] * x.strides()[m];
      index[m] = 0;
    }
  }
  output.finish();
}

template <class T>
void write_tns(const Location& file, const SparseTensor<T>& x) {
  TnsOutput<T> output(file);
  x.for_each([&](const Shape& index, T value) { output.put(index, value); });
  output.finish();
}

template void write_tns(const Location&, const TensorView<float>&);
template void write_tns(const Location&, const TensorView<double>&);
template void write_tns(const Location&, const SparseTensor<float>&);
template void write_tns(const Location&, const SparseTensor<double>&);

}  // namespace mercer
