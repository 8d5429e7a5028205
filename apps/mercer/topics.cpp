// The heaviest words of each component. X ≈ Z Uᵀ: where documents are rows the words' weights are a column of
// U; where words are rows, a column of Z, made of length 1.
#include "topics.hpp"

#include <mercer/error.hpp>
#include <mercer/loadings.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

namespace mercer::app {

std::vector<std::string> read_words(const std::string& path) {
  std::ifstream file(path);
  if (!file)
    throw Error(ErrorCode::no_input, fmt::format("{}: no such file", path), "check the name and the folder");
  std::vector<std::string> words;
  for (std::string line; std::getline(file, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    words.push_back(line);
  }
  return words;
}

template <class T>
std::vector<Topic> topics_of(const Model<T>& model, Index count, Index most,
                             const std::vector<std::string>& words) {
  auto weights = model.loadings();
  if (!weights)
    throw Error(ErrorCode::usage,
                fmt::format("{} does not say what its components are made of by feature", model.method()),
                "pca does");
  std::vector<std::string> names = words.empty() ? model.columns() : words;
  const auto given = static_cast<Index>(words.size());
  if (!words.empty() && given != model.features()) {
    if (given != model.report().n)
      throw Error(ErrorCode::bad_data,
                  fmt::format("there are {} words, but the model has {} features and was fitted on {} rows",
                              given, model.features(), model.report().n),
                  "one word a line, for each feature or for each row");
    weights = Block<T>(model.scores().colwise().normalized());
  }
  std::vector<Topic> out;
  for (Index c = 0; c < std::min(count, model.components()); ++c) {
    Topic topic{.component = c + 1, .share = model.report().explained_variance_ratio[c], .words = {}};
    for (const Loading& loading : heaviest<T>(Vector<T>(weights->col(c)), most))
      topic.words.emplace_back(
          names.empty() ? std::to_string(loading.feature) : names[static_cast<std::size_t>(loading.feature)],
          loading.weight);
    out.push_back(std::move(topic));
  }
  return out;
}

template std::vector<Topic> topics_of(const Model<float>&, Index, Index, const std::vector<std::string>&);
template std::vector<Topic> topics_of(const Model<double>&, Index, Index, const std::vector<std::string>&);

}  // namespace mercer::app
