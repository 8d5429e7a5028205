// Topics: components read by their heaviest words, for a model of documents x words or of words x documents.
#pragma once

#include <mercer/model.hpp>

#include <string>
#include <utility>
#include <vector>

namespace mercer::app {

struct Topic {
  Index component = 0;  ///< from 1
  double share = 0;
  std::vector<std::pair<std::string, double>> words;  ///< with their weights, heaviest first
};

/// One word a line. Throws Error{no_input}.
[[nodiscard]] std::vector<std::string> read_words(const std::string& path);

/// The first `count` components with `most` words each. `words` name the features, or the training rows where
/// there are as many of those; empty: the model's columns, or numbers from 0.
template <class T>
[[nodiscard]] std::vector<Topic> topics_of(const Model<T>& model, Index count, Index most,
                                           const std::vector<std::string>& words);

}  // namespace mercer::app
