// Shapes and arrays in model files, checked when they are read.
#include "tensor/model_parts.hpp"

#include <fmt/format.h>

namespace mercer {

void write_shape(ModelWriter& writer, const std::string& name, const Shape& shape) {
  writer.set(name, shape);
}

template <class T>
Shape read_shape(const ModelReader<T>& reader, const std::string& name) {
  const Shape shape = reader.counts(name);
  return reader.made(fmt::format("parameter '{}'", name), [&] { return (void)element_count(shape), shape; });
}

template <class T>
Index read_mode(const ModelReader<T>& reader, const std::string& name, const Shape& shape) {
  const Index mode = reader.count(name);
  if (mode >= static_cast<Index>(shape.size()))
    reader.damaged(fmt::format("'{}' is mode {} of a {} array", name, mode, to_string(shape)));
  return mode;
}

template <class T>
void require_decomposition(const ModelReader<T>& reader, const Report& report, const Shape& shape,
                           Index sample_mode, const Shape& ranks) {
  const Decomposition& d = *report.decomposition;
  if (d.shape != shape || d.sample_mode != sample_mode || d.ranks != ranks)
    reader.damaged(fmt::format("its report is of a {} array of rank {}, its parts are of {} and {}",
                               to_string(d.shape), to_string(d.ranks), to_string(shape), to_string(ranks)));
}

template <class T>
void write_array(ModelWriter& writer, const std::string& name, const Tensor<T>& x) {
  writer.vector(name, x.values());
}

template <class T>
Tensor<T> read_array(const ModelReader<T>& reader, const std::string& name, const Shape& shape) {
  reader.require_shape(name, {element_count(shape)});
  return Tensor<T>(shape, reader.vector(name).template cast<T>());
}

#define MERCER_INSTANTIATE(T)                                                                    \
  template Shape read_shape(const ModelReader<T>&, const std::string&);                          \
  template Index read_mode(const ModelReader<T>&, const std::string&, const Shape&);             \
  template void require_decomposition(const ModelReader<T>&, const Report&, const Shape&, Index, \
                                      const Shape&);                                             \
  template void write_array(ModelWriter&, const std::string&, const Tensor<T>&);                 \
  template Tensor<T> read_array(const ModelReader<T>&, const std::string&, const Shape&);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
