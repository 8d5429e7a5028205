// Shrinking: each simplification is tried in turn and kept where the same claim still fails.
#include "shrink.hpp"

#include "campaign.hpp"

#include <algorithm>
#include <functional>

namespace certify {
namespace {

constexpr int most_trials = 400;

class Shrinker {
 public:
  Shrinker(FitCase c, const Violation& v)
      : best_(std::move(c)), claim_(v.claim), severity_(std::min(1.0, v.severity)) {}

  FitCase run() {
    for (bool smaller = true; smaller && trials_ < most_trials;) {
      smaller = false;
      smaller |= options();
      smaller |= rows();
      smaller |= features();
      smaller |= kernel();
      smaller |= digits();
    }
    return best_;
  }

 private:
  bool fails(const FitCase& c) {
    if (++trials_ > most_trials || c.x.rows() < 1 || c.x.cols() < 1) return false;
    const Outcome o = try_apart(c);
    return std::any_of(o.violations.begin(), o.violations.end(), [&](const Violation& v) {
      return v.claim == claim_ && v.severity > 0.01 * severity_;
    });
  }
  /// Tries the case with a change; keeps it where it fails alike.
  bool change(const std::function<bool(FitCase&)>& f) {
    FitCase c = best_;
    if (!f(c) || !fails(c)) return false;
    best_ = std::move(c);
    return true;
  }
  template <class V>
  bool set(V FitCase::*field, V value) {
    return change([&](FitCase& c) {
      if (c.*field == value) return false;
      c.*field = value;
      return true;
    });
  }

  bool options() {
    bool any = set(&FitCase::other_threads, false);
    any |= set(&FitCase::saved, false);
    any |= set(&FitCase::threads, 1);
    any |= set(&FitCase::streamed, false);
    any |= set(&FitCase::scale, mercer::Scale::none);
    any |= set(&FitCase::precision, mercer::Precision::float64);
    any |= set(&FitCase::sparse, false);
    any |= set(&FitCase::center, true);
    any |= set(&FitCase::residual, 0.0);
    any |= set(&FitCase::delta, 1e-6);
    any |= change([](FitCase& c) {
      return c.chain != Chain::none && (c.chain = Chain::none, c.first_rows = c.x.rows(), true);
    });
    any |= change([](FitCase& c) { return c.chain == Chain::grow && (c.chain = Chain::update, true); });
    for (const Index k : {Index(1), Index(2), best_.components.count / 2})
      any |= change([&](FitCase& c) {
        if (c.components.share == 0 && c.components.count <= k) return false;
        c.components = std::max<Index>(1, k);
        return true;
      });
    for (const Index r : {best_.lowrank.rank / 2, best_.lowrank.rank * 3 / 4, best_.lowrank.rank - 1})
      any |= change([&](FitCase& c) { return r >= 1 && c.lowrank.rank > r && (c.lowrank.rank = r, true); });
    return any;
  }

  /// Leaves out `count` rows from `first` on, and what points at them.
  static bool leave_out(FitCase& c, Index first, Index count) {
    const Index n = c.x.rows();
    if (first >= n || n - count < 1) return false;
    count = std::min(count, n - first);
    mercer::Matrix<double> x(n - count, c.x.cols());
    x.topRows(first) = c.x.topRows(first);
    x.bottomRows(n - first - count) = c.x.bottomRows(n - first - count);
    c.x = std::move(x);
    if (!c.classes.empty()) c.classes.erase(c.classes.begin() + first, c.classes.begin() + first + count);
    std::vector<Index> given;
    for (const Index row : c.lowrank.given)
      if (row < first || row >= first + count) given.push_back(row < first ? row : row - count);
    if (!c.lowrank.given.empty() && given.empty()) return false;
    c.lowrank.given = given;
    if (c.chain != Chain::none) {
      c.first_rows -= std::clamp<Index>(c.first_rows - first, 0, count);
      if (c.first_rows < 1 || c.first_rows >= c.x.rows()) return false;
    }
    return true;
  }

  bool rows() {
    bool any = false;
    for (Index step = best_.x.rows() / 2; step >= 1; step /= 2)
      for (Index first = 0; first < best_.x.rows();)
        if (change([&](FitCase& c) { return leave_out(c, first, step); }))
          any = true;
        else
          first += step;
    return any;
  }

  bool features() {
    bool any = false;
    for (Index step = best_.x.cols() / 2; step >= 1; step /= 2)
      for (Index first = 0; first < best_.x.cols();) {
        const bool smaller = change([&](FitCase& c) {
          const Index d = c.x.cols(), count = std::min(step, d - first);
          if (d - count < 1) return false;
          mercer::Matrix<double> x(c.x.rows(), d - count);
          x.leftCols(first) = c.x.leftCols(first);
          x.rightCols(d - first - count) = c.x.rightCols(d - first - count);
          c.x = std::move(x);
          return true;
        });
        any |= smaller;
        if (!smaller) first += step;
      }
    return any;
  }

  bool kernel() {
    bool any = false;
    for (std::size_t i = 0; i < best_.kernel.parts.size(); ++i)
      if (change([&](FitCase& c) {
            const KernelTree part = c.kernel.parts[i];
            c.kernel = part;
            return true;
          })) {
        any = true;
        break;
      }
    return any;
  }

  /// Fewer digits in the data.
  bool digits() {
    for (const double unit : {1.0, 0.1, 0.01, 0.001})
      if (change([&](FitCase& c) {
            const double most = c.x.cwiseAbs().maxCoeff();
            if (!(most > 1e-3) || !(most < 1e12)) return false;
            mercer::Matrix<double> x = (c.x / unit).array().round() * unit;
            if (c.precision == mercer::Precision::float32) x = x.cast<float>().cast<double>().eval();
            if (x == c.x) return false;
            c.x = std::move(x);
            return true;
          }))
        return true;
    return false;
  }

  FitCase best_;
  std::string claim_;
  double severity_;  ///< gross errors stay gross
  int trials_ = 0;
};

}  // namespace

FitCase shrink(FitCase c, const Violation& violation) { return Shrinker(std::move(c), violation).run(); }

}  // namespace certify
