// Sums over pieces of work in a fixed partition: a lane takes neighbouring pieces in order and keeps a sum of
// its own; the lanes' sums are added in order. Both numbers depend on sizes alone, so that the result does
// not depend on the number of threads.
#pragma once

#include <mercer/matrix.hpp>

#include "base/parallel.hpp"
#include "tensor/fibers.hpp"

#include <algorithm>

namespace mercer {

/// `total` things in pieces of at most `length`.
struct Pieces {
  Index total, length;
  [[nodiscard]] Index count() const { return (total + length - 1) / length; }
  [[nodiscard]] Span operator[](Index i) const { return {i * length, std::min(total, (i + 1) * length)}; }
};

/// How many lanes, where each one's sum is of so many numbers.
[[nodiscard]] inline Index lanes_for(Index pieces, Index numbers_each) {
  constexpr Index most = 16, numbers = Index{1} << 25;
  return std::clamp<Index>(numbers / std::max<Index>(1, numbers_each), 1, std::clamp<Index>(pieces, 1, most));
}

/// work(lane, piece) for each piece, those of a lane in order and by one thread.
template <class Work>
void for_each_piece(Index pieces, Index lanes, const Run& run, const Work& work) {
  parallel_for(lanes, run, [&](Index lane) {
    for (Index piece = pieces * lane / lanes; piece < pieces * (lane + 1) / lanes; ++piece) {
      run.check();
      work(lane, piece);
    }
  });
}

}  // namespace mercer
