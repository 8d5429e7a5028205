// Renumbers ids in the order in which they appear, in one pass over the text.
#include "plot/svg_tidy.hpp"

#include <fmt/format.h>

#include <map>

namespace mercer::plot {
namespace {

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '&')
      out += "&amp;";
    else
      out += c;
  }
  return out;
}

/// Length of `surface12` or `image3` at the beginning of the text; 0 if it is something else.
std::size_t numbered_id(std::string_view text) {
  for (const std::string_view word : {"surface", "image", "source", "mask", "compositing-group"}) {
    if (!text.starts_with(word)) continue;
    std::size_t end = word.size();
    while (end < text.size() && text[end] >= '0' && text[end] <= '9') ++end;
    return end > word.size() ? end : 0;
  }
  return 0;
}

}  // namespace

std::string tidy_svg(std::string_view svg, std::string_view title) {
  std::string out;
  out.reserve(svg.size() + title.size() + 32);
  std::map<std::string, std::string, std::less<>> names;
  bool titled = title.empty();
  for (std::size_t i = 0; i < svg.size();) {
    // An id stands after id=" or #, never inside the base64 of an image: that has no such marks.
    const std::size_t mark = svg[i] == '#' ? 1 : svg.substr(i).starts_with("id=\"") ? 4 : 0;
    const std::size_t length = mark ? numbered_id(svg.substr(i + mark)) : 0;
    if (length > 0) {
      const std::string_view id = svg.substr(i + mark, length);
      auto found = names.find(id);
      if (found == names.end()) found = names.emplace(id, fmt::format("m{}", names.size())).first;
      out.append(svg.substr(i, mark)).append(found->second);
      i += mark + length;
      continue;
    }
    out += svg[i];
    if (!titled && svg[i] == '>' && out.find("<svg") != std::string::npos) {
      out += "\n<title>" + escaped(title) + "</title>";
      titled = true;
    }
    ++i;
  }
  return out;
}

}  // namespace mercer::plot
