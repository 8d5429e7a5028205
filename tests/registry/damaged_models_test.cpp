// Model files with a right checksum and wrong insides: of a saved model of every method each parameter and
// each tensor is dropped, changed in kind, shape and value, and swapped with another. What loads must be
// consistent: it is described, transformed, inverted, drawn from and saved again without harm, and what does
// not load is damage (or needs memory that a test does not have).
#include "fuzz/model_bytes.hpp"
#include "fuzz/model_zoo.hpp"
#include "fuzz/use_model.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <set>

namespace mercer {
namespace {

using fuzz::json;
using fuzz::LooseModel;
using fuzz::LooseTensor;

/// One file in so many is tried, so that the tests stay fast; MERCER_DAMAGE=all tries each.
constexpr std::size_t one_in = 23;

class DamagedModels : public testing::Test {
 protected:
  DamagedModels() : folder_(testing::TempDir() + "mercer_damaged_" + std::to_string(::getpid())) {
    std::filesystem::create_directories(folder_);
    const char* wanted = std::getenv("MERCER_DAMAGE");
    all_ = wanted != nullptr && std::string(wanted) == "all";
  }
  ~DamagedModels() override { std::filesystem::remove_all(folder_); }

  /// Writes the file, loads it and uses it.
  void try_it(const LooseModel& model, const std::string& what) {
    if (++made_ % one_in != 0 && !all_) return;
    ++tried_;
    const std::string path = folder_ + "/damaged";
    if (std::getenv("MERCER_DAMAGE_TRACE") != nullptr) std::ofstream(folder_ + ".trace") << what << "\n";
    std::ofstream(path, std::ios::binary) << model.bytes();
    try {
      loaded_ +=
          fuzz::use_model_file(path, {.growth = tried_ % 4 == 0, .pictures = tried_ % 16 == 1}) ? 1 : 0;
    } catch (const std::exception& error) {
      ADD_FAILURE() << what << ": " << error.what();
    }
  }
  void damage_tensor(const LooseModel& good, std::size_t which, const std::string& where);
  void damage_parameters(const LooseModel& good, const std::string& where);

  std::string folder_;
  std::size_t made_ = 0, tried_ = 0, loaded_ = 0;
  bool all_ = false;
};

void DamagedModels::damage_tensor(const LooseModel& good, std::size_t which, const std::string& where) {
  const auto changed = [&](const std::string& how, const auto& change) {
    LooseModel bad = good;
    change(bad.tensors[which]);
    try_it(bad, where + ": " + how);
  };
  const auto reshaped = [&](const std::string& how, const auto& change) {
    changed(how, [&](LooseTensor& t) { change(t.shape), t.fill(); });
  };
  using Sides = std::vector<std::int64_t>;
  LooseModel without = good;
  without.tensors.erase(without.tensors.begin() + static_cast<std::ptrdiff_t>(which));
  try_it(without, where + ": dropped");
  for (const auto& [from, to] : {std::pair("F64", "I64"),
                                 {"F64", "F32"},
                                 {"F32", "I32"},
                                 {"F32", "F64"},
                                 {"I64", "F64"},
                                 {"I32", "F32"},
                                 {"I64", "I32"}})
    if (good.tensors[which].dtype == from)
      changed(std::string("of ") + to, [&](LooseTensor& t) { t.dtype = to, t.fill(); });
  const Sides& sides = good.tensors[which].shape;
  reshaped("a single number", [](Sides& s) { s.clear(); });
  reshaped("one more mode", [](Sides& s) { s.push_back(1); });
  if (sides.size() == 2) {
    reshaped("flat", [](Sides& s) { s = {s[0] * s[1]}; });
    reshaped("turned", [](Sides& s) { std::swap(s[0], s[1]); });
  }
  for (std::size_t m = 0; m < sides.size(); ++m) {
    const std::string mode = "side " + std::to_string(m);
    reshaped(mode + " empty", [&](Sides& s) { s[m] = 0; });
    reshaped(mode + " longer", [&](Sides& s) { ++s[m]; });
    if (sides[m] > 0) reshaped(mode + " shorter", [&](Sides& s) { --s[m]; });
  }
  const std::size_t count = good.tensors[which].count();
  constexpr double infinity = std::numeric_limits<double>::infinity(),
                   nan = std::numeric_limits<double>::quiet_NaN();
  for (const double value : {nan, infinity, -infinity, -1.0, 0.0, 1.0, 1e9, 1e300, -1e300, 5e-324})
    for (const std::size_t at : std::set<std::size_t>{0, count / 2, count - 1})
      if (at < count)
        changed("number " + std::to_string(at) + " is " + std::to_string(value),
                [&](LooseTensor& t) { t.put(at, value); });
  changed("all zero", [](LooseTensor& t) { t.data.assign(t.data.size(), '\0'); });
  for (std::size_t other = which + 1; other < good.tensors.size(); ++other) {
    if (good.tensors[other].dtype != good.tensors[which].dtype) continue;
    LooseModel bad = good;
    std::swap(bad.tensors[which].name, bad.tensors[other].name);
    try_it(bad, where + ": swapped with " + good.tensors[other].name);
  }
}

void DamagedModels::damage_parameters(const LooseModel& good, const std::string& where) {
  const std::vector<json> others{nullptr,
                                 true,
                                 false,
                                 -1,
                                 0,
                                 1,
                                 2,
                                 3,
                                 4,
                                 5,
                                 7,
                                 11,
                                 13,
                                 100,
                                 1ULL << 40,
                                 ~0ULL,
                                 1e300,
                                 -0.5,
                                 0.25,
                                 "",
                                 "inf",
                                 "nan",
                                 "text",
                                 "rbf(gamma=2)",
                                 "precomputed",
                                 "smallest",
                                 json::object(),
                                 json::array(),
                                 {1, 2},
                                 {1, "x"}};
  const json flat = good.parameters.flatten();
  for (const auto& [place, value] : flat.items()) {
    const json::json_pointer pointer(place);
    LooseModel bad = good;
    json& parent = bad.parameters[pointer.parent_pointer()];
    if (parent.is_object()) {
      parent.erase(pointer.back());
      try_it(bad, where + ": without " + place);
    }
    for (const json& other : others) {
      bad.parameters = good.parameters;
      bad.parameters[pointer] = other;
      try_it(bad, where + ": " + place + " is " + other.dump());
    }
  }
  for (const auto& [name, value] : good.parameters.items()) {  // whole objects too
    LooseModel bad = good;
    bad.parameters.erase(name);
    try_it(bad, where + ": without " + name);
  }
}

TEST_F(DamagedModels, AreRefusedOrConsistent) {
  const auto paths = fuzz::save_model_zoo(folder_);
  for (const std::string& path : paths) {
    std::ifstream in(path, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    const LooseModel good = LooseModel::of(bytes);
    const std::string name = std::filesystem::path(path).stem();
    if (std::getenv("MERCER_DAMAGE_TRACE") != nullptr) std::ofstream(folder_ + ".trace") << name << "\n";
    ASSERT_TRUE(fuzz::use_model_file(path)) << name << " as it was saved";
    std::ofstream(folder_ + "/damaged", std::ios::binary) << good.bytes();
    ASSERT_TRUE(fuzz::use_model_file(folder_ + "/damaged")) << name << ": the tool itself must not do damage";
    for (std::size_t t = 0; t < good.tensors.size(); ++t)
      damage_tensor(good, t, name + ": tensor " + good.tensors[t].name);
    damage_parameters(good, name);
    for (const char* method :
         {"pca", "kpca", "lda", "klda", "isomap", "tucker", "cp", "svd2d", "tensor-kpca", "none"}) {
      LooseModel bad = good;
      bad.metadata["method"] = method;
      try_it(bad, name + ": as " + method);
    }
  }
  RecordProperty("files", static_cast<int>(tried_));
  RecordProperty("loaded", static_cast<int>(loaded_));
  EXPECT_GT(tried_, 1000u);
  EXPECT_GT(loaded_, tried_ / 20) << "most of what is tried should be a small change";
}

}  // namespace
}  // namespace mercer
