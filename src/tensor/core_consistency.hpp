// Core consistency (Bro and Kiers, J. Chemometrics 17, 2003): the Tucker core of X in CP's factors against
// the superdiagonal of ones that CP stands for, 100 (1 − Σ (g − t)² / R) percent. Near 100 where R components
// describe the data; low or negative where R is too large.
#pragma once

#include <mercer/run.hpp>

#include "tensor/cp_data.hpp"
#include "tensor/kruskal.hpp"

#include <optional>

namespace mercer {

/// None for orders below 3, a λ of 0, or a core of too many numbers. λ is spread evenly over the modes.
template <class T>
[[nodiscard]] std::optional<double> core_consistency(const CpData<T>& data, const Kruskal<T>& model,
                                                     const Run& run);
/// Would the core of an array of this order have too many numbers?
[[nodiscard]] bool core_is_too_large(Index rank, Index order);

}  // namespace mercer
