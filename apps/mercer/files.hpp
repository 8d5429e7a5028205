// Paths as the command line sees them: '-' is a stream, outputs are checked before the work starts.
#pragma once

#include <mercer/matrix.hpp>

#include <string>
#include <vector>

namespace mercer::app {

[[nodiscard]] inline bool is_stream(const std::string& path) { return path == "-"; }
/// Standard input, or a pipe: it cannot be read a second time.
[[nodiscard]] bool comes_once(const std::string& path);

/// Do both name one file (and not a stream)?
[[nodiscard]] bool same_file(const std::string& a, const std::string& b);

/// Throws Error{cannot_create} when `path` cannot be made or replaced; leaves nothing behind. An
/// empty path or '-' is fine.
void require_creatable(const std::string& path);

/// The same for a table, and throws Error{usage} when its ending names no format.
void require_table_creatable(const std::string& path);

/// By its ending: libsvm, svm, the same with .gz.
[[nodiscard]] bool is_libsvm(const std::string& path);

/// By its ending: anything but npy and npz.
[[nodiscard]] bool is_text_table(const std::string& path);

/// Is this one of our model files (and not a table)? By its first bytes.
[[nodiscard]] bool is_model_file(const std::string& path);

/// pc1, pc2, ...
[[nodiscard]] std::vector<std::string> component_names(Index count);

}  // namespace mercer::app
