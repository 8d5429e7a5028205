// Names and sizes that the decompositions' commands need.
#include "tensor_fit.hpp"

#include "files.hpp"

#include <filesystem>

namespace mercer::app {

std::vector<std::string> score_names(const Report& report) {
  std::vector<std::string> names;
  const auto& d = report.decomposition;
  if (report.method == "svd2d" && d && d->ranks.size() == 2) {
    for (Index i = 1; i <= d->ranks[0]; ++i)
      for (Index j = 1; j <= d->ranks[1]; ++j) names.push_back(fmt::format("m{}_{}", i, j));
    return names;
  }
  if (!d || !report.kernel.empty()) return component_names(report.components);
  for (Index r = 1; r <= report.components; ++r) names.push_back(fmt::format("c{}", r));
  return names;
}

template <class T>
bool holds_stack(const std::string& path, const TensorModel<T>& model) {
  std::error_code unknown;
  if (is_sparse_tensor_file(path) || std::filesystem::is_directory(path, unknown)) return true;
  if (is_stream(path) || is_text_table(path)) return false;
  const Shape shape = tensor_shape(path);
  return shape.size() != 2 || shape == model.sample_shape() || model.sample_mode() != 0;
}

void require_room_for(const Shape& shape, std::size_t bytes_each, const Run& run) {
  const double bytes = static_cast<double>(element_count(shape)) * static_cast<double>(bytes_each);
  if (bytes <= static_cast<double>(run.memory_budget())) return;
  throw Error(ErrorCode::no_memory,
              fmt::format("all of {} is {:.3g} GB, more than the budget of {:.3g} GB", to_string(shape),
                          bytes / 1e9, static_cast<double>(run.memory_budget()) / 1e9),
              "leave out --reconstruct, or allow more with --memory");
}

template bool holds_stack(const std::string&, const TensorModel<float>&);
template bool holds_stack(const std::string&, const TensorModel<double>&);

}  // namespace mercer::app
