// Rough products and the refinement that makes their answer exact.
#include "operator/dense_operator.hpp"
#include "support.hpp"

#include <mercer/spectrum.hpp>

namespace mercer {
namespace {

/// A matrix whose rough product is off by a fixed matrix of noise, and which counts its products.
class NoisyOperator final : public SymmetricOperator<double> {
 public:
  NoisyOperator(Block<double> matrix, double noise, bool symmetric, std::uint64_t seed)
      : SymmetricOperator<double>(matrix.rows()), matrix_(std::move(matrix)) {
    const Index n = size();
    const double scale = matrix_.norm() > 0 ? spectral_norm() : 1;
    Block<double> random = test::random_matrix<double>(n, n, seed);
    if (symmetric) random = ((random + random.transpose()) / std::sqrt(2.0)).eval();
    rough_ = matrix_ + noise * scale / std::sqrt(double(n)) * random;  // ‖error of a unit vector‖ ≈ noise·‖A‖
  }
  [[nodiscard]] bool has_rough_product() const override { return true; }
  [[nodiscard]] std::optional<double> trace() const override { return matrix_.diagonal().sum(); }
  [[nodiscard]] std::optional<double> frobenius_squared() const override { return matrix_.squaredNorm(); }
  [[nodiscard]] const Block<double>& matrix() const { return matrix_; }
  [[nodiscard]] Index exact_columns() const { return exact_; }
  [[nodiscard]] Index rough_columns() const { return rough_count_; }

 private:
  [[nodiscard]] double spectral_norm() const {
    const Spectrum<double> s = dense_eigenpairs<double>(matrix_, size());
    return s.values.cwiseAbs().maxCoeff();
  }
  void do_apply(const BlockView<double>& v, BlockRef<double> y, const Run& /*run*/) const override {
    exact_ += v.cols();
    y = matrix_ * v;
  }
  void do_apply_roughly(const BlockView<double>& v, BlockRef<double> y, const Run& /*run*/) const override {
    rough_count_ += v.cols();
    y = rough_ * v;
  }

  Block<double> matrix_, rough_;
  mutable Index exact_ = 0, rough_count_ = 0;
};

struct RefinedCase {
  std::string name;
  Vector<double> values;
  bool psd;
  bool both_ends = true;  ///< the lower end of what decays to zero has no gaps to find it by
};

std::vector<RefinedCase> refined_spectra(Index n) {
  std::vector<RefinedCase> out;
  Vector<double> v(n);
  for (Index i = 0; i < n; ++i) v[i] = 1.0 / double((i + 1) * (i + 1));
  out.push_back({"decaying", v, true, false});
  for (Index i = 0; i < n; ++i) v[i] = std::pow(0.8, double(i));
  out.push_back({"geometric", v, true, false});
  for (Index i = 0; i < n; ++i) v[i] = i < 11 ? 4 : 2 / (1 + 0.1 * double(i));
  out.push_back({"eleven copies at the top", v, true});
  for (Index i = 0; i < n; ++i) v[i] = i < 10 ? 4 - 1e-7 * double(i) : 2 / (1 + 0.1 * double(i));
  out.push_back({"ten that only exact products tell apart", v, true});
  for (Index i = 0; i < n; ++i) v[i] = i < n - 9 ? 3 + double(i % 40) / 40 : 1;
  out.push_back({"nine copies at the bottom", v, true});
  for (Index i = 0; i < n; ++i) v[i] = (i % 2 ? -1.0 : 1.0) * (1 + 20 / (1 + double(i)));
  out.push_back({"indefinite", v, false});
  for (Index i = 0; i < n; ++i) v[i] = i < 7 ? -5 : i < 12 ? 5 : std::cos(double(i));
  out.push_back({"indefinite with copies at both ends", v, false});
  for (Index i = 0; i < n; ++i) v[i] = i < 2 ? 1e6 : i < 8 ? 1 + 0.1 * double(i) : 0.5 / double(i);
  out.push_back({"two that dwarf the others", v, true, false});
  return out;
}

EigenRequest request_for(const RefinedCase& c, Index count, End end, Index block) {
  EigenRequest r;
  r.count = count;
  r.end = end;
  r.block = block;
  r.basis = count + 60;
  r.max_passes = 1000;
  r.positive_semidefinite = c.psd;
  return r;
}

/// The answer holds by the exact matrix, whatever the rough products were.
void expect_exact(const NoisyOperator& op, const Spectrum<double>& s, const Vector<double>& values,
                  const EigenRequest& request, const std::string& name) {
  Vector<double> truth = values;
  if (request.end == End::largest)
    std::sort(truth.begin(), truth.end(), std::greater<>());
  else
    std::sort(truth.begin(), truth.end());
  const double scale = values.cwiseAbs().maxCoeff();
  const Index k = request.count;
  ASSERT_EQ(s.values.size(), k) << name;
  EXPECT_LE((s.values - truth.head(k)).cwiseAbs().maxCoeff(), 1e-10 * scale)
      << name << "\nfound " << s.values.transpose() << "\ntruth " << truth.head(k).transpose();
  const Vector<double> residuals =
      (op.matrix() * s.vectors - s.vectors * s.values.asDiagonal()).colwise().norm().transpose();
  EXPECT_LE(residuals.maxCoeff(), 1e-10 * scale) << name;
  for (Index i = 0; i < k; ++i) EXPECT_LE(residuals[i], 1.001 * s.residuals[i] + 1e-14 * scale) << name;
  EXPECT_LE((s.vectors.transpose() * s.vectors - Block<double>::Identity(k, k)).norm(), 1e-11) << name;
  const double sign = request.end == End::largest ? 1 : -1, rounding = 1e-13 * scale;
  EXPECT_GE(sign * s.missed.probable, sign * truth[k] - rounding) << name;
  EXPECT_GE(sign * s.missed.rigorous, sign * truth[k] - rounding) << name;
}

void expect_solved(const NoisyOperator& op, const RefinedCase& c, const EigenRequest& request,
                   std::uint64_t seed, const std::string& name) {
  try {
    expect_exact(op, eigenpairs<double>(op, request, {.seed = seed}), c.values, request, name);
  } catch (const Error& e) {
    ADD_FAILURE() << name << ": " << e.what();
  }
}

TEST(Refine, RoughProductsGiveExactAnswersAtBothEnds) {
  const Index n = 300;
  std::uint64_t seed = 100;
  for (const RefinedCase& c : refined_spectra(n)) {
    const Block<double> a = test::symmetric_with(c.values, ++seed);
    for (double noise : {1e-6, 1e-5}) {
      const NoisyOperator op(a, noise, seed % 2 == 0, seed);
      for (End end : {End::largest, End::smallest})
        for (Index count : {1, 4, 12}) {
          if (end == End::smallest && !c.both_ends) continue;
          const EigenRequest request = request_for(c, count, end, 4);
          const std::string name = c.name + ", noise " + std::to_string(noise) + ", count " +
                                   std::to_string(count) + (end == End::largest ? ", largest" : ", smallest");
          expect_solved(op, c, request, seed, name);
        }
    }
  }
}

TEST(Refine, MostProductsAreRoughWhereThatIsEnough) {
  const Index n = 900;
  Vector<double> v(n);
  for (Index i = 0; i < n; ++i) v[i] = std::pow(0.9, double(i));
  const NoisyOperator op(test::symmetric_with(v, 3), 1e-6, true, 4);
  EigenRequest request;
  request.count = 6;
  request.positive_semidefinite = true;
  expect_exact(op, eigenpairs<double>(op, request), v, request, "geometric");
  EXPECT_GT(op.rough_columns(), op.exact_columns());
}

TEST(Refine, NonsenseDoesNoHarm) {
  const Index n = 300;
  std::uint64_t seed = 200;
  for (const RefinedCase& c : refined_spectra(n)) {
    const Block<double> a = test::symmetric_with(c.values, ++seed);
    for (double noise : {3e-5, 1e-4, 1e-3, 0.1, 1.0, 100.0}) {
      const NoisyOperator op(a, noise, seed % 2 == 1, seed);
      for (End end : {End::largest, End::smallest}) {
        if (end == End::smallest && !c.both_ends) continue;
        const EigenRequest request = request_for(c, 5, end, 4);
        expect_exact(
            op, eigenpairs<double>(op, request, {.seed = seed}), c.values, request,
            c.name + ", noise " + std::to_string(noise) + (end == End::largest ? ", largest" : ", smallest"));
      }
    }
  }
}

}  // namespace
}  // namespace mercer
