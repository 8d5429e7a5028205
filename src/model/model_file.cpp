// Writing a model file, and understanding its header. (model_file_reader.cpp reads the parts.)
#include "model/model_file.hpp"

#include "model/report_embedding.hpp"
#include "model/saved_fields.hpp"

#include <mercer/error.hpp>
#include <mercer/version.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <memory>

namespace mercer {

namespace {

using safetensors::Sink;
using safetensors::Tensor;
constexpr Index write_chunk = Index{1} << 20;

template <class T>
std::size_t bytes_of(Index count) {
  return sizeof(T) * static_cast<std::size_t>(count);
}

/// Rows of any view, copied row-major through a small buffer.
template <class T, class View>
void emit_rows(const View& view, const Sink& sink) {
  if (view.size() == 0) return;
  const Index step = std::max<Index>(1, write_chunk / static_cast<Index>(bytes_of<T>(view.cols())));
  for (Index first = 0; first < view.rows(); first += step) {
    const Matrix<T> rows = view.middleRows(first, std::min(step, view.rows() - first));
    sink(rows.data(), bytes_of<T>(rows.size()));
  }
}

template <class T>
Tensor array_tensor(std::string name, std::vector<T> values) {
  const auto count = static_cast<Index>(values.size());
  auto owner = std::make_shared<const std::vector<T>>(std::move(values));
  auto emit = [owner](const Sink& sink) { sink(owner->data(), owner->size() * sizeof(T)); };
  return {std::move(name), safetensors::dtype_of<T>(), {count}, std::move(emit)};
}

}  // namespace

ModelWriter::ModelWriter(std::string method, Precision precision)
    : method_(std::move(method)), precision_(precision) {}

void ModelWriter::set(const std::string& name, nlohmann::json value) {
  if (parameters_.contains(name))
    throw Error(ErrorCode::internal, fmt::format("parameter '{}' is written twice", name));
  parameters_[name] = value.is_number_float() ? keep_number(value.get<double>()) : std::move(value);
}

void ModelWriter::add(Tensor tensor) {
  for (const auto& other : tensors_)
    if (other.name == tensor.name)
      throw Error(ErrorCode::internal, fmt::format("tensor '{}' is written twice", tensor.name));
  tensors_.push_back(std::move(tensor));
}

template <class T>
void ModelWriter::matrix(const std::string& name, const Matrix<T>& m) {
  add({name, safetensors::dtype_of<T>(), {m.rows(), m.cols()}, [&m](const Sink& sink) {
         sink(m.data(), bytes_of<T>(m.size()));
       }});
}

template <class T>
void ModelWriter::matrix(const std::string& name, Matrix<T>&& m) {
  auto owner = std::make_shared<const Matrix<T>>(std::move(m));
  add({name, safetensors::dtype_of<T>(), {owner->rows(), owner->cols()}, [owner](const Sink& sink) {
         sink(owner->data(), bytes_of<T>(owner->size()));
       }});
}

template <class T>
void ModelWriter::block(const std::string& name, const Block<T>& b) {
  add({name, safetensors::dtype_of<T>(), {b.rows(), b.cols()}, [&b](const Sink& sink) {
         emit_rows<T>(b, sink);
       }});
}

template <class T>
void ModelWriter::block(const std::string& name, Block<T>&& b) {
  auto owner = std::make_shared<const Block<T>>(std::move(b));
  add({name, safetensors::dtype_of<T>(), {owner->rows(), owner->cols()}, [owner](const Sink& sink) {
         emit_rows<T>(*owner, sink);
       }});
}

template <class T>
void ModelWriter::vector(const std::string& name, const Vector<T>& v) {
  add(array_tensor(name, std::vector<T>(v.data(), v.data() + v.size())));
}

template <class T>
void ModelWriter::array(const std::string& name, std::vector<T> values) {
  add(array_tensor(name, std::move(values)));
}

template <class T>
void ModelWriter::samples(const std::string& name, const Samples<T>& s) {
  if (!s.is_sparse()) {
    add({name, safetensors::dtype_of<T>(), {s.rows(), s.cols()}, [s](const Sink& sink) {
           emit_rows<T>(s.dense(), sink);
         }});
    return;
  }
  // A range of rows keeps the offsets of the whole; the file's begin at 0.
  set(name + ".cols", s.cols());
  add({name + ".values", safetensors::dtype_of<T>(), {s.stored()}, [s](const Sink& sink) {
         const auto csr = s.sparse();
         sink(csr.valuePtr() + csr.outerIndexPtr()[0], bytes_of<T>(s.stored()));
       }});
  add({name + ".columns", "I64", {s.stored()}, [s](const Sink& sink) {
         const auto csr = s.sparse();
         sink(csr.innerIndexPtr() + csr.outerIndexPtr()[0], bytes_of<std::int64_t>(s.stored()));
       }});
  const auto csr = s.sparse();
  std::vector<std::int64_t> rows(csr.outerIndexPtr(), csr.outerIndexPtr() + s.rows() + 1);
  for (auto& row : rows) row -= csr.outerIndexPtr()[0];
  array(name + ".rows", std::move(rows));
}

template <class T>
void ModelWriter::scaling(const Scaling<T>& s) {
  set("scaling.kind", std::string(name_of(s.kind)));
  vector("scaling.shift", s.shift);
  vector("scaling.factor", s.factor);
}

nlohmann::json ModelWriter::decomposition(const Decomposition& d) {
  nlohmann::json out = {{"shape", d.shape},
                        {"sample_mode", d.sample_mode},
                        {"ranks", d.ranks},
                        {"known", d.known},
                        {"kept", d.kept},
                        {"relative_error", keep_number(d.relative_error)},
                        {"explained", keep_number(d.explained)},
                        {"starts", d.starts},
                        {"warnings", d.warnings},
                        {"mode_values", d.mode_values.size()}};
  if (d.variance_explained) out["variance_explained"] = keep_number(*d.variance_explained);
  if (d.rms_error) out["rms_error"] = keep_number(*d.rms_error);
  if (d.core_consistency) out["core_consistency"] = keep_number(*d.core_consistency);
  vector("report.weights", d.weights);
  array("report.errors", d.errors);
  for (std::size_t m = 0; m < d.mode_values.size(); ++m)
    vector(fmt::format("report.mode_values.{}", m), d.mode_values[m]);
  return out;
}

template <class T>
void ModelWriter::nested(const std::string& name, const Model<T>& model) {
  ModelWriter part(model.method(), precision_of<T>);
  part.common(model.report_, model.label_, model.columns_);
  model.write(part);
  set(name, std::move(part.parameters_));
  for (Tensor& tensor : part.tensors_) {
    tensor.name = name + "/" + tensor.name;
    add(std::move(tensor));
  }
}

void ModelWriter::common(const Report& r, const std::optional<Label>& label,
                         const std::vector<std::string>& columns) {
  // What restore() would refuse to read is not written either.
  if (const std::string what = contradiction(r, ReportParts::any()); !what.empty())
    throw Error(ErrorCode::internal, what);
  if (label && !label->codes.empty() && static_cast<Index>(label->codes.size()) != r.n)
    throw Error(ErrorCode::internal,
                fmt::format("a label of {} rows on a model of {}", label->codes.size(), r.n));
  if (!columns.empty() && static_cast<Index>(columns.size()) != r.d)
    throw Error(ErrorCode::internal,
                fmt::format("{} column names on a model of {} columns", columns.size(), r.d));
  nlohmann::json seconds = nlohmann::json::array();
  for (const auto& [stage, time] : r.seconds) seconds.push_back({stage, keep_number(time)});
  nlohmann::json report = {{"n", r.n},
                           {"d", r.d},
                           {"components", r.components},
                           {"components_requested", r.components_requested},
                           {"kernel", r.kernel},
                           {"centered", r.centered},
                           {"trace", keep_number(r.trace)},
                           {"missed_rigorous", keep_number(r.missed.rigorous)},
                           {"missed_probable", keep_number(r.missed.probable)},
                           {"missed_delta", keep_number(r.missed.delta)},
                           {"converged", r.converged},
                           {"passes", r.passes},
                           {"rough_passes", r.rough_passes},
                           {"plan",
                            {{"route", name_of(r.plan.route)},
                             {"problem", r.plan.problem},
                             {"reason", r.plan.reason},
                             {"bytes", keep_number(r.plan.bytes)},
                             {"flops", keep_number(r.plan.flops)},
                             {"seconds", keep_number(r.plan.seconds)},
                             {"budget", r.plan.budget},
                             {"rejected", r.plan.rejected}}},
                           {"seconds", seconds},
                           {"peak_bytes", r.peak_bytes},
                           {"notes", r.notes}};
  if (r.min_eigenvalue) report["min_eigenvalue"] = keep_number(*r.min_eigenvalue);
  if (r.negative_share) report["negative_share"] = keep_number(*r.negative_share);
  if (r.bounds) {
    const EigenvalueBounds& b = *r.bounds;
    report["bounds"] = {{"delta", keep_number(b.delta)},
                        {"remaining_trace", keep_number(b.remaining_trace)},
                        {"rank", b.rank}};
    vector("report.bounds.low", b.low);
    vector("report.bounds.high", b.high);
    vector("report.bounds.rigorous_low", b.rigorous_low);
    vector("report.bounds.rigorous_high", b.rigorous_high);
  }
  if (r.features)
    report["features"] = {{"count", r.features->count},
                          {"orthogonal", r.features->orthogonal},
                          {"kernel_rms_error", keep_number(r.features->kernel_rms_error)},
                          {"pairs", r.features->pairs}};
  if (r.gaps)
    report["gaps"] = {{"known", r.gaps->known},
                      {"ridge", keep_number(r.gaps->ridge)},
                      {"known_error", keep_number(r.gaps->known_error)},
                      {"held_out", r.gaps->held_out},
                      {"held_out_error", keep_number(r.gaps->held_out_error)},
                      {"column_mean_error", keep_number(r.gaps->column_mean_error)},
                      {"sweeps", r.gaps->sweeps}};
  if (r.decomposition) report["decomposition"] = decomposition(*r.decomposition);
  if (r.end == End::smallest) report["end"] = "smallest";
  if (r.embedding) report["embedding"] = saved_embedding(*r.embedding);
  set("report", std::move(report));
  vector("report.gram_eigenvalues", r.gram_eigenvalues);
  vector("report.variances", r.variances);
  vector("report.explained_variance_ratio", r.explained_variance_ratio);
  vector("report.residuals", r.residuals);
  if (!columns.empty()) set("columns", columns);
  if (!label) return;
  set("label", {{"column", label->column}, {"names", label->names}});
  array("label.codes", label->codes);
  array("label.values", label->values);
}

void ModelWriter::write_file(const std::string& path) const {
  using Handler = nlohmann::json::error_handler_t;
  safetensors::write(path,
                     {{"format", "mercer"},
                      {"format_version", std::to_string(model_format_version)},
                      {"library_version", std::string(version)},
                      {"method", method_},
                      {"precision", std::string(name_of(precision_))},
                      {"parameters", parameters_.dump(-1, ' ', false, Handler::replace)}},
                     tensors_);
}

ModelFile::ModelFile(const std::string& path) : file_(path) {
  const auto& words = file_.metadata();
  if (const auto format = words.find("format"); format == words.end() || format->second != "mercer")
    throw Error(ErrorCode::bad_data, fmt::format("{} is not a Mercer model", path),
                "it is a safetensors file of another program");
  library_version_ = metadata("library_version");
  const std::string& format_version = metadata("format_version");
  int number = 0;
  const char* end = format_version.data() + format_version.size();
  if (const auto [rest, code] = std::from_chars(format_version.data(), end, number);
      code != std::errc{} || rest != end || number < 1)
    file_.damaged(fmt::format("its format_version is '{}', not a number", format_version));
  if (number > model_format_version)
    throw Error(
        ErrorCode::bad_data,
        fmt::format("{} was written by a newer mercer {}; this is {}, which reads format {} but not {}", path,
                    library_version_, version, model_format_version, format_version),
        "update mercer, or fit the model with this one");
  method_ = metadata("method");
  const std::string& precision = metadata("precision");
  if (precision != name_of(Precision::float32) && precision != name_of(Precision::float64))
    file_.damaged(fmt::format("its precision is '{}', neither float nor double", precision));
  precision_ = precision == name_of(Precision::float32) ? Precision::float32 : Precision::float64;
  try {
    parameters_ = safetensors::parse_strictly(metadata("parameters"));
  } catch (const Error& error) {
    file_.damaged("its list of parameters " + error.message());
  }
  if (!parameters_.is_object()) file_.damaged("its list of parameters is not a JSON object");
}

void ModelFile::narrow(const std::string& name, std::string method) {
  const auto part = parameters_.find(name);
  if (part == parameters_.end() || !part->is_object())
    file_.damaged(fmt::format("the {} model inside of it is missing", method));
  parameters_ = nlohmann::json(*part);
  file_.narrow(name + "/");
  method_ = std::move(method);
}

const std::string& ModelFile::metadata(const std::string& key) const {
  const auto found = file_.metadata().find(key);
  if (found == file_.metadata().end()) file_.damaged(fmt::format("its metadata lacks '{}'", key));
  return found->second;
}

#define MERCER_INSTANTIATE(T)                                                \
  template void ModelWriter::matrix(const std::string&, const Matrix<T>&);   \
  template void ModelWriter::matrix(const std::string&, Matrix<T>&&);        \
  template void ModelWriter::block(const std::string&, const Block<T>&);     \
  template void ModelWriter::block(const std::string&, Block<T>&&);          \
  template void ModelWriter::vector(const std::string&, const Vector<T>&);   \
  template void ModelWriter::samples(const std::string&, const Samples<T>&); \
  template void ModelWriter::scaling(const Scaling<T>&);                     \
  template void ModelWriter::nested(const std::string&, const Model<T>&);    \
  template void ModelWriter::array(const std::string&, std::vector<T>);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE
template void ModelWriter::array(const std::string&, std::vector<std::int32_t>);
template void ModelWriter::array(const std::string&, std::vector<std::int64_t>);

}  // namespace mercer
