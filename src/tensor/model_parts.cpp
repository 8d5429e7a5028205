// Shapes and arrays in model files, checked when they are read.
#include "tensor/model_parts.hpp"

#include <fmt/format.h>

namespace mercer {

void write_shape(ModelWriter& writer, const std::string& name, const Shape& shape) {
  writer.set(name, shape);
}

template <class T>
Shape read_shape(const ModelReader<T>& reader, const std::string& name) {
  const nlohmann::json& sizes = reader.get(name);
  const auto bad = [&]() { reader.damaged(fmt::format("parameter '{}' is not a shape", name)); };
  if (!sizes.is_array() || sizes.empty()) bad();
  Shape shape;
  for (const auto& size : sizes) {
    if (!size.is_number_integer()) bad();
    shape.push_back(size.template get<Index>());
  }
  try {
    (void)element_count(shape);
  } catch (const Error&) {
    bad();
  }
  return shape;
}

template <class T>
Index read_mode(const ModelReader<T>& reader, const std::string& name, const Shape& shape) {
  const Index mode = reader.count(name);
  if (mode >= static_cast<Index>(shape.size()))
    reader.damaged(fmt::format("'{}' is mode {} of a {} array", name, mode, to_string(shape)));
  return mode;
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

#define MERCER_INSTANTIATE(T)                                                        \
  template Shape read_shape(const ModelReader<T>&, const std::string&);              \
  template Index read_mode(const ModelReader<T>&, const std::string&, const Shape&); \
  template void write_array(ModelWriter&, const std::string&, const Tensor<T>&);     \
  template Tensor<T> read_array(const ModelReader<T>&, const std::string&, const Shape&);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
