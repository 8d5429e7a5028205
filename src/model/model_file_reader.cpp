// Reading the parts of a model file back, each one checked.
#include "model/model_file.hpp"

#include "kernel/node.hpp"
#include "model/saved_fields.hpp"

#include <mercer/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace mercer {

namespace {

using safetensors::to_string;
constexpr std::size_t read_chunk = std::size_t{1} << 20;
constexpr Index max_columns = Index{1} << 40;  // CSR rows are as wide as they say, whatever the file's size

/// Stored row by row, wanted column by column.
template <class U>
Block<U> read_block(const safetensors::File& file, const safetensors::File::Entry& entry) {
  Block<U> out(entry.shape[0], entry.shape[1]);
  if (out.size() == 0) return out;
  const std::size_t row = sizeof(U) * static_cast<std::size_t>(out.cols());
  const auto step = static_cast<Index>(std::max<std::size_t>(1, read_chunk / row));
  Matrix<U> rows;
  for (Index first = 0; first < out.rows(); first += step) {
    rows.resize(std::min(step, out.rows() - first), out.cols());
    file.read(entry, static_cast<std::size_t>(first) * row, rows.data(),
              static_cast<std::size_t>(rows.rows()) * row);
    out.middleRows(first, rows.rows()) = rows;
  }
  return out;
}

Fields fields(const ModelFile& file) { return {file.file(), file.parameters()}; }

}  // namespace

template <class T>
ModelReader<T>::ModelReader(const std::string& path, LoadOptions options)
    : file_(path), options_(std::move(options)) {
  file_.file().verify_checksum();
  if (file_.precision() != precision_of<T>)
    throw Error(ErrorCode::usage,
                fmt::format("{} is a model in {}, not in {}", path, name_of(file_.precision()),
                            name_of(precision_of<T>)),
                fmt::format("load it with load_model<{}>; model_precision() tells which",
                            name_of(file_.precision())));
}

template <class T>
ModelReader<T>::ModelReader(const ModelReader& outer, const std::string& name, std::string method)
    : file_(outer.path()), options_(outer.options_) {
  file_.narrow(name, std::move(method));
}

template <class T>
bool ModelReader<T>::has(const std::string& name) const {
  return file_.file().tensors().contains(name) || fields(file_).has(name);
}

template <class T>
Fields ModelReader<T>::object(const std::string& name) const {
  return fields(file_).object(name);
}
template <class T>
auto ModelReader<T>::counts(const std::string& name) const -> Shape {
  return fields(file_).counts(name);
}
template <class T>
std::vector<std::string> ModelReader<T>::texts(const std::string& name) const {
  return fields(file_).texts(name);
}
template <class T>
double ModelReader<T>::positive(const std::string& name) const {
  const double value = number(name);
  if (!(value > 0) || !std::isfinite(value))
    damaged(fmt::format("parameter '{}' is {}, not a positive number", name, value));
  return value;
}
template <class T>
double ModelReader<T>::number(const std::string& name) const {
  return fields(file_).number(name);
}
template <class T>
Index ModelReader<T>::count(const std::string& name) const {
  return fields(file_).count(name);
}
template <class T>
bool ModelReader<T>::flag(const std::string& name) const {
  return fields(file_).flag(name);
}
template <class T>
std::string ModelReader<T>::text(const std::string& name) const {
  return fields(file_).text(name);
}

template <class T>
auto ModelReader<T>::tensor(const std::string& name, std::size_t dimensions) const -> const Entry& {
  const auto& all = file_.file().tensors();
  const auto found = all.find(name);
  if (found == all.end()) damaged(fmt::format("tensor '{}' is missing", name));
  if (found->second.shape.size() != dimensions)
    damaged(fmt::format("tensor '{}' is {}; it should have {} dimension{}", name,
                        to_string(found->second.shape), dimensions, dimensions == 1 ? "" : "s"));
  return found->second;
}

template <class T>
auto ModelReader<T>::tensor(const std::string& name, std::size_t dimensions, std::string_view dtype) const
    -> const Entry& {
  const Entry& entry = tensor(name, dimensions);
  if (entry.dtype != dtype) damaged(fmt::format("tensor '{}' is of {}, not of {}", name, entry.dtype, dtype));
  return entry;
}

template <class T>
template <class Numbers>
const Numbers& ModelReader<T>::finite(const Numbers& numbers, const std::string& name) const {
  if (!numbers.allFinite()) damaged(fmt::format("tensor '{}' has values that are not finite numbers", name));
  return numbers;
}

template <class T>
Matrix<T> ModelReader<T>::matrix(const std::string& name) const {
  const Entry& entry = tensor(name, 2, safetensors::dtype_of<T>());
  Matrix<T> out(entry.shape[0], entry.shape[1]);
  file_.file().read(entry, 0, out.data(), entry.end - entry.begin);
  return finite(out, name);
}

template <class T>
Block<T> ModelReader<T>::block(const std::string& name) const {
  return finite(read_block<T>(file_.file(), tensor(name, 2, safetensors::dtype_of<T>())), name);
}

template <class T>
Block<double> ModelReader<T>::wide_block(const std::string& name) const {
  return finite(read_block<double>(file_.file(), tensor(name, 2, safetensors::dtype_of<double>())), name);
}

template <class T>
template <class U>
std::vector<U> ModelReader<T>::array(const std::string& name, Values values) const {
  const Entry& entry = tensor(name, 1, safetensors::dtype_of<U>());
  std::vector<U> out(static_cast<std::size_t>(entry.shape[0]));
  file_.file().read(entry, 0, out.data(), entry.end - entry.begin);
  if constexpr (std::is_floating_point_v<U>)
    if (values == Values::finite)
      finite(Eigen::Map<const Vector<U>>(out.data(), static_cast<Index>(out.size())), name);
  return out;
}

template <class T>
Vector<double> ModelReader<T>::vector(const std::string& name, Values values) const {
  if (tensor(name, 1).dtype == "F32") {
    const auto narrow = array<float>(name, values);
    return Eigen::Map<const Vector<float>>(narrow.data(), static_cast<Index>(narrow.size()))
        .template cast<double>();
  }
  const auto wide = array<double>(name, values);
  return Eigen::Map<const Vector<double>>(wide.data(), static_cast<Index>(wide.size()));
}

template <class T>
SparseMatrix<T> ModelReader<T>::csr(const std::string& name) const {
  const Entry& values = tensor(name + ".values", 1, safetensors::dtype_of<T>());
  const Entry& columns = tensor(name + ".columns", 1, "I64");
  const auto shape = this->shape(name);
  if (columns.shape != values.shape)
    damaged(fmt::format("'{}' has {} values in {} columns", name, values.shape[0], columns.shape[0]));

  SparseMatrix<T> out(shape[0], shape[1]);
  const auto starts = array<std::int64_t>(name + ".rows");
  const std::int64_t stored = values.shape[0];
  if (starts.front() != 0 || starts.back() != stored || !std::is_sorted(starts.begin(), starts.end()))
    damaged(fmt::format("the rows of '{}' do not follow each other", name));
  std::copy(starts.begin(), starts.end(), out.outerIndexPtr());
  out.resizeNonZeros(stored);
  file_.file().read(columns, 0, out.innerIndexPtr(), columns.end - columns.begin);
  file_.file().read(values, 0, out.valuePtr(), values.end - values.begin);
  const std::int64_t* column = out.innerIndexPtr();
  if (std::any_of(column, column + stored, [&](std::int64_t c) { return c < 0 || c >= shape[1]; }))
    damaged(fmt::format("'{}' has an entry outside its {} columns", name, shape[1]));
  finite(Eigen::Map<const Vector<T>>(out.valuePtr(), stored), name + ".values");
  return out;
}

template <class T>
Samples<T> ModelReader<T>::samples(const std::string& name) const {
  if (file_.file().tensors().contains(name + ".rows")) return csr(name);
  return matrix(name);
}

template <class T>
safetensors::Shape ModelReader<T>::shape(const std::string& name) const {
  const auto& all = file_.file().tensors();
  if (const auto found = all.find(name); found != all.end()) return found->second.shape;
  if (!all.contains(name + ".rows")) damaged(fmt::format("tensor '{}' is missing", name));
  const Index starts = tensor(name + ".rows", 1, "I64").shape[0];
  const Index cols = count(name + ".cols");
  if (starts < 1 || cols > max_columns)
    damaged(fmt::format("'{}' cannot be {} rows of {} columns", name, starts - 1, cols));
  return {starts - 1, cols};
}

template <class T>
Index ModelReader<T>::length(const std::string& name) const {
  const Shape sides = shape(name);
  require(!sides.empty(), fmt::format("tensor '{}' is a single number", name));
  return sides.front();
}

template <class T>
void ModelReader<T>::require_shape(const std::string& name, const safetensors::Shape& expected) const {
  if (const auto found = shape(name); found != expected)
    damaged(fmt::format("'{}' is {}, not {}", name, to_string(found), to_string(expected)));
}

template <class T>
Scaling<T> ModelReader<T>::scaling() const {
  Scaling<T> out;
  const std::string kind = text("scaling.kind");
  try {
    out.kind = parse_scale(kind);
  } catch (const Error&) {
    damaged(fmt::format("its scaling is '{}'", kind));
  }
  out.shift = vector("scaling.shift");
  out.factor = vector("scaling.factor");
  require((out.factor.array() > 0).all(), "a factor of its scaling is not positive");
  const Index d = object("report").count("d");
  const bool fits = out.shift.size() == (out.kind == Scale::none ? 0 : d) &&
                    out.factor.size() == (out.kind == Scale::standardize ? d : 0);
  if (!fits)
    damaged(fmt::format("its scaling '{}' of {} columns has {} shifts and {} factors", kind, d,
                        out.shift.size(), out.factor.size()));
  return out;
}

template <class T>
Samples<T> ModelReader<T>::points(Index rows, const Scaling<T>& scaling) const {
  require_shape("points", {rows, object("report").count("d")});
  Samples<T> out = samples("points");
  require(!out.is_sparse() || scaling.kind == Scale::none, "its points are sparse and scaled");
  return out;
}

template <class T>
Kernel ModelReader<T>::kernel() const {
  Kernel out = kernel(text("kernel"));
  const std::string reported = object("report").text("kernel");
  require(kernel(reported) == out,
          fmt::format("its kernel is {}, and its report is of {}", out.to_string(), reported));
  require(out.is_resolved(), fmt::format("its kernel {} lacks its width", out.to_string()));
  return out;
}

template <class T>
Kernel ModelReader<T>::kernel(const std::string& text) const {
  const auto supplied = [&](const std::string& name) {
    const auto found = options_.kernels.find(name);
    if (found != options_.kernels.end()) return found->second;
    throw Error(ErrorCode::usage,
                fmt::format("{} needs your kernel '{}', which is saved by name only", path(), name),
                fmt::format("load it from C++ with LoadOptions::kernels[\"{}\"] = the kernel", name));
  };
  std::optional<Kernel> parsed;
  try {
    parsed = Kernel::parse(text);
  } catch (const Error& error) {
    damaged(fmt::format("its kernel cannot be read: {}", error.message()));
  }
  return with_user_kernels(*parsed, supplied);
}

template <class T>
std::optional<Label> ModelReader<T>::label() const {
  if (!has("label")) return std::nullopt;
  const Fields saved = fields(file_).object("label");
  Label out{saved.text("column"), saved.texts("names"), array<std::int32_t>("label.codes"),
            array<double>("label.values", Values::any)};
  const auto classes = static_cast<std::int64_t>(out.names.size());
  if (std::any_of(out.codes.begin(), out.codes.end(),
                  [&](std::int32_t code) { return code < 0 || code >= classes; }))
    damaged(fmt::format("label '{}' has a code outside its {} classes", out.column, classes));
  if (!out.values.empty() && out.values.size() != out.codes.size())
    damaged(
        fmt::format("label '{}' has {} values for {} rows", out.column, out.values.size(), out.codes.size()));
  return out;
}

template <class T>
void ModelReader<T>::restore(Model<T>& model, const ReportParts& parts) const {
  model.report_ = report();
  if (const std::string what = contradiction(model.report_, parts); !what.empty()) damaged(what);
  model.label_ = label();
  if (has("columns")) model.columns_ = fields(file_).texts("columns");
  const auto& r = model.report_;
  // Of a model that does not keep its points one by one the column alone is known.
  if (model.label_ && !model.label_->codes.empty() && static_cast<Index>(model.label_->codes.size()) != r.n)
    damaged(fmt::format("label '{}' has {} rows, the data had {}", model.label_->column,
                        model.label_->codes.size(), r.n));
  if (!model.columns_.empty() && static_cast<Index>(model.columns_.size()) != r.d)
    damaged(fmt::format("it names {} columns of {}", model.columns_.size(), r.d));
}

template class ModelReader<float>;
template class ModelReader<double>;
#define MERCER_INSTANTIATE(T, U) \
  template std::vector<U> ModelReader<T>::array(const std::string&, Values) const;
MERCER_INSTANTIATE(float, float)
MERCER_INSTANTIATE(float, double)
MERCER_INSTANTIATE(float, std::int32_t)
MERCER_INSTANTIATE(float, std::int64_t)
MERCER_INSTANTIATE(double, float)
MERCER_INSTANTIATE(double, double)
MERCER_INSTANTIATE(double, std::int32_t)
MERCER_INSTANTIATE(double, std::int64_t)
#undef MERCER_INSTANTIATE

}  // namespace mercer
