// Sine and cosine of many angles at once, vectorised through Highway with run-time dispatch.
#pragma once

#include <mercer/matrix.hpp>

namespace mercer::elementwise {

/// cosine[i] = a[i] cos 2πt[i] and sine[i] = a[i] sin 2πt[i]; t may be the same array as either of them.
/// Angles are in turns because taking the whole turns off is then exact, however large t is; in radians
/// Highway's functions end at 39000. A t without a fraction left in its digits (2²² in float, 2⁵¹ in
/// double and beyond, or not a number) counts as whole turns.
template <class T>
void sincos_turns(const T* t, const T* a, T* cosine, T* sine, Index n);

}  // namespace mercer::elementwise
