// K·V by tiles of the lower triangle.
#include "operator/gram_operator.hpp"

#include "base/thread_scratch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <vector>

namespace mercer {
namespace {

/// Rows of a tile that are evaluated together. Multiplied at once: few enough to stay in a core's cache with
/// all that is done to them. Kept: the whole tile, for which BLAS packs its points once.
constexpr Index rows_multiplied = 64, rows_kept = tile::size;

/// The largest value in small tiles along the diagonal.
double largest_near_diagonal(const KernelTiles<double>& tiles, Index n) {
  constexpr Index step = 8;
  std::array<double, step * step> values{};
  double largest = 0;
  for (Index i = 0; i < n; i += step) {
    const Index count = std::min(step, n - i);
    tiles.evaluate(i, count, i, count, values.data());
    for (Index p = 0; p < count * count; ++p) {
      const double size = std::abs(values[static_cast<std::size_t>(p)]);
      if (!(size <= largest)) largest = size;  // what is no number stays
      if (!std::isfinite(largest)) return largest;
    }
  }
  return largest;
}

double largest_anywhere(const KernelTiles<double>& tiles, Index n, const Run& run) {
  constexpr Index step = 64;
  const Index strips = (n + step - 1) / step;
  std::vector<double> of_strips(static_cast<std::size_t>(strips), 0);
  parallel_for(strips, run, [&](Index strip) {
    run.check();
    const Index i = strip * step, count = std::min(step, n - i);
    std::vector<double> values(static_cast<std::size_t>(count * step));
    double& largest = of_strips[static_cast<std::size_t>(strip)];
    for (Index j = 0; j < n && std::isfinite(largest); j += step) {
      const Index cols = std::min(step, n - j);
      tiles.evaluate(i, count, j, cols, values.data());
      for (Index p = 0; p < count * cols; ++p) {
        const double size = std::abs(values[static_cast<std::size_t>(p)]);
        if (!(size <= largest)) largest = size;  // what is no number stays
      }
    }
  });
  for (const double size : of_strips)
    if (!std::isfinite(size)) return size;
  return of_strips.empty() ? 0 : *std::max_element(of_strips.begin(), of_strips.end());
}

/// A power of two that brings the values near 1 if they are far outside float's range.
double scale_for(double largest) {
  if (!(largest > 0) || !std::isfinite(largest) || (largest > 1e-15 && largest < 1e15)) return 1;
  return std::ldexp(1.0, -std::ilogb(largest));
}

/// Planes that a pass in S reads.
template <class S>
constexpr Index planes_for = tile::floats<S> / tile::plane;

Index planes_of(Storage storage) {
  return storage == Storage::stored ? 2 : storage == Storage::rounded ? 1 : 0;
}

}  // namespace

/// Each tile's trace and squares are kept apart and added in order; so are the row sums of the strips.
class GramOperator::SumsInOrder {
 public:
  SumsInOrder(const Strips& strips, Index n, const Run& run)
      : run_(run),
        tiles_(static_cast<std::size_t>(strips.tiles)),
        rows_(Vector<double>::Zero(n)),
        parts_(n, buffers_for(strips.count, n, run.thread_count())),
        ordered_(rows_.data(), strips.count, pointers()) {}

  /// A strip's tiles come from one thread, between open and close.
  [[nodiscard]] double* open(Index strip) {
    double* rows = ordered_.borrow(strip, run_);
    std::fill(rows, rows + rows_.size(), 0.0);
    return rows;
  }
  /// Rows [i, i + count) of K, columns [j, j + cols), of a tile on the diagonal or not.
  void add(Index tile, bool diagonal, Index i, Index count, Index j, Index cols, const double* k,
           double* rows) {
    Sums& s = tiles_[static_cast<std::size_t>(tile)];
    if (diagonal) {
      std::array<double, tile::size> again{};  // the columns of a diagonal tile are its rows
      for (Index r = 0; r < count; ++r) s.trace += k[r * cols + (i - j) + r];
      s.squares += tile::add_sums(k, count, cols, rows + i, again.data());
    } else {
      s.squares += 2 * tile::add_sums(k, count, cols, rows + i, rows + j);
    }
  }
  void close(Index strip, double* rows) { ordered_.give(strip, rows, rows_.size()); }
  void abandon() { ordered_.abandon(); }

  [[nodiscard]] Sums total() const {
    Sums out;
    out.rows = rows_;
    long double trace = 0, squares = 0;  // the certificate allows for no rounding that grows with the tiles
    for (const Sums& s : tiles_) trace += s.trace, squares += s.squares;
    out.trace = double(trace);
    out.squares = double(squares);
    return out;
  }

 private:
  std::vector<double*> pointers() {
    std::vector<double*> out;
    for (Index c = 0; c < parts_.cols(); ++c) out.push_back(parts_.col(c).data());
    return out;
  }
  const Run& run_;
  std::vector<Sums> tiles_;
  Vector<double> rows_;
  Block<double> parts_;
  OrderedSum<double> ordered_;
};

double GramOperator::bytes(Index n, Index block, Storage storage, int threads) {
  const double tile_rows = std::ceil(double(n) / tile::size), plane = double(tile::plane) * sizeof(float);
  const double tiles = tile_rows * (tile_rows + 1) / 2, kept = tiles * plane * double(planes_of(storage));
  const Index strips = strips_for(static_cast<Index>(tile_rows)), width = tile::width();
  const double length = tile_rows * tile::size * double((block + width - 1) / width * width);
  const double blocks = double(buffers_for(strips, static_cast<Index>(length), threads)) + 2;
  // Each tile's sums, and of the row sums the strips', their total and what the operator keeps.
  const double row_sums = (double(buffers_for(strips, n, threads)) + 3) * double(n) * sizeof(double);
  const double scratch = 6 * double(threads) * plane;  // tiles being evaluated
  return kept + blocks * length * sizeof(double) + tiles * sizeof(Sums) + row_sums + scratch;
}

void GramOperator::report_overflow(Index i, Index j) const {
  const auto rows = [this](Index t) {
    return fmt::format("{}..{}", t * tile::size, std::min(size(), (t + 1) * tile::size) - 1);
  };
  throw Error(ErrorCode::bad_data,
              fmt::format("kernel {} overflows between rows {} and {}", kernel_, rows(i), rows(j)),
              "scale the inputs (--scale standardize) or choose smaller parameters");
}

template <class S, class Use>
void GramOperator::evaluate(Index i, Index j, Index together, SumsInOrder* sums, double* rows,
                            const Use& use) const {
  const Index n = size(), i0 = i * tile::size, j0 = j * tile::size;
  const Index height = std::min(tile::size, n - i0), width = std::min(tile::size, n - j0);
  const bool by_double = std::is_same_v<S, float> && !rough_tiles_;
  const auto fill = [&](const auto& tiles, Index first, Index count, auto* out) {
    if (i == j)
      tiles.evaluate_diagonal(i0, height, out);
    else
      tiles.evaluate(i0 + first, count, j0, width, out);
  };
  // A tile on the diagonal is made symmetric, which takes all of it at once.
  const Index step = i == j ? height : together;
  S* const values = thread_scratch<S>(2 * tile::plane);
  for (Index first = 0; first < height; first += step) {
    const Index count = std::min(step, height - first);
    if constexpr (std::is_same_v<S, double>) {
      fill(*exact_tiles_, first, count, values);
      if (sums) sums->add(i * (i + 1) / 2 + j, i == j, i0 + first, count, j0, width, values, rows);
    } else if (rough_tiles_) {
      fill(*rough_tiles_, first, count, values);
    } else {
      double* exact = thread_scratch<double>(tile::plane);
      fill(*exact_tiles_, first, count, exact);
      // Values far outside float's range are scaled while they are in double.
      std::transform(exact, exact + count * width, values,
                     [this](double k) { return static_cast<float>(scale_ * k); });
    }
    if (!bounded_ && !tile::scale(values, count * width, by_double ? S(1) : S(scale_))) report_overflow(i, j);
    const Index padded = (count + tile::panel - 1) / tile::panel * tile::panel;
    S* ready = values;
    if (width < tile::size || count < padded) {
      ready = values + tile::plane;
      std::fill(ready, ready + padded * tile::size, S(0));
      for (Index r = 0; r < count; ++r)
        std::copy(values + r * width, values + (r + 1) * width, ready + r * tile::size);
    }
    use(first, padded, ready);
  }
}

template <class S>
void GramOperator::multiply_tile(Index i, Index j, Index vectors, const TileOperands<S>& o, SumsInOrder* sums,
                                 double* rows) const {
  const Index w = tile::width(), planes = planes_of(storage_);
  with_sums_in<S>(TiledBlock{.n = size(), .vectors = vectors}.length, o.y_i, o.y_j, [&](S* own, S* other) {
    if (planes >= planes_for<S>) {
      tile::multiply(stored_.data() + (i * (i + 1) / 2 + j) * planes * tile::plane, vectors, o.v_j, own,
                     o.v_i, other);
    } else {
      evaluate<S>(i, j, rows_multiplied, sums, rows, [&](Index first, Index count, const S* k) {
        tile::multiply_rows(k, count, vectors, o.v_j, own + first * w, o.v_i + first * w, other);
      });
    }
  });
}

double largest_value(const KernelTiles<double>& tiles, Definiteness definiteness, const Run& run) {
  constexpr double tiny = 1e-15;
  const double near = largest_near_diagonal(tiles, tiles.rows());
  return definiteness == Definiteness::psd || !(near < tiny) ? near
                                                             : largest_anywhere(tiles, tiles.rows(), run);
}

GramOperator::GramOperator(const Kernel& kernel, const Samples<double>& samples, Storage storage,
                           const Run& run)
    : SymmetricOperator<double>(samples.rows()),
      tile_rows_((samples.rows() + tile::size - 1) / tile::size),
      storage_(storage),
      exact_tiles_(std::in_place, kernel, samples),
      kernel_(kernel.to_string()) {
  const double largest = largest_value(*exact_tiles_, kernel.definiteness(), run);
  scale_ = scale_for(largest);
  bounded_ =
      scale_ == 1 && largest < 1e30 && kernel.definiteness() == Definiteness::psd && !kernel.is_precomputed();
  diagonal_.resize(size());
  parallel_for(tile_rows_, run, [&](Index t) {
    const Index i0 = t * tile::size;
    exact_tiles_->diagonal(i0, std::min(tile::size, size() - i0), diagonal_.data() + i0);
  });
  diagonal_ = diagonal_.cwiseAbs();
  if (storage != Storage::stored && !kernel.is_precomputed() && scale_ == 1)
    rough_tiles_.emplace(kernel, samples.cast<float>());
  if (storage == Storage::recomputed) return;

  const Strips strips(tile_rows_);
  const Index length = planes_of(storage) * tile::plane;
  stored_ = HugeBuffer<float>(static_cast<std::size_t>(strips.tiles * length));
  SumsInOrder sums(strips, size(), run);
  std::atomic<Index> done{0};
  parallel_for(strips.count, run, [&](Index strip) {
    try {
      double* rows = sums.open(strip);
      for (Index t = strips.begin(strip); t < strips.begin(strip + 1); ++t) {
        run.check();
        const Index i = position_of(t).row, j = position_of(t).col;
        float* packed = stored_.data() + t * length;
        const auto pack = [&](Index first, Index count, const auto* k) {
          if (!tile::pack(k, first, count, packed)) report_overflow(i, j);
        };
        if (i + 1 == tile_rows_) std::fill(packed, packed + length, 0.0F);  // not all of it is evaluated
        if (storage == Storage::stored)
          evaluate<double>(i, j, rows_kept, &sums, rows, pack);
        else
          evaluate<float>(i, j, rows_kept, nullptr, nullptr, pack);
        const Index finished = ++done;
        if (omp_get_thread_num() == 0) run.report("kernel matrix", double(finished) / double(strips.tiles));
      }
      sums.close(strip, rows);
    } catch (...) {
      sums.abandon();
      throw;
    }
  });
  if (storage == Storage::stored) {
    sums_ = sums.total();
    exact_tiles_.reset();  // and the copies of the data with it
  } else {
    rough_tiles_.reset();
  }
}

std::optional<double> GramOperator::trace() const {
  return sums_ ? std::optional(sums_->trace) : std::nullopt;
}
std::optional<double> GramOperator::frobenius_squared() const {
  return sums_ ? std::optional(sums_->squares) : std::nullopt;
}
const Vector<double>* GramOperator::row_sums() const { return sums_ ? &sums_->rows : nullptr; }

template <class S>
void GramOperator::multiply(const BlockView<double>& v, BlockRef<double> y, const Run& run) const {
  const Strips strips(tile_rows_);
  const bool kept = planes_of(storage_) >= planes_for<S>;
  std::optional<SumsInOrder> k_sums;
  if (std::is_same_v<S, double> && !kept && !sums_) k_sums.emplace(strips, size(), run);
  std::atomic<Index> done{0};
  pass_.apply<S>(v, y, scale_, run, [&](Index strip, const auto& operands) {
    try {
      double* const rows = k_sums ? k_sums->open(strip) : nullptr;
      for (Index t = strips.begin(strip); t < strips.begin(strip + 1); ++t) {
        run.check();
        const auto [i, j] = position_of(t);
        multiply_tile<S>(i, j, v.cols(), operands(i, j), k_sums ? &*k_sums : nullptr, rows);
        if (!kept && ++done % 64 == 0 && omp_get_thread_num() == 0)
          run.report("pass over the kernel matrix", double(done) / double(strips.tiles));
      }
      if (k_sums) k_sums->close(strip, rows);
    } catch (...) {
      if (k_sums) k_sums->abandon();
      throw;
    }
  });
  if (k_sums) sums_ = k_sums->total();
}

template <class S>
Matrix<double> GramOperator::tile_row_product(Index row, const BlockView<double>& v) const {
  const TiledBlock block{.n = size(), .vectors = v.cols()};
  const auto length = static_cast<std::size_t>(block.length);
  std::vector<S> mine(length), theirs(length);
  std::vector<double> sum(length, 0.0), ignored(length);
  block.pack(v, row, mine.data());
  for (Index other = 0; other < tile_rows_; ++other) {
    block.pack(v, other, theirs.data());
    const bool left = other <= row;  // of the diagonal: the tile lies as it is stored
    const TileOperands<S> operands =
        left ? TileOperands<S>{theirs.data(), sum.data(), mine.data(), nullptr}
             : TileOperands<S>{mine.data(), ignored.data(), theirs.data(), sum.data()};
    multiply_tile<S>(std::max(row, other), std::min(row, other), v.cols(), operands, nullptr, nullptr);
  }
  Matrix<double> out(block.rows(row), v.cols());
  block.unpack<S>(sum.data(), row, scale_, out);
  return out;
}

/// From a few rows of tiles, a small part of two passes. Of a PSD kernel |k_ij|² ≤ k_ii k_jj, so errors grow
/// with the diagonal: the rows are drawn in proportion to it, the heaviest one always, and what these vectors
/// gave is scaled to a unit vector that lies where the diagonal is largest.
double GramOperator::estimate_rough_error(const BlockView<double>& v, const Run& run) const {
  const Index n = size();
  Vector<double> weights(tile_rows_);
  for (Index t = 0; t < tile_rows_; ++t)
    weights[t] = diagonal_.segment(t * tile::size, std::min(tile::size, n - t * tile::size)).sum();
  const double total = weights.sum();
  if (!(total > 0)) weights.setOnes();
  Index heaviest = 0;
  weights.maxCoeff(&heaviest);
  const double others = weights.sum() - weights[heaviest];
  std::vector<Index> rows{heaviest};
  std::vector<double> stands_for{1};
  constexpr Index draws = 3;
  double passed = 0;
  for (Index t = 0, drawn = 0; t < tile_rows_ && drawn < draws; ++t) {
    if (t == heaviest) continue;
    passed += weights[t];
    double times = 0;
    while (drawn < draws && passed * 2 * draws >= others * double(2 * drawn + 1)) ++drawn, ++times;
    if (times == 0 || weights[t] == 0) continue;
    rows.push_back(t);
    stands_for.push_back(times * others / (draws * weights[t]));
  }
  const auto samples = static_cast<Index>(rows.size());
  std::vector<Vector<double>> squares(rows.size());
  parallel_for(samples, run, [&](Index s) {
    const Index row = rows[static_cast<std::size_t>(s)];
    squares[static_cast<std::size_t>(s)] =
        (tile_row_product<float>(row, v) - tile_row_product<double>(row, v)).colwise().squaredNorm();
  });
  Vector<double> error = Vector<double>::Zero(v.cols());
  for (std::size_t s = 0; s < rows.size(); ++s) error += stands_for[s] * squares[s];
  const double largest = diagonal_.maxCoeff();
  for (Index c = 0; c < v.cols(); ++c) {
    const double seen = diagonal_.dot(v.col(c).cwiseAbs2());
    if (seen > 0) error[c] *= largest / seen;
  }
  return std::sqrt(error.maxCoeff());
}

void GramOperator::gather_sums(const Run& run) const {
  if (sums_) return;
  Block<double> ones = Block<double>::Ones(size(), 1), image(size(), 1);
  apply(ones, image, run);
}

void GramOperator::do_apply(const BlockView<double>& v, BlockRef<double> y, const Run& run) const {
  multiply<double>(v, y, run);
}

void GramOperator::do_apply_roughly(const BlockView<double>& v, BlockRef<double> y, const Run& run) const {
  multiply<float>(v, y, run);
}

}  // namespace mercer
