// A folder of PGM and PNG images of one size as samples x height x width, by name in natural order
// (img2 before img10). All headers are looked at before memory is taken.
#include "base/parallel.hpp"
#include "data/file_bytes.hpp"
#include "tensor/image_file.hpp"
#include "tensor/tensor_formats.hpp"

#include <mercer/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <optional>

namespace mercer {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The digits at the front of `text`, taken off, without leading zeros.
std::string_view take_number(std::string_view& text) {
  const auto end = std::find_if_not(text.begin(), text.end(), is_digit);
  std::string_view number = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  text.remove_prefix(number.size());
  number.remove_prefix(std::min(number.find_first_not_of('0'), number.size()));
  return number;
}

/// Runs of digits compare as numbers, all else character by character.
bool natural_less(std::string_view a, std::string_view b) {
  const std::string_view whole_a = a, whole_b = b;
  while (!a.empty() && !b.empty()) {
    if (is_digit(a[0]) && is_digit(b[0])) {
      const auto x = take_number(a), y = take_number(b);
      if (x.size() != y.size()) return x.size() < y.size();
      if (x != y) return x < y;
    } else {
      if (a[0] != b[0]) return a[0] < b[0];
      a.remove_prefix(1);
      b.remove_prefix(1);
    }
  }
  if (a.empty() != b.empty()) return a.empty();
  return whole_a < whole_b;  // 01 and 1
}

struct ImageFile {
  std::string path;
  bool png = false;

  [[nodiscard]] ImageForm form() const {
    const FileBytes bytes = file_bytes(path);
    return png ? png_form(bytes.text, path) : pgm_form(bytes.text, path);
  }
  template <class T>
  void read(const ImageForm& form, T* pixels) const {
    const FileBytes bytes = file_bytes(path);
    if (png)
      read_png(bytes.text, path, form, pixels);
    else
      read_pgm(bytes.text, path, form, pixels);
  }
};

/// Hidden files are no images, whatever their name says: some systems leave such beside each image.
std::vector<ImageFile> images_in(const std::string& folder) {
  std::error_code problem;
  std::vector<std::string> names;
  bool folders = false;
  for (std::filesystem::directory_iterator at(folder, problem), end; !problem && at != end;
       at.increment(problem)) {
    std::error_code ignored;
    folders |= at->is_directory(ignored);
    if (!at->is_directory(ignored)) names.push_back(at->path().filename().string());
  }
  if (problem)
    throw Error(ErrorCode::no_input, fmt::format("{}: cannot open: {}", folder, problem.message()));
  std::sort(names.begin(), names.end(), natural_less);
  std::vector<ImageFile> out;
  for (const std::string& name : names) {
    std::string ending = std::filesystem::path(name).extension().string();
    for (char& c : ending) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (name[0] != '.' && (ending == ".png" || ending == ".pgm"))
      out.push_back({(std::filesystem::path(folder) / name).string(), ending == ".png"});
  }
  if (out.empty())
    throw Error(ErrorCode::bad_data, fmt::format("{}: no .pgm or .png image in the folder", folder),
                folders ? "folders in it are not searched: name one of them"
                        : "put images of one size in it, or name a .npy file");
  return out;
}

/// The form that all images have.
ImageForm common_form(const std::vector<ImageFile>& images, const Run& run) {
  const ImageForm first = images.front().form();
  for (const ImageFile& image : images) {
    run.check();
    const ImageForm form = image.form();
    if (form.height != first.height || form.width != first.width)
      throw Error(ErrorCode::bad_data,
                  fmt::format("{} is {} x {} pixels, {} is {} x {}", image.path, form.width, form.height,
                              images.front().path, first.width, first.height),
                  "images of a stack have one size: crop or scale them");
    if (form.white != first.white)
      throw Error(ErrorCode::bad_data,
                  fmt::format("white is {} in {} and {} in {}", form.white, image.path, first.white,
                              images.front().path),
                  "images of a stack have one depth: convert them");
  }
  return first;
}

}  // namespace

template <class T>
TensorView<T> read_image_stack(const std::string& folder, const Run& run) {
  const std::vector<ImageFile> images = images_in(folder);
  const auto count = static_cast<Index>(images.size());
  const ImageForm form = common_form(images, run);
  const Shape shape{count, form.height, form.width};
  const auto values = std::make_shared<Vector<T>>(element_count(shape));
  std::vector<std::optional<Error>> errors(images.size());
  parallel_for(count, run, [&](Index i) {
    const auto which = static_cast<std::size_t>(i);
    try {
      images[which].read(form, values->data() + i * form.height * form.width);
    } catch (const Error& e) {
      errors[which] = e;
    }
    if (omp_get_thread_num() == 0) run.report("read", static_cast<double>(i) / static_cast<double>(count));
  });
  for (const auto& error : errors)
    if (error) throw *error;  // the first in order, however many threads found one
  return TensorView<T>::last_fastest(values->data(), shape, values);
}

template TensorView<float> read_image_stack(const std::string&, const Run&);
template TensorView<double> read_image_stack(const std::string&, const Run&);

}  // namespace mercer
