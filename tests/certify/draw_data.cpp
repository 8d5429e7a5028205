// Data of every kind that has broken a bound somewhere.
#include "draw.hpp"

#include <algorithm>

namespace certify {
namespace {

Index draw_rows(Draw& draw, bool small) {
  const double which = draw.uniform();
  const auto in = [&](int low, int high) {
    return Index(low + int(draw.below(std::uint64_t(high - low + 1))));
  };
  if (small) return which < 0.05 ? in(1, 4) : in(5, 48);
  if (which < 0.02) return in(1, 4);
  if (which < 0.62) return in(5, 60);
  if (which < 0.975) return in(61, 128);
  if (which < 0.995) return in(129, 220);
  if (which < 0.9997) return in(221, 800);
  return Index(801 * std::pow(5000.0 / 801, draw.uniform()));
}

Index draw_features(Draw& draw, Index n) {
  const double which = draw.uniform();
  if (which < 0.75 || n > 800) return Index(1 + draw.below(6));
  if (which < 0.95) return Index(7 + draw.below(40));
  return Index(48 + draw.below(n > 128 ? 100 : 350));
}

void draw_shape(FitCase& c, Draw& draw) {
  auto& x = c.x;
  const Index n = x.rows(), d = x.cols();
  for (Index i = 0; i < x.size(); ++i) x.data()[i] = draw.normal();
  const auto row = [&] { return Index(draw.below(std::uint64_t(n))); };
  switch (draw.below(12)) {
    case 0:
      c.shape = "equal points";
      for (Index i = 0, m = 1 + Index(draw.below(5)); i < n; ++i) x.row(i) = 10.0 * x.row(i % std::min(n, m));
      break;
    case 1:
      c.shape = "one far point";
      x.row(row()) *= std::pow(10.0, double(1 + draw.below(6)));
      break;
    case 2:
      c.shape = "duplicates";
      for (Index i = n / 2; i < n; ++i) x.row(i) = x.row(i - n / 2);
      break;
    case 3: {
      c.shape = "near-duplicates";
      const double near = std::pow(10.0, -double(2 + draw.below(10)));
      for (Index i = n / 2; i < n; ++i) x.row(i) = x.row(i - n / 2) + near * x.row(i);
      break;
    }
    case 4:
      c.shape = "dependent columns";
      for (Index j = 1; j < d; ++j) x.col(j) = double(j % 7) * x.col(0);
      break;
    case 5:
      c.shape = "constant columns";
      for (Index j = 0; j < d; j += 2) x.col(j).setConstant(std::round(5 * draw.normal()));
      break;
    case 6: {
      c.shape = "clusters";
      const Index m = 2 + Index(draw.below(4));
      const double apart = std::pow(10.0, draw.between(0.5, 4));
      for (Index i = 0; i < n; ++i) x(i, (i % m) % d) += apart * double(1 + i % m);
      break;
    }
    case 7:
      c.shape = "a lattice";
      for (Index i = 0; i < n; ++i) x.row(i).setConstant(double(i));
      break;
    case 8:
      c.shape = "whole numbers";
      x = (2 * x).array().round();
      break;
    case 9:
      c.shape = "columns of unlike size";
      for (Index j = 0; j < d; ++j) x.col(j) *= std::pow(10.0, draw.between(-4, 4));
      break;
    case 10:
      c.shape = "a curve";
      for (Index i = 0; i < n; ++i)
        for (Index j = 0; j < d; ++j)
          x(i, j) = std::sin(double(j + 1) * 3.0 * double(i) / double(n)) + 0.01 * x(i, j);
      break;
    default:
      c.shape = "normal";
  }
}

}  // namespace

void draw_data(FitCase& c, Draw& draw, bool small) {
  const Index n = draw_rows(draw, small), d = draw_features(draw, n);
  c.x.resize(n, d);
  draw_shape(c, draw);
  c.sparse = draw.chance(0.12);
  if (c.sparse)
    for (Index i = 0; i < c.x.size(); ++i)
      if (draw.chance(0.6)) c.x.data()[i] = 0;
  const bool single = c.precision == mercer::Precision::float32;
  if (!c.sparse && draw.chance(0.2)) {
    c.offset = std::pow(10.0, double(1 + draw.below(single ? 4 : 8)));
    for (Index j = 0; j < d; ++j) c.x.col(j).array() += c.offset * (j % 2 ? 1.0 : 2.0);
  }
  if (draw.chance(0.1)) {
    const int some[] = {-3, 3, -8, 8, -20, 20, -100, 100, -300, 300};
    c.exponent = some[draw.below(single ? 6 : 10)];
    c.x *= std::pow(10.0, c.exponent);
  }
  if (single) c.x = c.x.cast<float>().cast<double>().eval();
}

}  // namespace certify
