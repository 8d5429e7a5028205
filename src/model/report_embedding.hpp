// The part of a report that speaks of a map of a neighbourhood graph: how faithful, of which graph
// (EmbeddingReport in mercer/report.hpp), as JSON, in words, and in model files.
#pragma once

#include "model/report_json.hpp"

#include <mercer/report.hpp>

#include <string>

namespace mercer {

class Fields;  // model/saved_fields.hpp

/// What was not measured is left out.
void add_embedding(Json& report, const EmbeddingReport& e);
[[nodiscard]] std::string embedding_in_words(const Report& report);

[[nodiscard]] nlohmann::json saved_embedding(const EmbeddingReport& e);
/// Throws Error{bad_data} where a part is missing or of the wrong kind.
[[nodiscard]] EmbeddingReport restored_embedding(const Fields& saved);

}  // namespace mercer
