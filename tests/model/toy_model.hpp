// A toy model and the means to take its file apart, shared by the tests of the model file.
#pragma once

#include "expect_error.hpp"
#include "fuzz/model_bytes.hpp"
#include "model/model_file.hpp"

#include <mercer/error.hpp>
#include <mercer/version.hpp>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>

namespace mercer::test {

namespace fs = std::filesystem;
using nlohmann::json;
constexpr double infinity = std::numeric_limits<double>::infinity();

// --- files ------------------------------------------------------------------------------------------

class Folder {
 public:
  Folder()
      : path_(fs::temp_directory_path() /
              ("mercer-model-file-" + std::to_string(::getpid()) + "-" + std::to_string(++made_))) {
    fs::create_directories(path_);
  }
  ~Folder() { fs::remove_all(path_); }
  [[nodiscard]] std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  [[nodiscard]] auto count() const { return std::distance(fs::directory_iterator(path_), {}); }

 private:
  static inline int made_ = 0;
  fs::path path_;
};

inline std::string slurp(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline void spill(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

using fuzz::Parts;
using fuzz::sealed;

// --- a model of our own --------------------------------------------------------------------------------

template <class T>
class Toy final : public Model<T> {
 public:
  explicit Toy(Samples<T> points, Index k = 2)
      : points_(std::move(points)), alpha_(points_.rows(), k), offset_(k), matrix_(3, 2) {
    for (Index i = 0; i < alpha_.size(); ++i)
      alpha_.data()[i] = static_cast<T>(std::sin(1.0 + static_cast<double>(i)));
    for (Index i = 0; i < k; ++i) offset_[i] = 1.0 / static_cast<double>(i + 3);
    matrix_ << T(1), T(-0.0), std::numeric_limits<T>::min(), std::numeric_limits<T>::denorm_min(),
        T(1) / T(3), T(6);
    scaling_.kind = Scale::standardize;
    scaling_.shift = Vector<double>::LinSpaced(points_.cols(), 0.1, 0.7);
    scaling_.factor = Vector<double>::LinSpaced(points_.cols(), 1.1, 1.7);
    auto& r = this->report_;
    r.method = "toy";
    r.n = points_.rows();
    r.d = points_.cols();
    r.components = k;
    r.components_requested = k + 1;
    r.kernel = "rbf(gamma=0.1)";
    r.precision = precision_of<T>;
    r.centered = false;
    r.gram_eigenvalues = Vector<double>::LinSpaced(k, 3.3, 1.1);
    r.variances = r.gram_eigenvalues / 3;
    r.explained_variance_ratio = r.gram_eigenvalues / 7;
    r.residuals = Vector<double>::Constant(k, 1e-13);
    r.trace = 7.000000000000001;
    r.missed = {infinity, 0.1 + 0.2, 1e-6};
    r.min_eigenvalue = -0.25;
    r.converged = false;
    r.passes = 12;
    r.plan = {.route = Route::tiled,
              .problem = "kernel 3x3",
              .reason = "why not",
              .bytes = 1e9,
              .flops = 2.5e12,
              .seconds = std::nan(""),
              .budget = 123456789012,
              .rejected = {"dense: too large"}};
    r.seconds = {{"read", 0.1}, {"solve", 0.2}, {"total", 0.3}};
    r.peak_bytes = 987654321;
    r.notes = {"a \"note\" of ü", "another"};
    if (points_.rows() > 0) {
      this->label_ = Label{"Klasse",
                           {"ä", "b"},
                           std::vector<std::int32_t>(static_cast<std::size_t>(r.n), 1),
                           std::vector<double>(static_cast<std::size_t>(r.n), 0.1)};
      for (Index j = 0; j < r.d; ++j) this->columns_.push_back("x" + std::to_string(j));
    }
  }
  explicit Toy(ModelReader<T>& reader) {
    reader.restore(*this, ReportParts::any());
    const Index n = this->report_.n, k = this->report_.components;
    reader.require_shape("points", {n, this->report_.d});
    reader.require_shape("alpha", {n, k});
    reader.require_shape("offset", {k});
    reader.require_shape("matrix", {3, 2});
    points_ = reader.samples("points");
    alpha_ = reader.block("alpha");
    offset_ = reader.vector("offset");
    matrix_ = reader.matrix("matrix");
    scaling_ = reader.scaling();
    size_ = reader.number("size");
    if (reader.count("seven") != 7 || !reader.flag("yes") || reader.text("word") != "wörd")
      reader.damaged("its parameters");
  }

  [[nodiscard]] Index features() const override { return points_.cols(); }
  [[nodiscard]] Matrix<T> scores() const override { return alpha_; }

  Samples<T> points_;
  Block<T> alpha_;
  Vector<double> offset_;
  Matrix<T> matrix_;
  Scaling<T> scaling_;
  double size_ = -infinity;
  bool fail_ = false;

 private:
  Matrix<T> do_transform(const Samples<T>& points, const Run&) const override {
    return Matrix<T>::Zero(points.rows(), this->components());
  }
  void write(ModelWriter& writer) const override {
    writer.samples("points", points_);
    writer.block("alpha", alpha_);
    writer.vector("offset", offset_);
    writer.matrix("matrix", matrix_);
    writer.scaling(scaling_);
    writer.set("size", size_);
    writer.set("seven", 7);
    writer.set("yes", true);
    writer.set("word", "wörd");
    if (fail_) throw Error(ErrorCode::internal, "the method failed to write itself");
  }
};

template <class T>
Toy<T> load(const std::string& path) {
  ModelReader<T> reader(path);
  return Toy<T>(reader);
}

template <class T>
Matrix<T> some_matrix(Index rows, Index cols) {
  Matrix<T> m(rows, cols);
  for (Index i = 0; i < m.size(); ++i) m.data()[i] = static_cast<T>(std::cos(static_cast<double>(i * i)));
  return m;
}

template <class T>
SparseMatrix<T> some_csr() {
  SparseMatrix<T> s(5, 4);
  s.insert(0, 1) = T(1) / T(3);
  s.insert(0, 3) = T(2);
  s.insert(2, 0) = T(-4);
  s.insert(3, 2) = T(0.1);
  s.insert(3, 3) = T(0.7);
  return s;
}

template <class M>
bool same_bits(const M& a, const M& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() &&
         (a.size() == 0 ||
          std::memcmp(a.data(), b.data(), sizeof(*a.data()) * static_cast<std::size_t>(a.size())) == 0);
}

template <class T>
void expect_same(const Toy<T>& a, const Toy<T>& b) {
  EXPECT_EQ(a.points_.is_sparse(), b.points_.is_sparse());
  EXPECT_EQ(a.points_.stored(), b.points_.stored());
  EXPECT_TRUE(same_bits(a.points_.to_dense(), b.points_.to_dense()));
  EXPECT_TRUE(same_bits(a.alpha_, b.alpha_));
  EXPECT_TRUE(same_bits(a.offset_, b.offset_));
  EXPECT_TRUE(same_bits(a.matrix_, b.matrix_));
  EXPECT_EQ(a.scaling_.kind, b.scaling_.kind);
  EXPECT_TRUE(same_bits(a.scaling_.shift, b.scaling_.shift));
  EXPECT_TRUE(same_bits(a.scaling_.factor, b.scaling_.factor));
  EXPECT_EQ(a.size_, b.size_);
}

inline bool has_words(const Error& error, const std::string& words) {
  return std::string(error.what()).find(words) != std::string::npos;
}

}  // namespace mercer::test
