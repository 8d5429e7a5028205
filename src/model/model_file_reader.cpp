// Reading the parts of a model file back, each one checked.
#include "model/model_file.hpp"

#include "kernel/node.hpp"
#include "model/report_embedding.hpp"
#include "model/saved_fields.hpp"

#include <mercer/error.hpp>

#include <fmt/format.h>

#include <algorithm>

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
const nlohmann::json& ModelReader<T>::get(const std::string& name) const {
  return fields(file_).get(name);
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
Matrix<T> ModelReader<T>::matrix(const std::string& name) const {
  const Entry& entry = tensor(name, 2, safetensors::dtype_of<T>());
  Matrix<T> out(entry.shape[0], entry.shape[1]);
  file_.file().read(entry, 0, out.data(), entry.end - entry.begin);
  return out;
}

template <class T>
Block<T> ModelReader<T>::block(const std::string& name) const {
  return read_block<T>(file_.file(), tensor(name, 2, safetensors::dtype_of<T>()));
}

template <class T>
Block<double> ModelReader<T>::wide_block(const std::string& name) const {
  return read_block<double>(file_.file(), tensor(name, 2, safetensors::dtype_of<double>()));
}

template <class T>
template <class U>
std::vector<U> ModelReader<T>::array(const std::string& name) const {
  const Entry& entry = tensor(name, 1, safetensors::dtype_of<U>());
  std::vector<U> out(static_cast<std::size_t>(entry.shape[0]));
  file_.file().read(entry, 0, out.data(), entry.end - entry.begin);
  return out;
}

template <class T>
Vector<double> ModelReader<T>::vector(const std::string& name) const {
  if (tensor(name, 1).dtype == "F32") {
    const auto values = array<float>(name);
    return Eigen::Map<const Vector<float>>(values.data(), static_cast<Index>(values.size()))
        .template cast<double>();
  }
  const auto values = array<double>(name);
  return Eigen::Map<const Vector<double>>(values.data(), static_cast<Index>(values.size()));
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
  const Index d = fields(file_).object("report").count("d");
  const bool fits = out.shift.size() == (out.kind == Scale::none ? 0 : d) &&
                    out.factor.size() == (out.kind == Scale::standardize ? d : 0);
  if (!fits)
    damaged(fmt::format("its scaling '{}' of {} columns has {} shifts and {} factors", kind, d,
                        out.shift.size(), out.factor.size()));
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
Report ModelReader<T>::report() const {
  const Fields saved = fields(file_).object("report");
  const Fields plan = saved.object("plan");
  Report r;
  r.method = method();
  r.precision = precision_of<T>;
  r.n = saved.count("n");
  r.d = saved.count("d");
  r.components = saved.count("components");
  r.components_requested = saved.count("components_requested");
  r.kernel = saved.text("kernel");
  r.centered = saved.flag("centered");
  r.trace = saved.number("trace");
  r.missed = {saved.number("missed_rigorous"), saved.number("missed_probable"), saved.number("missed_delta")};
  if (saved.has("min_eigenvalue")) r.min_eigenvalue = saved.number("min_eigenvalue");
  if (saved.has("negative_share")) r.negative_share = saved.number("negative_share");
  r.converged = saved.flag("converged");
  r.passes = saved.count("passes");
  if (saved.has("rough_passes")) r.rough_passes = saved.count("rough_passes");
  r.seconds = saved.named_numbers("seconds");
  r.peak_bytes = static_cast<std::size_t>(saved.count("peak_bytes"));
  r.notes = saved.texts("notes");
  try {
    r.plan.route = parse_route(plan.text("route"));
  } catch (const Error&) {
    damaged(fmt::format("its route is '{}'", plan.text("route")));
  }
  r.plan.problem = plan.text("problem");
  r.plan.reason = plan.text("reason");
  r.plan.bytes = plan.number("bytes");
  r.plan.flops = plan.number("flops");
  r.plan.seconds = plan.number("seconds");
  r.plan.budget = static_cast<std::size_t>(plan.count("budget"));
  r.plan.rejected = plan.texts("rejected");
  r.gram_eigenvalues = vector("report.gram_eigenvalues");
  r.variances = vector("report.variances");
  r.explained_variance_ratio = vector("report.explained_variance_ratio");
  r.residuals = vector("report.residuals");
  if (saved.has("bounds")) {
    const Fields bounds = saved.object("bounds");
    r.bounds = EigenvalueBounds{.low = vector("report.bounds.low"),
                                .high = vector("report.bounds.high"),
                                .rigorous_low = vector("report.bounds.rigorous_low"),
                                .rigorous_high = vector("report.bounds.rigorous_high"),
                                .delta = bounds.number("delta"),
                                .remaining_trace = bounds.number("remaining_trace"),
                                .rank = bounds.count("rank")};
  }
  if (saved.has("features")) {
    const Fields features = saved.object("features");
    r.features = FeatureApproximation{.count = features.count("count"),
                                      .orthogonal = features.flag("orthogonal"),
                                      .kernel_rms_error = features.number("kernel_rms_error"),
                                      .pairs = features.count("pairs")};
  }
  if (saved.has("gaps")) {
    const Fields gaps = saved.object("gaps");
    r.gaps = GapEstimate{.known = gaps.count("known"),
                         .ridge = gaps.number("ridge"),
                         .known_error = gaps.number("known_error"),
                         .held_out = gaps.count("held_out"),
                         .held_out_error = gaps.number("held_out_error"),
                         .column_mean_error = gaps.number("column_mean_error"),
                         .sweeps = gaps.count("sweeps")};
  }
  if (saved.has("decomposition")) r.decomposition = decomposition();
  if (saved.has("end") && saved.text("end") == "smallest") r.end = End::smallest;
  if (saved.has("embedding")) r.embedding = restored_embedding(saved.object("embedding"));
  return r;
}

template <class T>
Decomposition ModelReader<T>::decomposition() const {
  const Fields saved = fields(file_).object("report").object("decomposition");
  Decomposition d;
  d.shape = saved.counts("shape");
  d.sample_mode = saved.count("sample_mode");
  d.ranks = saved.counts("ranks");
  d.known = saved.count("known");
  d.kept = saved.count("kept");
  d.relative_error = saved.number("relative_error");
  d.explained = saved.number("explained");
  d.starts = saved.count("starts");
  d.warnings = saved.texts("warnings");
  if (saved.has("variance_explained")) d.variance_explained = saved.number("variance_explained");
  if (saved.has("rms_error")) d.rms_error = saved.number("rms_error");
  if (saved.has("core_consistency")) d.core_consistency = saved.number("core_consistency");
  d.weights = vector("report.weights");
  d.errors = array<double>("report.errors");
  const auto modes = static_cast<std::size_t>(saved.count("mode_values"));
  const bool fits = static_cast<std::size_t>(d.sample_mode) < d.shape.size() &&
                    d.ranks.size() <= d.shape.size() && modes <= d.shape.size();
  if (!fits)
    damaged(fmt::format("its decomposition of {} modes has {} ranks, {} lists of values and sample mode {}",
                        d.shape.size(), d.ranks.size(), modes, d.sample_mode));
  for (std::size_t m = 0; m < modes; ++m)
    d.mode_values.push_back(vector(fmt::format("report.mode_values.{}", m)));
  return d;
}

template <class T>
std::optional<Label> ModelReader<T>::label() const {
  if (!has("label")) return std::nullopt;
  const Fields saved = fields(file_).object("label");
  Label out{saved.text("column"), saved.texts("names"), array<std::int32_t>("label.codes"),
            array<double>("label.values")};
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
void ModelReader<T>::restore(Model<T>& model) const {
  model.report_ = report();
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
#define MERCER_INSTANTIATE(T, U) template std::vector<U> ModelReader<T>::array(const std::string&) const;
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
