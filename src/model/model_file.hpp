// The model file: what a model knows, as named parameters (JSON) and tensors in safetensors layout,
// so that Python's safetensors package opens it too. A method's write() and read() mirror each other:
//
//     writer.set("kernel", kernel_.to_string());   kernel_ = reader.kernel(reader.text("kernel"));
//     writer.samples("points", points_);           points_ = reader.samples("points");
//     writer.block("alpha", alpha_);               reader.require_shape("alpha", {n, k});
//                                                  alpha_ = reader.block("alpha");
//
// Metadata of the file: format, format_version, library_version, method, precision, parameters (a
// JSON object as text) and checksum. Names beginning with "report", "label", "columns" and
// "scaling" are used by the parts that all models share.
#pragma once

#include "model/report_check.hpp"
#include "model/safetensors.hpp"
#include "model/saved_fields.hpp"

#include <mercer/dataset.hpp>
#include <mercer/error.hpp>
#include <mercer/kernel.hpp>
#include <mercer/model.hpp>
#include <mercer/report.hpp>
#include <mercer/samples.hpp>
#include <mercer/scaling.hpp>

#include <nlohmann/json.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mercer {

/// Raised when a reader of today could misunderstand what is written.
inline constexpr int model_format_version = 1;

/// Collects what a model is; write_file() puts it on disk, whole or not at all.
/// Matrices and blocks are borrowed until then, unless they are given by std::move or as a
/// temporary; samples share their owner; vectors and parameters are copied.
class ModelWriter {
 public:
  ModelWriter(std::string method, Precision precision);

  /// A parameter. A number that is not finite is kept as "inf", "-inf" or "nan": see number().
  void set(const std::string& name, nlohmann::json value);

  template <class T>
  void matrix(const std::string& name, const Matrix<T>& m);
  template <class T>
  void matrix(const std::string& name, Matrix<T>&& m);
  /// Stored row by row, n x k, so that Python reads it as n x k.
  template <class T>
  void block(const std::string& name, const Block<T>& b);
  template <class T>
  void block(const std::string& name, Block<T>&& b);
  template <class T>
  void vector(const std::string& name, const Vector<T>& v);
  /// One-dimensional; float, double, int32 or int64.
  template <class T>
  void array(const std::string& name, std::vector<T> values);
  /// Dense: the tensor `name`. CSR: name.values, name.columns, name.rows (where each row begins,
  /// from 0, and the end), and the parameter name.cols.
  template <class T>
  void samples(const std::string& name, const Samples<T>& s);
  template <class T>
  void scaling(const Scaling<T>& s);
  /// A whole model as a part of this one: its parameters as the object `name`, its tensors as name/tensor.
  template <class T>
  void nested(const std::string& name, const Model<T>& model);

  /// What every model has; Model::save calls it.
  void common(const Report& report, const std::optional<Label>& label,
              const std::vector<std::string>& columns);

  /// Throws Error{cannot_create} or Error{io}; a file of that name is then as it was.
  void write_file(const std::string& path) const;

 private:
  void add(safetensors::Tensor tensor);
  nlohmann::json decomposition(const Decomposition& d);

  std::string method_;
  Precision precision_;
  nlohmann::json parameters_ = nlohmann::json::object();
  std::vector<safetensors::Tensor> tensors_;
};

/// A model file's header, understood: it is ours, of a version we read, and says what is in it.
class ModelFile {
 public:
  explicit ModelFile(const std::string& path);

  [[nodiscard]] const std::string& path() const { return file_.path(); }
  [[nodiscard]] const std::string& method() const { return method_; }
  [[nodiscard]] Precision precision() const { return precision_; }
  [[nodiscard]] const std::string& library_version() const { return library_version_; }
  [[nodiscard]] const nlohmann::json& parameters() const { return parameters_; }
  [[nodiscard]] const safetensors::File& file() const { return file_; }

  /// From now on the model that is a part of this one, by ModelWriter::nested.
  void narrow(const std::string& name, std::string method);

 private:
  [[nodiscard]] const std::string& metadata(const std::string& key) const;

  safetensors::File file_;
  std::string method_, library_version_;
  Precision precision_ = Precision::float64;
  nlohmann::json parameters_;
};

/// Which numbers a tensor may hold.
enum class Values { finite, any };

/// Reads a whole model; opening it verifies the checksum. Whatever is missing or of the wrong kind
/// throws Error{bad_data} that names the file and the part. What the parts must be to each other its verbs
/// ask for: restore() of the report, require_shape() and points() of tensors, made() of what is parsed;
/// numbers are finite unless a method says otherwise. So what has been read is consistent.
template <class T>
class ModelReader {
 public:
  /// Throws Error{usage} when the file holds the other precision.
  explicit ModelReader(const std::string& path, LoadOptions options = {});
  /// Reads the model that is a part of another, by ModelWriter::nested.
  ModelReader(const ModelReader& outer, const std::string& name, std::string method);
  using Shape = safetensors::Shape;

  [[nodiscard]] const std::string& path() const { return file_.path(); }
  [[nodiscard]] const std::string& method() const { return file_.method(); }

  [[nodiscard]] const LoadOptions& options() const { return options_; }

  [[nodiscard]] bool has(const std::string& name) const;         ///< a tensor or a parameter
  [[nodiscard]] Fields object(const std::string& name) const;    ///< a parameter with parameters of its own
  [[nodiscard]] double number(const std::string& name) const;    ///< also inf and nan, as set() keeps them
  [[nodiscard]] double positive(const std::string& name) const;  ///< a finite number above 0
  [[nodiscard]] Index count(const std::string& name) const;      ///< an integer, 0 or more
  [[nodiscard]] Shape counts(const std::string& name) const;
  [[nodiscard]] std::vector<std::string> texts(const std::string& name) const;
  [[nodiscard]] bool flag(const std::string& name) const;
  [[nodiscard]] std::string text(const std::string& name) const;

  [[nodiscard]] Matrix<T> matrix(const std::string& name) const;
  [[nodiscard]] Block<T> block(const std::string& name) const;
  [[nodiscard]] Block<double> wide_block(const std::string& name) const;  ///< F64 in models of either type
  /// F64, or F32 widened.
  [[nodiscard]] Vector<double> vector(const std::string& name, Values values = Values::finite) const;
  template <class U>
  [[nodiscard]] std::vector<U> array(const std::string& name, Values values = Values::finite) const;
  [[nodiscard]] Samples<T> samples(const std::string& name) const;
  [[nodiscard]] Scaling<T> scaling() const;
  /// The samples "points": `rows` of them, as wide as the report says, in a form that the scaling takes.
  [[nodiscard]] Samples<T> points(Index rows, const Scaling<T>& scaling) const;
  /// Kernel::parse, with each user(name) taken from LoadOptions::kernels; one that is not there
  /// throws Error{usage} saying how to supply it.
  [[nodiscard]] Kernel kernel(const std::string& text) const;
  /// The kernel "kernel", which lacks no width and is the one that the report names.
  [[nodiscard]] Kernel kernel() const;
  /// The text `name` as `parse` understands it: parse_route, parse_scale, ...
  template <class Parse>
  [[nodiscard]] auto choice(const std::string& name, Parse parse) const {
    return made(fmt::format("its {}", name), [&] { return parse(text(name)); });
  }
  /// What `make` makes of parts of the file; where it refuses them the file is damaged.
  template <class Make>
  [[nodiscard]] auto made(const std::string& what, Make make) const -> decltype(make()) {
    try {
      return make();
    } catch (const Error& error) {
      if (error.code() != ErrorCode::usage && error.code() != ErrorCode::bad_data) throw;
      damaged(fmt::format("{} cannot be used: {}", what, error.message()));
    }
  }

  /// Of a tensor, or of CSR samples as rows x cols.
  [[nodiscard]] safetensors::Shape shape(const std::string& name) const;
  [[nodiscard]] Index length(const std::string& name) const;  ///< the first side of it
  /// Throws Error{bad_data} unless the tensor (or the samples) has this shape.
  void require_shape(const std::string& name, const safetensors::Shape& expected) const;
  void require(bool condition, const std::string& what) const {
    if (!condition) damaged(what);
  }

  /// Fills what every model has: the report, with the parts that the method's have, the label and the
  /// column names.
  void restore(Model<T>& model, const ReportParts& parts) const;

  /// Throws Error{bad_data}: "PATH is damaged: WHAT".
  [[noreturn]] void damaged(const std::string& what) const { file_.file().damaged(what); }

 private:
  using Entry = safetensors::File::Entry;
  [[nodiscard]] const Entry& tensor(const std::string& name, std::size_t dimensions) const;
  [[nodiscard]] const Entry& tensor(const std::string& name, std::size_t dimensions,
                                    std::string_view dtype) const;
  template <class Numbers>
  const Numbers& finite(const Numbers& numbers, const std::string& name) const;
  [[nodiscard]] SparseMatrix<T> csr(const std::string& name) const;
  [[nodiscard]] Report report() const;
  [[nodiscard]] Decomposition decomposition() const;
  [[nodiscard]] std::optional<Label> label() const;

  ModelFile file_;
  LoadOptions options_;
};

}  // namespace mercer
