// A small model of every method, saved: what the tests of damaged files and the fuzzer of model files begin
// with. A new method adds its line to model_zoo.cpp.
#pragma once

#include <string>
#include <vector>

namespace mercer::fuzz {

/// Fits all of them on a few points and saves them as FOLDER/NAME.mercer; their paths.
[[nodiscard]] std::vector<std::string> save_model_zoo(const std::string& folder);

}  // namespace mercer::fuzz
