// Random fits: every option drawn by itself, data of every kind that has broken a bound somewhere.
#include "draw.hpp"
#include "fit_case.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace certify {
namespace {

using mercer::Landmarks;
using mercer::Precision;
using mercer::Route;
using mercer::Scale;

/// Squared distances, and ‖x‖², as they typically are: what widths are measured by.
struct Typical {
  double sqdist = 1, l1dist = 1, square = 1, length = 1;
};

Typical typical_of(const FitCase& c, Draw& draw) {
  mercer::Matrix<double> x = c.x;
  if (c.scale != Scale::none) x.rowwise() -= x.colwise().mean().eval();
  if (c.scale == Scale::standardize)
    for (Index j = 0; j < x.cols(); ++j) {
      const double sigma = std::sqrt(x.col(j).squaredNorm() / double(x.rows()));
      if (sigma > 0) x.col(j) /= sigma;
    }
  std::vector<double> squares, lengths;
  for (int i = 0; i < 60 && x.rows() > 1; ++i) {
    const Index a = Index(draw.below(std::uint64_t(x.rows()))),
                b = Index(draw.below(std::uint64_t(x.rows())));
    if (a == b) continue;
    squares.push_back((x.row(a) - x.row(b)).squaredNorm());
    lengths.push_back((x.row(a) - x.row(b)).cwiseAbs().sum());
  }
  const auto middle = [](std::vector<double>& v) {
    v.erase(std::remove_if(v.begin(), v.end(), [](double s) { return !(s > 0) || !std::isfinite(s); }),
            v.end());
    if (v.empty()) return 1.0;
    std::nth_element(v.begin(), v.begin() + std::ptrdiff_t(v.size() / 2), v.end());
    return v[v.size() / 2];
  };
  Typical out;
  out.sqdist = middle(squares), out.l1dist = middle(lengths);
  out.square = x.rowwise().squaredNorm().mean();
  if (!(out.square > 0) || !std::isfinite(out.square)) out.square = 1;
  out.length = std::sqrt(out.sqdist);
  return out;
}

/// Numbers that print shortly: two digits.
double rounded(double value) {
  if (value == 0 || !std::isfinite(value)) return 1;
  const double unit = std::pow(10.0, std::floor(std::log10(std::abs(value))) - 1);
  const double out = std::round(value / unit) * unit;
  return out != 0 && std::isfinite(out) ? out : value;
}

double exponent_factor(FitCase& c, Draw& draw) {
  switch (draw.below(8)) {
    case 0:
      c.width = "useless: K near I";
      return std::pow(10.0, draw.between(4, 8));
    case 1:
      c.width = "useless: K near 11'";
      return std::pow(10.0, draw.between(-12, -6));
    case 2:
      c.width = "narrow";
      return std::pow(10.0, draw.between(1, 2));
    case 3:
    case 4:
      c.width = "wide";
      return std::pow(10.0, draw.between(-4, -1));
    default:
      c.width = "as the data";
      return std::pow(10.0, draw.between(-0.7, 0.7));
  }
}

KernelTree leaf(FitCase& c, const Typical& t, bool psd, Draw& draw) {
  static const std::vector<std::string> names = {
      "rbf", "rbf",      "rbf",    "linear", "poly",    "laplacian",    "matern32",
      "rq",  "matern52", "cosine", "chi2",   "sigmoid", "additive_chi2"};
  KernelTree k;
  const std::uint64_t place = draw.below(psd ? names.size() - 2 : names.size());
  k.name = names[place];
  if (!psd && place < 6) k.name = place % 2 ? "sigmoid" : "additive_chi2";  // or few would be indefinite
  const double factor = exponent_factor(c, draw);
  if (k.name == "linear" || k.name == "cosine" || k.name == "additive_chi2") {
    c.width = "-";
  } else if (k.name == "poly" || k.name == "sigmoid") {
    c.width = "-";
    const double gamma = draw.chance(0.5) ? 1 : rounded(factor / t.square);
    const double coefs[] = {1, 0, 0.5, 10, psd ? 2.0 : -0.5};
    const double coef = coefs[draw.below(5)];
    k.parameters = k.name == "poly" ? std::vector<double>{double(1 + draw.below(4)), gamma, coef}
                                    : std::vector<double>{rounded(factor / t.square), coef};
  } else if (k.name == "rbf" || k.name == "laplacian" || k.name == "chi2") {
    if (draw.chance(0.2)) k.width = draw.chance(0.7) ? "median" : "auto";
    if (!k.width.empty()) c.width = "of the data";
    k.parameters = {rounded(factor / (2 * (k.name == "rbf" ? t.sqdist : t.l1dist)))};
  } else {
    k.parameters = {rounded(t.length / std::sqrt(factor))};
    if (k.name == "rq") k.parameters.push_back(rounded(draw.between(0.2, 4)));
  }
  return k;
}

KernelTree tree(FitCase& c, const Typical& t, bool psd, Draw& draw, int depth) {
  KernelTree k;
  const double which = draw.uniform();
  if (depth >= 2 || which > 0.3) return leaf(c, t, psd, draw);
  if (which < 0.08) {
    k.kind = KernelTree::Kind::multiple;
    k.factor = rounded(std::pow(10.0, draw.between(-3, 3)));
    k.parts = {tree(c, t, psd, draw, depth + 1)};
    if (k.parts[0].kind == KernelTree::Kind::multiple) return k.parts[0];
    return k;
  }
  k.kind = which < 0.2 ? KernelTree::Kind::sum : KernelTree::Kind::product;
  for (int i = 0; i < 2; ++i) {
    KernelTree part = tree(c, t, psd, draw, depth + 1);
    if (k.kind == KernelTree::Kind::product && part.kind == KernelTree::Kind::multiple) part = part.parts[0];
    if (part.kind == k.kind)
      k.parts.insert(k.parts.end(), part.parts.begin(), part.parts.end());
    else
      k.parts.push_back(part);
  }
  return k;
}

void draw_low_rank(FitCase& c, Draw& draw) {
  const Index n = c.x.rows();
  mercer::LowRank& low = c.lowrank;
  const double which = draw.uniform();
  low.landmarks = which < 0.45   ? Landmarks::pivoted
                  : which < 0.65 ? Landmarks::uniform
                  : which < 0.8  ? Landmarks::kmeans
                                 : Landmarks::given;
  if (c.sparse && low.landmarks == Landmarks::kmeans) low.landmarks = Landmarks::uniform;
  if (draw.chance(0.2)) {
    const Chain chains[] = {Chain::update, Chain::grow, Chain::merge, Chain::refit};
    c.chain = chains[draw.below(4)];
    c.first_rows = std::max<Index>(1, Index(double(n) * draw.between(0.3, 0.8)));
    if (n < 3) c.chain = Chain::none;
  }
  const Index rows = c.chain == Chain::none ? n : c.first_rows;
  const Index rank = 1 + Index(draw.below(std::uint64_t(rows)));
  if (low.landmarks == Landmarks::given) {
    std::vector<Index> all(static_cast<std::size_t>(rows));
    std::iota(all.begin(), all.end(), Index(0));
    for (std::size_t i = 0; i < all.size(); ++i) std::swap(all[i], all[i + draw.below(all.size() - i)]);
    low.given.assign(all.begin(), all.begin() + rank);
  } else if (low.landmarks == Landmarks::pivoted && draw.chance(0.5)) {
    if (draw.chance(0.8)) low.tolerance = rounded(std::pow(10.0, draw.between(-12, -0.5)));
  } else {
    low.rank = rank;
  }
  c.streamed = draw.chance(0.3);
}

void draw_kernel_pca(FitCase& c, Draw& draw) {
  const double which = draw.uniform();
  c.route = which < 0.3    ? Route::dense
            : which < 0.42 ? Route::stored
            : which < 0.54 ? Route::tiled
                           : Route::lowrank;
  const bool psd = c.route == Route::lowrank || draw.chance(0.85);
  const Typical t = typical_of(c, draw);
  c.kernel = tree(c, t, psd, draw, 0);
  if (c.kernel.has("chi2") || c.kernel.has("additive_chi2")) {
    c.x = c.x.cwiseAbs().eval();
    c.scale = Scale::none;
  }
  if (!c.kernel.is_psd() && draw.chance(0.6)) c.indefinite = mercer::Indefinite::clip;
  if (c.route == Route::lowrank) draw_low_rank(c, draw);
  if (draw.chance(0.1)) c.residual = rounded(std::pow(10.0, draw.between(-11, -3)));
}

void draw_pca(FitCase& c, Draw& draw) {
  const Route routes[] = {Route::automatic, Route::dense, Route::stored, Route::tiled};
  c.route = routes[draw.below(4)];
  c.unbiased = c.x.rows() > 1 && draw.chance(0.2);
  if (c.method != "basis-pca") return;
  c.unbiased = false;
  const char* bases[] = {"poly(degree=2)",      "poly(degree=3)",  "monomials(degree=2)",
                         "monomials(degree=3)", "radial(count=5)", "cosines(count=2)"};
  if (c.x.cols() > 6) c.x = c.x.leftCols(6).eval();
  c.basis = bases[draw.below(6)];
  if (draw.chance(0.3)) c.smallest = Index(1 + draw.below(3)), c.route = Route::automatic;
}

void draw_discriminant(FitCase& c, Draw& draw) {
  const Index n = c.x.rows();
  const std::uint64_t classes = 2 + draw.below(4);
  for (Index i = 0; i < n; ++i) {
    c.classes.push_back(std::int32_t(i < Index(classes) ? std::uint64_t(i) : draw.below(classes)));
    if (!c.sparse && draw.chance(0.9)) c.x(i, c.classes.back() % c.x.cols()) += double(c.classes.back());
  }
  if (c.precision == Precision::float32) c.x = c.x.cast<float>().cast<double>().eval();
  c.center = true;
  c.components = Index(1 + draw.below(classes - 1));
  c.ridge = rounded(std::pow(10.0, draw.between(-6, 3)));
  c.delta = 1e-6;
  if (c.method == "lda") {
    if (draw.chance(0.25)) c.ridge = 0;
    return;
  }
  c.kernel = tree(c, typical_of(c, draw), true, draw, 0);
  if (c.kernel.has("chi2")) c.x = c.x.cwiseAbs().eval(), c.scale = Scale::none;
  c.route = draw.chance(0.5) ? Route::dense : Route::lowrank;
  if (c.route == Route::lowrank) draw_low_rank(c, draw);
  c.streamed = false, c.chain = Chain::none;
  for (auto& row : c.lowrank.given) row = row % n;
}

void draw_map(FitCase& c, Draw& draw) {
  c.scale = Scale::none;
  c.center = true;
  c.delta = 1e-6;
  if (c.x.rows() > 120) c.x = c.x.topRows(120).eval();
  c.components = std::min<Index>(Index(1 + draw.below(3)), std::max<Index>(1, c.x.rows() - 2));
  c.neighbors = Index(3 + draw.below(10));
  const char* kinds[] = {"unnormalized", "symmetric", "random-walk"};
  if (c.method == "hlle") {  // a quadratic is fitted to each neighbourhood
    c.components = std::min<Index>(Index(1 + draw.below(2)), c.x.cols());
    c.neighbors += 3;
  }
  c.variant = kinds[draw.below(3)];
  c.other_threads = false;
  if (c.method == "laplacian") {
    c.heat = draw.chance(0.5);
    if (draw.chance(0.4)) {
      c.variant = "random-walk", c.heat = true;
      c.diffusion = 0.5 * double(draw.below(7)), c.density = 0.5 * double(draw.below(3));
    }
  }
  if (c.method == "lle") {
    c.variant = draw.chance(0.5) ? "modified" : "standard";
    // Half of the neighbourhoods are to lie on either side of the median: with an odd number one lies on it.
    if (c.variant == "modified" && c.x.rows() % 2 == 1 && c.x.rows() > 1)
      c.x = c.x.topRows(c.x.rows() - 1).eval();
  }
}

void draw_features(FitCase& c, Draw& draw) {
  const char* names[] = {"rbf", "laplacian", "matern32", "matern52"};
  const Typical t = typical_of(c, draw);
  c.kernel.name = names[draw.below(4)];
  const bool length = c.kernel.name[0] == 'm';
  const double factor = exponent_factor(c, draw);
  c.kernel.parameters = {rounded(length ? t.length / std::sqrt(factor)
                                        : factor / (2 * (c.kernel.name == "rbf" ? t.sqdist : t.l1dist)))};
  c.features = Index(2 * (4 + draw.below(60)));
  c.delta = 1e-6;
  if (c.components.share > 0 || c.components.count > 8) c.components = 3;
}

void draw_gaps(FitCase& c, Draw& draw) {
  if (c.x.rows() > 60) c.x = c.x.topRows(60).eval();
  if (c.x.cols() > 12) c.x = c.x.leftCols(12).eval();
  c.sparse = false, c.scale = Scale::none, c.delta = 1e-6, c.saved = c.other_threads = false;
  c.components = Index(1 + draw.below(3));
  c.gaps = draw.chance(0.2) ? 0 : draw.between(0.02, 0.3);
  if (draw.chance(0.5)) c.ridge = rounded(std::pow(10.0, draw.between(-3, 1)));
}

void draw_method(FitCase& c, Draw& draw) {
  const double which = draw.uniform();
  c.method = which < 0.6     ? "kpca"
             : which < 0.72  ? "pca"
             : which < 0.79  ? "basis-pca"
             : which < 0.83  ? "lda"
             : which < 0.9   ? "klda"
             : which < 0.92  ? "isomap"
             : which < 0.935 ? "lle"
             : which < 0.945 ? "hlle"
             : which < 0.965 ? "laplacian"
             : which < 0.98  ? "features"
                             : "missing";
  if (c.method == "kpca") return draw_kernel_pca(c, draw);
  if (c.method == "pca" || c.method == "basis-pca") return draw_pca(c, draw);
  if (c.method == "lda" || c.method == "klda") return draw_discriminant(c, draw);
  if (c.method == "features") return draw_features(c, draw);
  if (c.method == "missing") return draw_gaps(c, draw);
  draw_map(c, draw);
}

}  // namespace

FitCase draw_case(std::uint64_t seed, bool small) {
  Draw draw(seed);
  FitCase c;
  c.seed = seed;
  if (draw.chance(0.3)) c.precision = Precision::float32;
  draw_data(c, draw, small);
  if (!c.sparse && draw.chance(0.3)) c.scale = draw.chance(0.5) ? Scale::center : Scale::standardize;
  c.center = draw.chance(0.75);
  const double which = draw.uniform();
  if (which < 0.1)
    c.components = mercer::Components::variance_share(rounded(draw.between(0.3, 0.999)));
  else if (which < 0.15)
    c.components = Index(c.x.rows());
  else
    c.components = Index(1 + draw.below(8));
  const double deltas[] = {1e-6, 1e-6, 1e-6, 1e-2, 0.1};
  c.delta = deltas[draw.below(5)];
  c.threads = draw.chance(0.1) ? 2 : 1;
  c.saved = draw.chance(0.25);
  c.other_threads = draw.chance(0.1);
  draw_method(c, draw);
  return c;
}

}  // namespace certify
