// Rows and components that are pictures (mission row M10): eigenfaces, and faces rebuilt from a few of them.
#pragma once

#include <mercer/dataset.hpp>
#include <mercer/model.hpp>

#include <string>

namespace mercer::app {

struct ImageSize {
  Index height = 0, width = 0;
};

/// "112x92"; throws Error{usage}.
[[nodiscard]] ImageSize parse_image_size(const std::string& text);

/// The mean (where there is one) and the first components, with their shares.
template <class T>
void draw_components(const std::string& path, const Model<T>& model, const ImageSize& size,
                     const std::string& title);

/// A few rows of a table, and what the first 1, 2, 4, ... components make of them.
template <class T>
void draw_reconstructions(const std::string& path, const Model<T>& model, const std::string& data,
                          const ImageSize& size, const std::string& title);

/// The first rows of a table.
void draw_rows(const std::string& path, const Dataset<double>& data, const ImageSize& size,
               const std::string& title);

}  // namespace mercer::app
