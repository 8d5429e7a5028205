// Charges spread, transformed by rows, multiplied by the kernels while a bundle of columns is at hand, and
// transformed back. Rows of zeros are neither transformed nor kept.
#include "manifold/tsne_field.hpp"

#include "base/thread_scratch.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace mercer {
namespace {

/// Of nodes, where lengths of 1 matter: see tests/manifold/tsne_field_test.cpp for the error.
constexpr double widest_spacing = 0.4;
/// A small map gets a finer grid: what matters is small against the map then.
constexpr double least_intervals = 50;
/// Nodes around the map: splines need two on each side, and their inverse dies away by 0.27 a node from where
/// the kernels' ends meet.
constexpr double margin = 12;
/// Nodes that a map may grow by before the grid must.
constexpr double slack = 1.05;
constexpr Index most_parts = 8, points_a_part = 8192, grid_rows_at_once = 8;

template <class T>
T* aligned_scratch(Index count) {
  constexpr std::uintptr_t alignment = 64;
  T* raw = thread_scratch<T>(count + static_cast<Index>(alignment / sizeof(T)));
  return reinterpret_cast<T*>((reinterpret_cast<std::uintptr_t>(raw) + alignment - 1) / alignment *
                              alignment);
}

/// Distance in nodes on the circle; 0 for the farthest, which is on no side.
double signed_step(Index i, Index size) {
  if (2 * i == size) return 0;
  return double(2 * i < size ? i : i - size);
}

/// What a cubic B-spline's values at the nodes, 1/6, 4/6, 1/6, make of the first frequencies; 1 where there
/// is one row.
std::vector<double> spline_transforms(Index count, Index size) {
  std::vector<double> out(static_cast<std::size_t>(count), 1.0);
  for (Index i = 0; i < count && size > 1; ++i)
    out[static_cast<std::size_t>(i)] = (2 + std::cos(2 * std::numbers::pi * double(i) / double(size))) / 3;
  return out;
}

/// In steps, so that the kernels stay for a while.
double spacing_for(double longest) {
  const double fine = longest / (widest_spacing * least_intervals);
  return fine < 1 ? widest_spacing * std::exp2(std::floor(2 * std::log2(std::max(fine, 1e-30))) / 2)
                  : widest_spacing;
}

/// How far the map reaches along each axis.
struct Extent {
  double low = 0, high = 0;
  [[nodiscard]] double length() const { return high - low; }
};
template <class T>
std::array<Extent, 2> extents_of(const TsneMap<T>& map, const Run& run) {
  constexpr Index chunk = 4096;
  std::array<Extent, 2> out;
  std::vector<Extent> parts(static_cast<std::size_t>((map.points() + chunk - 1) / chunk));
  for (Index c = 0; c < map.components(); ++c) {
    const T* const axis = map.axis(c);
    for_chunks(map.points(), chunk, run, [&](Index first, Index last) {
      T low = axis[first], high = low;
      for (Index i = first + 1; i < last; ++i) low = std::min(low, axis[i]), high = std::max(high, axis[i]);
      parts[static_cast<std::size_t>(first / chunk)] = {double(low), double(high)};
    });
    Extent& all = out[static_cast<std::size_t>(c)] = parts.front();
    for (const Extent& part : parts) all = {std::min(all.low, part.low), std::max(all.high, part.high)};
  }
  return out;
}
double longest_of(const std::array<Extent, 2>& extents) {
  return std::max(extents[0].length(), extents[1].length());
}

}  // namespace

template <class T>
double TsneField<T>::bytes(Index components, Index nodes) {
  const double across = double(nodes), down = components == 2 ? double(nodes) : 1;
  const double fields = double(components + 1);
  // Spectra, kernels, one kernel in the making, charges in parts, fields.
  return double(sizeof(T)) * across * down * (2 * fields + 2 * fields + 4 + most_parts + fields_a_node);
}

template <class T>
bool TsneField<T>::fit_grid(const TsneMap<T>& map, const Run& run) {
  const std::array<Extent, 2> extents = extents_of(map, run);
  if (longest_of(extents) > widest_spacing * (double(most_nodes_) - 2 * margin)) return false;
  const T spacing = T(spacing_for(longest_of(extents)));
  Index sizes[2] = {length_, height_};
  bool fits = spacing == grid_.spacing && !plans_.empty();
  for (Index c = 0; c < components_; ++c) {
    const Extent& extent = extents[static_cast<std::size_t>(c)];
    const double nodes = std::ceil(extent.length() / double(spacing)) + margin;
    const Index wanted = fast_fourier_size(2 * static_cast<Index>(std::max(8.0, nodes * slack)));
    if (sizes[c] < 2 * static_cast<Index>(nodes) || sizes[c] > 2 * wanted) {
      sizes[c] = wanted;
      fits = false;
    }
  }
  if (!fits) {
    grid_.spacing = spacing;
    resize(sizes[0], components_ == 2 ? sizes[1] : 1);
  }
  const Index nodes[2] = {grid_.cols, grid_.rows};
  for (Index c = 0; c < components_; ++c) {
    const Extent& extent = extents[static_cast<std::size_t>(c)];
    grid_.origin[c] = T((extent.low + extent.high) / 2 - double(spacing) * double(nodes[c] - 1) / 2);
  }
  return true;
}

template <class T>
void TsneField<T>::resize(Index length, Index height) {
  const bool same = length == length_ && height == height_ && !plans_.empty();
  if (!same) {
    length_ = length;
    height_ = height;
    constexpr Index bundle = FourierPlans<T>::bundle;
    pitch_ = (length / 2 + 1 + bundle - 1) / bundle * bundle;
    grid_.components = components_;
    grid_.cols = length / 2;
    grid_.rows = components_ == 2 ? height / 2 : 1;
    plans_.clear();
    plans_.emplace_back(length, height);
    spectra_.clear();
    kernels_.clear();
    for (Index k = 0; k <= components_; ++k) {
      spectra_.emplace_back(grid_.rows * pitch_);
      std::fill_n(spectra_.back().data(), grid_.rows * pitch_, Complex());
      kernels_.emplace_back(height * pitch_);
    }
    fields_ = AlignedArray<T>(grid_.rows * grid_.cols * fields_a_node);
    std::fill_n(fields_.data(), grid_.rows * grid_.cols * fields_a_node, T(0));
    parts_ = 0;
  }
  kernels_ready_ = false;
}

/// What they are at a distance (x, y): 1/(1 + r²), x/(1 + r²)², y/(1 + r²)². The transform of the first,
/// which is even, is real; that of the others, which are odd, is i times a real one.
template <class T>
void TsneField<T>::transform_kernels(const Run& run) {
  constexpr Index bundle = FourierPlans<T>::bundle;
  const double h = double(grid_.spacing), scale = 1 / (double(length_) * double(height_));
  const std::vector<double> down = spline_transforms(height_, height_),
                            across = spline_transforms(pitch_, length_);
  AlignedArray<Complex> rows(height_ * pitch_);
  std::fill_n(rows.data(), height_ * pitch_, Complex());
  for (Index k = 0; k <= components_; ++k) {
    for_chunks(height_, grid_rows_at_once, run, [&](Index first, Index last) {
      T* row = aligned_scratch<T>(length_);
      for (Index r = first; r < last; ++r) {
        const double v = double(std::min(r, height_ - r)), y = h * signed_step(r, height_);
        for (Index c = 0; c < length_; ++c) {
          const double u = double(std::min(c, length_ - c)), x = h * signed_step(c, length_);
          const double w = 1 / (1 + h * h * (u * u + v * v));
          row[c] = T(scale * (k == 0 ? w : w * w * (k == 1 ? x : y)));
        }
        plans_.front().row_forward(row, rows.data() + r * pitch_);
      }
    });
    for_chunks(pitch_, bundle, run, [&](Index first, Index) {
      auto* columns = reinterpret_cast<Complex*>(aligned_scratch<T>(2 * height_ * bundle));
      for (Index r = 0; r < height_; ++r)
        std::copy_n(rows.data() + r * pitch_ + first, bundle, columns + r * bundle);
      plans_.front().columns_forward(columns);
      T* out = kernels_[static_cast<std::size_t>(k)].data() + first * height_;
      for (Index r = 0; r < height_; ++r)
        for (Index c = 0; c < bundle; ++c, ++columns, ++out) {
          const double spline =
              down[static_cast<std::size_t>(r)] * across[static_cast<std::size_t>(first + c)];
          *out = T(double(k == 0 ? columns->real() : columns->imag()) / (spline * spline));
        }
    });
  }
  kernels_ready_ = true;
}

template <class T>
void TsneField<T>::spread(const TsneMap<T>& map, const Run& run) {
  const Index nodes = grid_.rows * grid_.cols, n = map.points();
  const Index parts = std::clamp<Index>(n / points_a_part, 1, most_parts);
  if (parts != parts_) charges_ = AlignedArray<T>(parts * nodes);
  parts_ = parts;
  parallel_for(parts, run, [&](Index part) {
    T* charges = charges_.data() + part * nodes;
    std::fill_n(charges, nodes, T(0));
    spread_points(grid_, map, n * part / parts, n * (part + 1) / parts, charges);
  });
}

template <class T>
void TsneField<T>::convolve(const Run& run) {
  constexpr Index bundle = FourierPlans<T>::bundle;
  const FourierPlans<T>& plans = plans_.front();
  const Index rows = grid_.rows, cols = grid_.cols, size = height_ * bundle;
  for_chunks(rows, grid_rows_at_once, run, [&](Index first, Index last) {
    T* row = aligned_scratch<T>(length_);
    for (Index r = first; r < last; ++r) {
      const T* charges = charges_.data() + r * cols;
      std::copy_n(charges, cols, row);
      for (Index part = 1; part < parts_; ++part)
        for (Index c = 0; c < cols; ++c) row[c] += charges[part * rows * cols + c];
      std::fill(row + cols, row + length_, T(0));
      plans.row_forward(row, spectra_[0].data() + r * pitch_);
    }
  });
  for_chunks(pitch_, bundle, run, [&](Index first, Index) {
    T* scratch = aligned_scratch<T>(4 * size);
    auto* in = reinterpret_cast<Complex*>(scratch);
    Complex* out = in + size;
    for (Index r = 0; r < rows; ++r)
      std::copy_n(spectra_[0].data() + r * pitch_ + first, bundle, in + r * bundle);
    std::fill(in + rows * bundle, in + size, Complex());
    plans.columns_forward(in);
    for (Index k = 0; k <= components_; ++k) {
      const T* kernel = kernels_[static_cast<std::size_t>(k)].data() + first * height_;
      const T *from = scratch, *end = scratch + 2 * size;
      T* to = scratch + 2 * size;
      if (k == 0)
        for (; from != end; from += 2, to += 2, ++kernel) {
          to[0] = from[0] * *kernel;
          to[1] = from[1] * *kernel;
        }
      else  // times i
        for (; from != end; from += 2, to += 2, ++kernel) {
          to[0] = -from[1] * *kernel;
          to[1] = from[0] * *kernel;
        }
      plans.columns_backward(out);
      for (Index r = 0; r < rows; ++r)
        std::copy_n(out + r * bundle, bundle,
                    spectra_[static_cast<std::size_t>(k)].data() + r * pitch_ + first);
    }
  });
  for_chunks(rows, grid_rows_at_once, run, [&](Index first, Index last) {
    T* row = aligned_scratch<T>(length_);
    for (Index r = first; r < last; ++r)
      for (Index k = 0; k <= components_; ++k) {
        plans.row_backward(spectra_[static_cast<std::size_t>(k)].data() + r * pitch_, row);
        T* out = fields_.data() + r * cols * fields_a_node + k;
        for (Index c = 0; c < cols; ++c) out[c * fields_a_node] = row[c];
      }
  });
}

template <class T>
bool TsneField<T>::compute(const TsneMap<T>& map, const Run& run) {
  require_finite(map, run);
  if (!fit_grid(map, run)) return false;
  if (!kernels_ready_) transform_kernels(run);
  spread(map, run);
  convolve(run);
  return true;
}

template class TsneField<float>;
template class TsneField<double>;

}  // namespace mercer
