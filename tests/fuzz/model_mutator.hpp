// Small changes to model files that leave them model files: the structure-aware part of the fuzzer.
#pragma once

#include "fuzz/model_bytes.hpp"

#include <algorithm>
#include <limits>
#include <random>
#include <string_view>

namespace mercer::fuzz {

class ModelMutator {
 public:
  ModelMutator(LooseModel model, unsigned int seed) : model_(std::move(model)), random_(seed) {}

  std::string mutate() {
    for (std::size_t changes = 1 + below(3); changes > 0; --changes) change();
    return model_.bytes();
  }

 private:
  std::size_t below(std::size_t most) { return most < 2 ? 0 : random_() % most; }

  double number() {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    constexpr double special[] = {0,   1,      2,   3,    5,     7,      12,       -1,
                                  0.5, 1e-300, 1e9, 1e18, 1e300, -1e300, infinity, -infinity};
    const std::size_t which = below(20);
    if (which < 16) return special[which];
    if (which == 16) return std::numeric_limits<double>::quiet_NaN();
    return (double(random_()) / double(std::mt19937::max()) - 0.5) * 20;
  }
  json value() {
    static const std::vector<json> others{nullptr,
                                          true,
                                          false,
                                          -1,
                                          0,
                                          1,
                                          2,
                                          3,
                                          4,
                                          5,
                                          8,
                                          12,
                                          1ULL << 40,
                                          ~0ULL,
                                          1e300,
                                          -0.5,
                                          0.25,
                                          "",
                                          "inf",
                                          "nan",
                                          "rbf(gamma=2)",
                                          "linear",
                                          "precomputed",
                                          "smallest",
                                          "lowrank",
                                          "none",
                                          "standardize",
                                          "poly(degree=3)",
                                          "cosines(count=2)",
                                          "standard",
                                          "hessian",
                                          json::object(),
                                          json::array()};
    return others[below(others.size())];
  }

  void change() {
    switch (below(9)) {
      case 0:
        return change_parameter();
      case 1:
        return resize_everywhere();
      case 2:
        return drop();
      case 3:
        return rename();
      case 4:
        return reshape();
      default:
        return change_numbers();
    }
  }
  void change_parameter() {
    const json flat = model_.parameters.flatten();
    if (flat.empty()) return;
    const auto place = std::next(flat.begin(), static_cast<std::ptrdiff_t>(below(flat.size())));
    json& target = model_.parameters[json::json_pointer(place.key())];
    if (target.is_number_integer() && below(2) == 0)
      target = target.get<std::int64_t>() + (below(2) == 0 ? 1 : -1);
    else if (target.is_number() && below(2) == 0)
      target = number();
    else
      target = value();
  }
  /// Another n, d or k: in all shapes and all counts at once, so that the parts still fit.
  void resize_everywhere() {
    std::vector<std::int64_t> sides;
    for (const LooseTensor& t : model_.tensors) sides.insert(sides.end(), t.shape.begin(), t.shape.end());
    if (sides.empty()) return;
    const std::int64_t from = sides[below(sides.size())], to = below(3) == 0
                                                                   ? static_cast<std::int64_t>(below(20))
                                                                   : from + (below(2) == 0 ? 1 : -1);
    if (to < 0) return;
    for (LooseTensor& t : model_.tensors) {
      std::replace(t.shape.begin(), t.shape.end(), from, to);
      std::size_t count = 1;
      for (const std::int64_t side : t.shape) count *= static_cast<std::size_t>(side);
      if (count > 4096) return;
      t.fill();
    }
    const json flat = model_.parameters.flatten();
    for (const auto& [place, old] : flat.items())
      if (old.is_number_integer() && old == from) model_.parameters[json::json_pointer(place)] = to;
  }
  void drop() {
    if (model_.tensors.empty()) return;
    if (below(2) == 0) {
      model_.tensors.erase(model_.tensors.begin() +
                           static_cast<std::ptrdiff_t>(below(model_.tensors.size())));
      return;
    }
    const auto place =
        std::next(model_.parameters.begin(), static_cast<std::ptrdiff_t>(below(model_.parameters.size())));
    if (model_.parameters.empty()) return;
    if (place->is_object() && !place->empty() && below(2) == 0)
      place->erase(std::next(place->begin(), static_cast<std::ptrdiff_t>(below(place->size()))));
    else
      model_.parameters.erase(place);
  }
  void rename() {
    static const char* methods[] = {"pca",    "kpca",   "basis-pca", "lda",       "klda",
                                    "isomap", "lle",    "hlle",      "laplacian", "mvu",
                                    "tsne",   "tucker", "cp",        "svd2d",     "tensor-kpca"};
    if (below(4) == 0) {
      model_.metadata["method"] = methods[below(std::size(methods))];
    } else if (model_.tensors.size() > 1) {
      std::swap(model_.tensors[below(model_.tensors.size())].name,
                model_.tensors[below(model_.tensors.size())].name);
    }
  }
  void reshape() {
    if (model_.tensors.empty()) return;
    LooseTensor& t = model_.tensors[below(model_.tensors.size())];
    if (t.shape.empty() || below(8) == 0) return t.shape.push_back(1);
    std::int64_t& side = t.shape[below(t.shape.size())];
    side = below(3) == 0 ? static_cast<std::int64_t>(below(9))
                         : std::max<std::int64_t>(0, side + (below(2) == 0 ? 1 : -1));
    t.fill();
  }
  void change_numbers() {
    if (model_.tensors.empty()) return;
    LooseTensor& t = model_.tensors[below(model_.tensors.size())];
    if (t.count() == 0) return;
    if (below(10) == 0) {
      t.data.assign(t.data.size(), '\0');
      return;
    }
    for (std::size_t times = 1 + below(3); times > 0; --times) t.put(below(t.count()), number());
  }

  LooseModel model_;
  std::mt19937 random_;
};

/// Empty where the bytes are no model file.
inline std::string mutated_model(std::string_view bytes, unsigned int seed) {
  if (seed % 16 == 0) return {};
  try {
    return ModelMutator(LooseModel::of(std::string(bytes)), seed).mutate();
  } catch (const std::exception&) {
    return {};
  }
}

}  // namespace mercer::fuzz
