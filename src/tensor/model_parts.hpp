// What models of N-way arrays write to their files besides matrices: shapes, and arrays as vec(X).
#pragma once

#include "model/model_file.hpp"

#include <mercer/tensor.hpp>

#include <string>

namespace mercer {

void write_shape(ModelWriter& writer, const std::string& name, const Shape& shape);
/// At least one size, none below 1, and a product that can be counted.
template <class T>
[[nodiscard]] Shape read_shape(const ModelReader<T>& reader, const std::string& name);
/// A mode of an array of this order.
template <class T>
[[nodiscard]] Index read_mode(const ModelReader<T>& reader, const std::string& name, const Shape& shape);
/// Damage unless the report's decomposition is of this array, with these ranks.
template <class T>
void require_decomposition(const ModelReader<T>& reader, const Report& report, const Shape& shape,
                           Index sample_mode, const Shape& ranks);

template <class T>
void write_array(ModelWriter& writer, const std::string& name, const Tensor<T>& x);
template <class T>
[[nodiscard]] Tensor<T> read_array(const ModelReader<T>& reader, const std::string& name, const Shape& shape);

}  // namespace mercer
