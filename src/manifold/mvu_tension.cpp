// Each node gathers from its own links, so that threads never meet; each link is seen from both of its ends.
#include "manifold/mvu_tension.hpp"

#include "base/parallel.hpp"

namespace mercer {
namespace {

constexpr Index nodes_at_once = 512;

}  // namespace

template <class F>
void Tension::each_part(const Run& run, F&& body) const {
  const Index n = links_.size(), parts = (n + nodes_at_once - 1) / nodes_at_once;
  parallel_for(parts, run, [&](Index part) {
    body(part, part * nodes_at_once, std::min(n, (part + 1) * nodes_at_once));
  });
}

Tension::Tension(const MvuLinks& links, double pull, double stiffness)
    : links_(links), pull_(pull), stiffness_(stiffness) {
  const Index stored = links.squared.nonZeros();
  length_.resize(static_cast<std::size_t>(stored));
  multiplier_.assign(static_cast<std::size_t>(stored), 0);
  for (Index at = 0; at < stored; ++at)
    length_[static_cast<std::size_t>(at)] = std::sqrt(measuring(links.squared.valuePtr()[at]));
}

Eigen::RowVectorXd Tension::mean(const Matrix<double>& x) const {
  return links_.weight.transpose() * x / links_.weight.sum();
}

double Tension::gradient(const Matrix<double>& x, Matrix<double>& out, const Run& run) const {
  const Index k = x.cols();
  const Eigen::RowVectorXd center = mean(x);
  const auto* begin = links_.squared.outerIndexPtr();
  const auto* to = links_.squared.innerIndexPtr();
  const double* squared = links_.squared.valuePtr();
  out.resize(x.rows(), k);
  std::vector<double> sums(static_cast<std::size_t>(links_.size() / nodes_at_once + 1), 0);
  each_part(run, [&](Index part, Index first, Index last) {
    double sum = 0;
    for (Index i = first; i < last; ++i) {
      const double* xi = x.row(i).data();
      double* gi = out.row(i).data();
      const double c = links_.weight[i];
      for (Index a = 0; a < k; ++a) {
        const double off = xi[a] - center[a];
        gi[a] = -2 * pull_ * c * off;
        sum -= pull_ * c * off * off;
      }
      for (auto at = begin[i]; at < begin[i + 1]; ++at) {
        const double* xj = x.row(to[at]).data();
        double now = 0;
        for (Index a = 0; a < k; ++a) now += (xi[a] - xj[a]) * (xi[a] - xj[a]);
        const double d = length_[static_cast<std::size_t>(at)], g = (now - squared[at]) / d;
        const double w = multiplier_[static_cast<std::size_t>(at)], force = 2 * (w + stiffness_ * g) / d;
        sum += 0.5 * g * (w + 0.5 * stiffness_ * g);
        for (Index a = 0; a < k; ++a) gi[a] += force * (xi[a] - xj[a]);
      }
    }
    sums[static_cast<std::size_t>(part)] = sum;
  });
  double total = 0;
  for (const double sum : sums) total += sum;
  return total;
}

std::array<double, 5> Tension::along(const Matrix<double>& x, const Matrix<double>& p, const Run& run) const {
  const Index k = x.cols();
  const Eigen::RowVectorXd center = mean(x), drift = mean(p);
  const auto* begin = links_.squared.outerIndexPtr();
  const auto* to = links_.squared.innerIndexPtr();
  const double* squared = links_.squared.valuePtr();
  std::vector<std::array<double, 5>> sums(static_cast<std::size_t>(links_.size() / nodes_at_once + 1));
  each_part(run, [&](Index part, Index first, Index last) {
    std::array<double, 5> sum{};
    for (Index i = first; i < last; ++i) {
      const double *xi = x.row(i).data(), *pi = p.row(i).data();
      for (Index a = 0; a < k; ++a) {
        const double off = xi[a] - center[a], move = pi[a] - drift[a];
        sum[1] -= 2 * pull_ * links_.weight[i] * off * move;
        sum[2] -= pull_ * links_.weight[i] * move * move;
      }
      for (auto at = begin[i]; at < begin[i + 1]; ++at) {
        const double *xj = x.row(to[at]).data(), *pj = p.row(to[at]).data();
        double now = 0, turn = 0, far = 0;  // ‖u + tv‖² = u·u + 2t u·v + t² v·v
        for (Index a = 0; a < k; ++a) {
          const double u = xi[a] - xj[a], v = pi[a] - pj[a];
          now += u * u;
          turn += u * v;
          far += v * v;
        }
        const double d = length_[static_cast<std::size_t>(at)], g = (now - squared[at]) / d;
        const double g1 = 2 * turn / d, g2 = far / d;
        const double force = multiplier_[static_cast<std::size_t>(at)] + stiffness_ * g;
        sum[1] += 0.5 * force * g1;
        sum[2] += 0.5 * (force * g2 + 0.5 * stiffness_ * g1 * g1);
        sum[3] += 0.5 * stiffness_ * g1 * g2;
        sum[4] += 0.25 * stiffness_ * g2 * g2;
      }
    }
    sums[static_cast<std::size_t>(part)] = sum;
  });
  std::array<double, 5> total{};
  for (const auto& sum : sums)
    for (std::size_t e = 1; e < 5; ++e) total[e] += sum[e];
  return total;
}

void Tension::update(const Matrix<double>& x, const Run& run) {
  each_part(run, [&](Index, Index first, Index last) {
    for (Index i = first; i < last; ++i)
      for (auto at = links_.squared.outerIndexPtr()[i]; at < links_.squared.outerIndexPtr()[i + 1]; ++at) {
        const double now = (x.row(i) - x.row(links_.squared.innerIndexPtr()[at])).squaredNorm();
        multiplier_[static_cast<std::size_t>(at)] +=
            stiffness_ * (now - links_.squared.valuePtr()[at]) / length_[static_cast<std::size_t>(at)];
      }
  });
}

double Tension::change(const Matrix<double>& x, const Run& run) const {
  std::vector<double> sums(static_cast<std::size_t>(links_.size() / nodes_at_once + 1), 0);
  each_part(run, [&](Index part, Index first, Index last) {
    double sum = 0;
    for (Index i = first; i < last; ++i)
      for (SparseMatrix<double>::InnerIterator link(links_.squared, i); link; ++link) {
        const double now = (x.row(i) - x.row(link.col())).squaredNorm();
        const double change = (now - link.value()) / measuring(link.value());
        sum += change * change;
      }
    sums[static_cast<std::size_t>(part)] = sum;
  });
  double total = 0;
  for (const double sum : sums) total += sum;
  return std::sqrt(total / double(links_.squared.nonZeros()));
}

double least_place(const std::array<double, 5>& a) {
  const auto slope = [&](double t) { return a[1] + t * (2 * a[2] + t * (3 * a[3] + t * 4 * a[4])); };
  double low = 0, high = 1;
  for (int doubling = 0; slope(high) < 0 && doubling < 60; ++doubling) {
    low = high;
    high *= 2;
  }
  for (int halving = 0; halving < 60 && high - low > 1e-14 * high; ++halving) {
    const double middle = (low + high) / 2;
    (slope(middle) < 0 ? low : high) = middle;
  }
  return low > 0 ? low : high;
}

}  // namespace mercer
