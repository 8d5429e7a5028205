// Data sets made by a formula and a seed: the seeds' pictures (three modes, unit directions, two
// classes, circles) and the usual test shapes. Random numbers depend on the seed and the place alone.
#include <mercer/generate.hpp>

#include "base/random.hpp"
#include "data/label.hpp"

#include <mercer/error.hpp>

#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <numeric>

namespace mercer {

namespace {

constexpr double pi = std::numbers::pi;

/// What a recipe fills in: points, and a class or a number a point.
struct Draft {
  Matrix<double> points;
  std::string label;                 ///< name of the label column; empty: none
  std::vector<std::string> classes;  ///< one a point, or
  std::vector<double> numbers;       ///< one a point

  Draft(Index n, Index d, std::string label_name = {}) : points(n, d), label(std::move(label_name)) {}
};

/// n points shared out over `parts`, the first ones getting the remainder.
Index share(Index n, Index parts, Index part) { return n / parts + (part < n % parts ? 1 : 0); }

void add_noise(Draft& draft, double sd, std::uint64_t seed) {
  Random noise(seed, 1);
  for (Index i = 0; i < draft.points.rows(); ++i)
    for (Index j = 0; j < draft.points.cols(); ++j) draft.points(i, j) += sd * noise.normal();
}

Draft circles(Index n, std::uint64_t seed) {
  Draft out(n, 2, "class");
  Index row = 0;
  for (const Index part : {0, 1}) {
    const Index count = share(n, 2, part);
    const double radius = part == 0 ? 1 : 0.3;
    for (Index i = 0; i < count; ++i, ++row) {
      const double angle = 2 * pi * static_cast<double>(i) / static_cast<double>(count);
      out.points.row(row) << radius * std::cos(angle), radius * std::sin(angle);
      out.classes.emplace_back(part == 0 ? "outer" : "inner");
    }
  }
  add_noise(out, 0.05, seed);
  return out;
}

Draft moons(Index n, std::uint64_t seed) {
  Draft out(n, 2, "class");
  Index row = 0;
  for (const Index part : {0, 1}) {
    const Index count = share(n, 2, part);
    for (Index i = 0; i < count; ++i, ++row) {
      const double angle = pi * static_cast<double>(i) / static_cast<double>(std::max<Index>(1, count - 1));
      if (part == 0)
        out.points.row(row) << std::cos(angle), std::sin(angle);
      else
        out.points.row(row) << 1 - std::cos(angle), 0.5 - std::sin(angle);
      out.classes.emplace_back(part == 0 ? "upper" : "lower");
    }
  }
  add_noise(out, 0.05, seed);
  return out;
}

Draft swiss_roll(Index n, std::uint64_t seed) {
  Draft out(n, 3, "t");
  Random random(seed);
  for (Index i = 0; i < n; ++i) {
    const double t = 1.5 * pi * (1 + 2 * random.uniform());
    out.points.row(i) << t * std::cos(t), 21 * random.uniform(), t * std::sin(t);
    out.numbers.push_back(t);
  }
  return out;
}

Draft s_curve(Index n, std::uint64_t seed) {
  Draft out(n, 3, "t");
  Random random(seed);
  for (Index i = 0; i < n; ++i) {
    const double t = 3 * pi * (random.uniform() - 0.5);
    out.points.row(i) << std::sin(t), 2 * random.uniform(), std::copysign(1.0, t) * (std::cos(t) - 1);
    out.numbers.push_back(t);
  }
  return out;
}

/// Schölkopf, Smola and Müller's toy: three Gaussian clusters, sd 0.1.
Draft three_modes(Index n, std::uint64_t seed) {
  constexpr double centres[3][2] = {{-0.5, -0.2}, {0.0, 0.6}, {0.5, 0.0}};
  Draft out(n, 2, "mode");
  Index row = 0;
  for (Index part = 0; part < 3; ++part)
    for (Index i = share(n, 3, part); i > 0; --i, ++row) {
      out.points.row(row) << centres[part][0], centres[part][1];
      out.classes.push_back(std::to_string(part + 1));
    }
  add_noise(out, 0.1, seed);
  return out;
}

/// A cluster inside an open ring: on every line through the plane the two classes overlap.
Draft two_classes(Index n, std::uint64_t seed) {
  Draft out(n, 2, "class");
  Random random(seed);
  const Index inside = share(n, 2, 0);
  for (Index i = 0; i < n; ++i) {
    const double angle = 1.75 * pi * random.uniform();
    const double radius = 2 + 0.2 * random.normal();
    if (i < inside)
      out.points.row(i) << 0.35 * random.normal(), 0.35 * random.normal();
    else
      out.points.row(i) << radius * std::cos(angle), radius * std::sin(angle);
    out.classes.emplace_back(i < inside ? "inside" : "around");
  }
  return out;
}

constexpr GeneratorShape usual_gaussians{.features = 20, .clusters = 15};

Draft gaussians(Index n, std::uint64_t seed, const GeneratorShape& shape) {
  const Index parts = shape.clusters, d = shape.features;
  Random places(seed, 2);
  Matrix<double> centres(parts, d);
  for (Index i = 0; i < parts; ++i)
    for (Index j = 0; j < d; ++j) centres(i, j) = 2 * places.normal();
  Draft out(n, d, "class");
  for (Index i = 0; i < n; ++i) {
    out.points.row(i) = centres.row(i % parts);
    out.numbers.push_back(static_cast<double>(i % parts));
  }
  add_noise(out, 1, seed);
  return out;
}

/// ±e1, ±e2, ±e3 equally often: mean 0 and covariance I/3, so that PCA sees three equal shares.
Draft unit_directions(Index n, std::uint64_t /*seed*/) {
  if (n % 6 != 0)
    throw Error(ErrorCode::usage, fmt::format("unit-directions of {} points", n),
                "n must be a multiple of 6");
  Draft out(n, 3, "direction");
  out.points.setZero();
  for (Index i = 0; i < n; ++i) {
    const Index axis = i * 3 / n;
    out.points(i, axis) = i % 2 == 0 ? 1 : -1;
    out.classes.push_back(fmt::format("e{}", axis + 1));
  }
  return out;
}

/// On a circle the monomials of degree 2 are dependent: mission row M8 counts the eigenvalues.
Draft circle(Index n, std::uint64_t seed) {
  constexpr double a = 1, b = 2, r = 1.5;
  Draft out(n, 2);
  Random random(seed);
  for (Index i = 0; i < n; ++i) {
    const double angle = 2 * pi * (static_cast<double>(i) + random.uniform()) / static_cast<double>(n);
    out.points.row(i) << a + r * std::cos(angle), b + r * std::sin(angle);
  }
  return out;
}

Draft sphere(Index n, std::uint64_t seed) {
  Draft out(n, 3);
  Random random(seed);
  for (Index i = 0; i < n; ++i) {
    const double z = 2 * random.uniform() - 1, angle = 2 * pi * random.uniform();
    const double across = std::sqrt(1 - z * z);
    out.points.row(i) << across * std::cos(angle), across * std::sin(angle), z;
  }
  return out;
}

/// A sphere without its poles, cut open along a meridian; t is the longitude.
Draft severed_sphere(Index n, std::uint64_t seed) {
  constexpr double gap = 0.55, cap = pi / 8;
  Draft out(n, 3, "t");
  Random random(seed);
  for (Index i = 0; i < n; ++i) {
    const double t = (2 * pi - gap) * random.uniform(), polar = cap + (pi - 2 * cap) * random.uniform();
    out.points.row(i) << std::sin(polar) * std::cos(t), std::sin(polar) * std::sin(t), std::cos(polar);
    out.numbers.push_back(t);
  }
  return out;
}

struct Recipe {
  Generator generator;
  Index least;
  Draft (*make)(Index n, std::uint64_t seed);  ///< null for gaussians, which has a shape besides
};

const std::vector<Recipe>& recipes() {
  static const std::vector<Recipe> all{
      {{"circles", "two concentric circles with noise", 400}, 2, circles},
      {{"moons", "two half circles that reach into each other", 400}, 2, moons},
      {{"swiss-roll", "a rolled-up sheet in 3-D; t is the place along the roll", 1000}, 1, swiss_roll},
      {{"s-curve", "a sheet bent to an S in 3-D; t is the place along it", 1000}, 1, s_curve},
      {{"severed-sphere", "a sphere without poles, cut open; t is the longitude", 1000}, 1, severed_sphere},
      {{"three-modes", "three Gaussian clusters in the plane", 60}, 3, three_modes},
      {{"two-classes", "a cluster inside an open ring", 200}, 2, two_classes},
      {{"gaussians", "a mixture of 15 Gaussians in 20 dimensions", 1500}, 1, nullptr},
      {{"unit-directions", "plus and minus the three unit vectors: equal linear variances", 60},
       6,
       unit_directions},
      {{"circle", "points exactly on the circle around (1, 2) of radius 1.5", 100}, 1, circle},
      {{"sphere", "points spread evenly on the unit sphere", 500}, 1, sphere},
  };
  return all;
}

const Recipe& find_recipe(std::string_view name) {
  std::string names;
  for (const Recipe& r : recipes()) {
    if (r.generator.name == name) return r;
    names += (names.empty() ? "" : ", ") + r.generator.name;
  }
  throw Error(ErrorCode::usage, fmt::format("unknown data set '{}'", name), "known: " + names);
}

}  // namespace

const std::vector<Generator>& generators() {
  static const std::vector<Generator> all = [] {
    std::vector<Generator> out;
    for (const Recipe& r : recipes()) out.push_back(r.generator);
    return out;
  }();
  return all;
}

Dataset<double> generate(std::string_view name, Index n, std::uint64_t seed, const GeneratorShape& wanted) {
  const Recipe& recipe = find_recipe(name);
  if (n == 0) n = recipe.generator.default_n;
  if (wanted.features < 0 || wanted.clusters < 0)
    throw Error(ErrorCode::usage, fmt::format("{} with a negative number of features or clusters", name));
  if (recipe.make != nullptr && (wanted.features > 0 || wanted.clusters > 0))
    throw Error(ErrorCode::usage, fmt::format("{} has a shape of its own", name),
                "only gaussians takes a number of features and clusters");
  const GeneratorShape shape{.features = wanted.features > 0 ? wanted.features : usual_gaussians.features,
                             .clusters = wanted.clusters > 0 ? wanted.clusters : usual_gaussians.clusters};
  const Index least = recipe.make != nullptr ? recipe.least : shape.clusters;
  if (n < least)
    throw Error(ErrorCode::usage, fmt::format("{} of {} points", name, n),
                fmt::format("n must be at least {}", least));
  Draft draft = recipe.make != nullptr ? recipe.make(n, seed) : gaussians(n, seed, shape);

  Dataset<double> out;
  for (Index j = 0; j < draft.points.cols(); ++j) out.columns.push_back(fmt::format("x{}", j + 1));
  if (!draft.label.empty()) {
    std::vector<Index> rows(static_cast<std::size_t>(n));
    std::iota(rows.begin(), rows.end(), Index{0});
    RawLabel label{draft.label, {draft.classes.begin(), draft.classes.end()}, draft.numbers, nullptr};
    out.label = make_label(label, rows);
  }
  out.samples = std::move(draft.points);
  return out;
}

}  // namespace mercer
