// Preimage: which way back a kernel allows, the projection Pφ seen from the training points, and how far a
// pre-image is from it: ‖φ(z) − Pφ‖² = k(z, z) − 2 Σ_j w_j k(x_j, z) + ‖Pφ‖².
#include "model/preimage.hpp"

#include "base/linalg.hpp"
#include "base/memory.hpp"
#include "base/parallel.hpp"
#include "kernel/catalogue.hpp"
#include "kernel/node.hpp"
#include "kernel/tiles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <numeric>

namespace mercer {
namespace {

constexpr Index tile_cols = 256;

/// Rows at a time: a block of kernel values stays near the cache, and the same for any number of threads.
Index block_rows(Index points) {
  return std::clamp<Index>((Index{1} << 19) / std::max<Index>(1, points), 8, 128);
}

void gemm_rows(bool transpose_b, const MatrixView<double>& a, const MatrixView<double>& b,
               Matrix<double>& c) {
  if (c.size() == 0 || a.cols() == 0) return;
  // Row-major C = A B is column-major Cᵀ = Bᵀ Aᵀ.
  linalg::gemm<double>(transpose_b ? linalg::Transpose::yes : linalg::Transpose::no, linalg::Transpose::no,
                       c.cols(), c.rows(), a.cols(), 1, b.data(), b.outerStride(), a.data(), a.outerStride(),
                       0, c.data(), c.cols());
}

[[noreturn]] void refuse(const Kernel& kernel, PreimageMethod method, const std::string& needs) {
  throw Error(ErrorCode::usage,
              fmt::format("kernel {} has no pre-image by {}: that needs {}", kernel.to_string(),
                          name_of(method), needs),
              "ridge works for every kernel of points");
}

/// φ(x) = √c x/‖x‖.
bool is_cosine(const Kernel& kernel) {
  return std::visit(
      Overloaded{
          [](const LeafKernel& leaf) { return leaf.kind->name == "cosine"; },
          [](const MultipleKernel& m) { return m.factor > 0 && is_cosine(m.kernel); },
          [](const SumKernel& sum) { return std::all_of(sum.terms.begin(), sum.terms.end(), is_cosine); },
          [](const auto&) { return false; },
      },
      kernel.node().value);
}

PreimageMethod chosen(PreimageMethod asked, const Expansion& space) {
  const bool profile = space.profile.has_value(), linear = profile && space.profile->is_linear(),
             radial = profile && space.profile->of_distance(), direct = linear || is_cosine(space.kernel);
  switch (asked) {
    case PreimageMethod::automatic:
      if (direct) return PreimageMethod::exact;
      if (radial) return PreimageMethod::fixed_point;
      return profile ? PreimageMethod::distances : PreimageMethod::ridge;
    case PreimageMethod::exact:
      if (!direct) refuse(space.kernel, asked, "the linear kernel, or cosine");
      return asked;
    case PreimageMethod::fixed_point:
      if (!radial) refuse(space.kernel, asked, "a kernel of the distance, such as rbf");
      return asked;
    case PreimageMethod::distances:
      if (!profile) refuse(space.kernel, asked, "a kernel of the distance or of the dot product alone");
      return asked;
    case PreimageMethod::ridge:
      return asked;
  }
  return asked;
}

void require_options(const PreimageOptions& o) {
  const auto fail = [](const std::string& what) { throw Error(ErrorCode::usage, "pre-images: " + what); };
  if (o.starts < 1) fail(fmt::format("{} starts, at least 1 is needed", o.starts));
  if (o.iterations < 1) fail(fmt::format("{} iterations, at least 1 is needed", o.iterations));
  if (!(o.tolerance > 0)) fail(fmt::format("a tolerance of {}, it must be positive", o.tolerance));
  if (!(o.pull >= 0)) fail(fmt::format("a pull of {}, it must not be negative", o.pull));
  if (o.neighbors < 2) fail(fmt::format("{} neighbours, at least 2 are needed", o.neighbors));
  if (!(o.ridge >= 0)) fail(fmt::format("a ridge of {}, it must not be negative", o.ridge));
}

/// The learned map holds the kernel matrix between scores and its factor, or its eigenvectors (as they are,
/// turned and squared) and LAPACK's room to work in; and a few copies of the points.
void require_ridge_memory(const Expansion& space, const PreimageOptions& options, const Run& run) {
  const bool by_leaving_out = options.ridge == 0;
  const double n = double(space.points.rows()), d = double(space.points.cols());
  const double bytes = sizeof(double) * ((by_leaving_out ? 5 : 2) * n * n + (by_leaving_out ? 6 : 4) * n * d);
  const double budget = double(run.memory_budget());
  if (bytes <= budget) return;
  throw Error(ErrorCode::no_memory,
              fmt::format("pre-images by ridge from {} points need {}, and the memory budget is {}",
                          space.points.rows(), format_bytes(bytes), format_bytes(budget)),
              by_leaving_out ? "give --ridge a number, raise --memory, or fit with --rank R"
                             : "raise --memory, or fit with --rank R: fewer points are kept");
}

[[noreturn]] void refuse_row(Index row, const std::string& what) {
  throw Error(ErrorCode::bad_data, fmt::format("the scores of row {} are too large: {}", row, what),
              "rows count from 0; are these scores of this model?");
}

template <class Derived>
void require_finite_rows(const Eigen::DenseBase<Derived>& values, Index first_row, const std::string& what) {
  for (Index i = 0; i < values.rows(); ++i)
    if (!values.derived().row(i).allFinite()) refuse_row(first_row + i, what + " is not a finite number");
}

/// Linear kernels: Pφ = Σ_j w_j x_j is the point itself.
class Exact final : public PreimageSolver {
 public:
  explicit Exact(const Expansion& space)
      : directions_(product(space.alpha.transpose(), space.points)),
        mean_(space.points.transpose() * space.beta) {}
  Index solve(const MatrixView<double>& scores, const Matrix<double>&, Matrix<double>& out) const override {
    out = product(scores, directions_.topRows(scores.cols()));
    out.rowwise() += mean_.transpose();
    return 0;
  }

 private:
  Matrix<double> directions_;  ///< k x d
  Vector<double> mean_;
};

/// The cosine: −2 Σ_j w_j x_j·z/(‖x_j‖‖z‖) is least along Σ_j w_j x_j/‖x_j‖. The kernel does not see how long
/// z is: as the nearest training point, which is also the answer where that sum has no direction.
class Direction final : public PreimageSolver {
 public:
  explicit Direction(const Expansion& space) : space_(space), units_(space.points) {
    lengths_ = units_.rowwise().stableNorm();
    for (Index j = 0; j < units_.rows(); ++j)
      if (lengths_[j] > 0) units_.row(j) /= lengths_[j];
  }
  Index solve(const MatrixView<double>& scores, const Matrix<double>&, Matrix<double>& out) const override {
    const Matrix<double> weights = space_.weights(scores);
    out = product(weights, units_);
    const auto near = nearest_in_feature_space(space_, space_.inner(scores), 1);
    for (Index i = 0; i < out.rows(); ++i) {
      const double length = out.row(i).stableNorm(), of_nearest = lengths_[near(i, 0)];
      const double rounding = 4 * std::numeric_limits<double>::epsilon() * weights.row(i).lpNorm<1>();
      if (length > rounding && of_nearest > 0)
        out.row(i) *= of_nearest / length;
      else
        out.row(i) = space_.points.row(near(i, 0));
    }
    return 0;
  }

 private:
  const Expansion& space_;
  Matrix<double> units_;
  Vector<double> lengths_;
};

}  // namespace

std::string_view name_of(PreimageMethod method) {
  switch (method) {
    case PreimageMethod::automatic:
      return "auto";
    case PreimageMethod::exact:
      return "exact";
    case PreimageMethod::fixed_point:
      return "fixed-point";
    case PreimageMethod::distances:
      return "distances";
    case PreimageMethod::ridge:
      return "ridge";
  }
  return "auto";
}

PreimageMethod parse_preimage_method(std::string_view name) {
  for (const auto method : {PreimageMethod::automatic, PreimageMethod::exact, PreimageMethod::fixed_point,
                            PreimageMethod::distances, PreimageMethod::ridge})
    if (name == name_of(method)) return method;
  throw Error(ErrorCode::usage, fmt::format("'{}' is no way to a pre-image", name),
              "auto, exact, fixed-point, distances or ridge");
}

Matrix<double> product(const MatrixView<double>& a, const MatrixView<double>& b) {
  Matrix<double> c = Matrix<double>::Zero(a.rows(), b.cols());
  gemm_rows(false, a, b, c);
  return c;
}

Matrix<double> product_transposed(const MatrixView<double>& a, const MatrixView<double>& b) {
  Matrix<double> c = Matrix<double>::Zero(a.rows(), b.rows());
  gemm_rows(true, a, b, c);
  return c;
}

template <class T>
Expansion Expansion::of(const KernelPca<T>& model, const Run& run) {
  if (model.kernel().is_precomputed())
    throw Error(ErrorCode::usage, "a precomputed kernel matrix has no inputs to come back to",
                "fit on the points themselves");
  const double bytes = 2.0 * double(model.points().rows()) * double(model.points().cols()) * sizeof(double);
  if (bytes > double(run.memory_budget()))
    throw Error(ErrorCode::no_memory,
                fmt::format("pre-images need the {} x {} points densely, {:.2g} GB", model.points().rows(),
                            model.points().cols(), bytes / 1e9),
                "raise --memory");
  Expansion out;
  out.kernel = model.kernel();
  out.profile = KernelProfile::of(out.kernel);
  out.points = model.points().template cast<double>().to_dense();
  out.alpha = model.alpha().template cast<double>();
  out.beta = model.mean_weights();
  return out;
}

void Expansion::look_around(const Run& run) {
  const Index n = points.rows(), k = alpha.cols(), rows = block_rows(n);
  Matrix<double> vectors(n, k + 1);
  vectors << alpha, beta;
  const KernelTiles<double> tiles(kernel,
                                  Samples<double>::borrow(points.data(), n, points.cols(), points.cols()));
  Matrix<double> images(n, k + 1);
  diagonal.resize(n);
  parallel_for((n + rows - 1) / rows, run, [&](Index part) {
    const Index i0 = part * rows, count = std::min(rows, n - i0);
    Matrix<double> sum = Matrix<double>::Zero(count, k + 1);
    for (Index j0 = 0; j0 < n; j0 += tile_cols) {
      Matrix<double> tile(count, std::min(tile_cols, n - j0));
      tiles.evaluate(i0, count, j0, tile.cols(), tile.data());
      sum += product(tile, vectors.middleRows(j0, tile.cols()));
    }
    images.middleRows(i0, count) = sum;
    tiles.diagonal(i0, count, diagonal.data() + i0);
  });
  at_points = images.leftCols(k);
  mean_at = images.col(k);
  offset = alpha.transpose() * mean_at;
  mean_norm = beta.dot(mean_at);
}

Matrix<double> Expansion::weights(const MatrixView<double>& scores) const {
  Matrix<double> w = product_transposed(scores, alpha.leftCols(scores.cols()));
  w.rowwise() += beta.transpose();
  return w;
}

Matrix<double> Expansion::inner(const MatrixView<double>& scores) const {
  Matrix<double> g = product_transposed(scores, at_points.leftCols(scores.cols()));
  g.rowwise() += mean_at.transpose();
  return g;
}

Vector<double> Expansion::norms(const MatrixView<double>& scores) const {
  return (scores.rowwise().squaredNorm() + 2 * scores * offset.head(scores.cols())).array() + mean_norm;
}

Vector<double> Expansion::errors(const Matrix<double>& z, const MatrixView<double>& scores) const {
  const Index n = points.rows();
  const auto rows = Samples<double>::borrow(z.data(), z.rows(), z.cols(), z.cols());
  const KernelTiles<double> own(kernel, rows),
      against(kernel, rows, Samples<double>::borrow(points.data(), n, points.cols(), points.cols()));
  const Matrix<double> w = weights(scores);
  Vector<double> out(z.rows());
  own.diagonal(0, z.rows(), out.data());
  for (Index j0 = 0; j0 < n; j0 += tile_cols) {
    Matrix<double> tile(z.rows(), std::min(tile_cols, n - j0));
    against.evaluate(0, z.rows(), j0, tile.cols(), tile.data());
    out -= 2 * tile.cwiseProduct(w.middleCols(j0, tile.cols())).rowwise().sum();
  }
  out += norms(scores);
  return out.array().isNaN().select(out, out.cwiseMax(0.0));  // the larger of NaN and 0 may be 0
}

Eigen::Matrix<Index, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> nearest_in_feature_space(
    const Expansion& space, const Matrix<double>& inner, Index count) {
  const Index n = inner.cols();
  count = std::min(count, n);
  Eigen::Matrix<Index, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> out(inner.rows(), count);
  std::vector<Index> order(static_cast<std::size_t>(n));
  for (Index i = 0; i < inner.rows(); ++i) {  // ‖Pφ − φ(x_j)‖² up to ‖Pφ‖²; ties to the lowest index
    Vector<double> far = space.diagonal - 2 * inner.row(i).transpose();
    far = far.array().isNaN().select(std::numeric_limits<double>::infinity(), far);
    std::iota(order.begin(), order.end(), Index(0));
    std::partial_sort(order.begin(), order.begin() + count, order.end(),
                      [&](Index a, Index b) { return far[a] != far[b] ? far[a] < far[b] : a < b; });
    for (Index c = 0; c < count; ++c) out(i, c) = order[static_cast<std::size_t>(c)];
  }
  return out;
}

/// Distances that no point meets may lead away from what lies near: then the nearest φ(x_j) is the answer.
static void prefer_the_nearest(const Expansion& space, const MatrixView<double>& scores,
                               Matrix<double>& found, Eigen::Ref<Vector<double>> errors) {
  const Matrix<double> inner = space.inner(scores);
  const Vector<double> norms = space.norms(scores);
  const auto near = nearest_in_feature_space(space, inner, 1);
  for (Index i = 0; i < found.rows(); ++i) {
    const Index j = near(i, 0);
    const double error = space.diagonal[j] - 2 * inner(i, j) + norms[i];
    const double rounding = 1e-14 * (space.diagonal[j] + norms[i]);
    if (errors[i] <= error + rounding || !std::isfinite(error)) continue;
    found.row(i) = space.points.row(j);
    errors[i] = std::max(0.0, error);
  }
}

std::unique_ptr<PreimageSolver> make_exact(const Expansion& space) {
  if (is_cosine(space.kernel)) return std::make_unique<Direction>(space);
  return std::make_unique<Exact>(space);
}

template <class T>
struct Preimage<T>::Impl {
  Expansion space;
  Scaling<T> scaling;
  PreimageMethod method;
  bool without_error = false;              ///< Pφ is φ of an input: linear kernels
  std::unique_ptr<PreimageSolver> solver;  // refers to space
};

template <class T>
Preimage<T>::Preimage(const KernelPca<T>& model, const PreimageOptions& options, const Run& run)
    : impl_(std::make_unique<Impl>()) {
  const SteadyRun steady(run);
  require_options(options);
  Expansion& space = impl_->space = Expansion::of(model, run);
  impl_->scaling = model.scaling();
  impl_->method = chosen(options.method, space);
  if (impl_->method == PreimageMethod::ridge) require_ridge_memory(space, options, run);
  impl_->without_error = impl_->method == PreimageMethod::exact && !is_cosine(space.kernel);
  if (impl_->without_error) {
    impl_->solver = make_exact(space);
    return;
  }
  run.report("pre-images: kernel", 0);
  space.look_around(steady);
  impl_->solver = impl_->method == PreimageMethod::exact         ? make_exact(space)
                  : impl_->method == PreimageMethod::fixed_point ? make_fixed_point(space, options)
                  : impl_->method == PreimageMethod::distances   ? make_distances(space, options)
                                                                 : make_ridge(space, options, steady);
}

template <class T>
Preimage<T>::~Preimage() = default;
template <class T>
Preimage<T>::Preimage(Preimage&&) noexcept = default;
template <class T>
Preimage<T>& Preimage<T>::operator=(Preimage&&) noexcept = default;

template <class T>
PreimageMethod Preimage<T>::method() const {
  return impl_->method;
}

template <class T>
Matrix<double> Preimage<T>::ridge_coefficients() const {
  return impl_->solver->ridge_coefficients();
}

template <class T>
Preimages<T> Preimage<T>::find(const MatrixView<T>& scores, const Samples<T>& inputs, const Run& run,
                               Index first_row) const {
  const Expansion& space = impl_->space;
  if (scores.cols() > space.alpha.cols())
    throw Error(ErrorCode::bad_data,
                fmt::format("the scores have {} columns, and the model has {} components", scores.cols(),
                            space.alpha.cols()));
  if (inputs.rows() != 0 && (inputs.rows() != scores.rows() || inputs.cols() != space.points.cols()))
    throw Error(ErrorCode::bad_data,
                fmt::format("the inputs are {} x {}, expected {} x {}: a row for each row of scores",
                            inputs.rows(), inputs.cols(), scores.rows(), space.points.cols()));
  require_finite(Samples<T>::borrow(scores.data(), scores.rows(), scores.cols(), scores.outerStride()),
                 "the scores");
  require_finite(inputs, "the inputs");
  const SteadyRun steady(run);
  const Run& threads = steady;
  const Index m = scores.rows(), rows = block_rows(space.points.rows());
  const Samples<T> scaled = inputs.rows() > 0 ? impl_->scaling.apply(inputs) : inputs;
  const Matrix<double> z = scores.template cast<double>();
  const bool exact = impl_->without_error;
  const bool approximates = impl_->method == PreimageMethod::distances;
  if (!exact) require_finite_rows(space.norms(z), first_row, "the length of the projection");
  Preimages<T> out{Matrix<T>(m, space.points.cols()), Vector<double>::Zero(m), 0};
  std::atomic<Index> unconverged{0};
  parallel_for((m + rows - 1) / rows, threads, [&](Index part) {
    const Index i0 = part * rows, count = std::min(rows, m - i0);
    const Matrix<double> known = scaled.rows() > 0
                                     ? scaled.dense_rows(i0, count).template cast<double>().eval()
                                     : Matrix<double>(0, space.points.cols());
    Matrix<double> found = Matrix<double>::Zero(count, space.points.cols());
    unconverged += impl_->solver->solve(z.middleRows(i0, count), known, found);
    if (!exact) out.errors.segment(i0, count) = space.errors(found, z.middleRows(i0, count));
    if (approximates)
      prefer_the_nearest(space, z.middleRows(i0, count), found, out.errors.segment(i0, count));
    out.points.middleRows(i0, count) = found.template cast<T>();
  });
  out.unconverged = unconverged;
  out.points = impl_->scaling.undo(std::move(out.points));
  require_finite_rows(out.errors, first_row, "the error of the pre-image");
  require_finite_rows(out.points, first_row, "the pre-image");
  return out;
}

template class Preimage<float>;
template class Preimage<double>;
template Expansion Expansion::of(const KernelPca<float>&, const Run&);
template Expansion Expansion::of(const KernelPca<double>&, const Run&);

}  // namespace mercer
