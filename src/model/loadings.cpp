// The heaviest features of a component.
#include <mercer/loadings.hpp>

#include <algorithm>
#include <cmath>

namespace mercer {

template <class T>
std::vector<Loading> heaviest(const Vector<T>& direction, Index count) {
  std::vector<Loading> out;
  for (Index j = 0; j < direction.size(); ++j)
    if (direction[j] != T(0)) out.push_back({j, double(direction[j])});
  const auto kept = std::min(out.size(), static_cast<std::size_t>(std::max<Index>(0, count)));
  std::partial_sort(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(kept), out.end(),
                    [](const Loading& a, const Loading& b) {
                      const double x = std::abs(a.weight), y = std::abs(b.weight);
                      return x != y ? x > y : a.feature < b.feature;
                    });
  out.resize(kept);
  return out;
}

template std::vector<Loading> heaviest(const Vector<float>&, Index);
template std::vector<Loading> heaviest(const Vector<double>&, Index);

}  // namespace mercer
