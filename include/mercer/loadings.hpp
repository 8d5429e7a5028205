// Loadings that can be read: which features weigh most in a component (mission row M10), such as the words of
// a topic.
//
//     auto pca = mercer::Pca<double>::fit(documents, {.components = 10, .center = false});
//     for (auto [word, weight] : mercer::heaviest<double>(pca.directions().col(0), 8)) ...
#pragma once

#include <mercer/matrix.hpp>

#include <vector>

namespace mercer {

struct Loading {
  Index feature = 0;
  double weight = 0;
};

/// The `count` features with the largest |weight| in a direction, heaviest first, ties to the lowest index;
/// features without weight are left out.
template <class T>
[[nodiscard]] std::vector<Loading> heaviest(const Vector<T>& direction, Index count);

}  // namespace mercer
