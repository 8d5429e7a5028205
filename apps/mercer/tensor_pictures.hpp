// Pictures of Tucker, CP and 2D-SVD models: factors, cores, and images rebuilt beside the originals.
#pragma once

#include <mercer/tensor_model.hpp>

#include <string>

namespace mercer::app {

/// CP: the factors of each mode; Tucker: the core; 2D-SVD: training images rebuilt from growing cores.
template <class T>
void draw_decomposition(const std::string& path, const TensorModel<T>& model, const std::string& title);

/// A few images of a stack and what the model makes of them.
template <class T>
void draw_rebuilt(const std::string& path, const TensorModel<T>& model, const std::string& data,
                  const std::string& title);

/// Tucker, 2D-SVD: the share of ‖X‖² that the first directions of each mode hold; CP: λ.
void draw_mode_shares(const std::string& path, const Report& report, const std::string& title);

}  // namespace mercer::app
