// npy in pieces: mapped, and the pages behind us given back, so that a file larger than memory passes
// through a small window.
#include "data/npy_reader.hpp"
#include "data/row_reader.hpp"

#include <algorithm>

namespace mercer {

namespace {

template <class T>
class NpyRowReader final : public RowReader<T> {
 public:
  NpyRowReader(const Location& file, const ReadOptions& options, const Run& run)
      : missing_(options.missing), run_(run), mapped_(map_array(file.path, Access::in_order)) {
    require_rows(header(), file.path);
    label_ = mercer::label_column(header(), options, file.path);
  }

  [[nodiscard]] Index cols() const override { return header().cols() - (label_ >= 0 ? 1 : 0); }
  [[nodiscard]] const std::vector<std::string>& columns() const override { return no_names_; }
  [[nodiscard]] std::string label_column() const override {
    return label_ >= 0 ? std::to_string(label_) : std::string();
  }

  RawTable<T> read(Index most) override {
    drop_what_is_behind();
    const Index first = at_, count = std::min(most, header().rows() - at_);
    at_ += count;
    if (count == 0) return {};
    return table_of(array_rows<T>(mapped_.array, first, count, run_), label_, first, missing_,
                    mapped_.array.where, run_);
  }

  [[nodiscard]] bool can_rewind() const override { return true; }
  void rewind() override { at_ = dropped_to_ = 0; }
  [[nodiscard]] double fraction() const override {
    return static_cast<double>(at_) / static_cast<double>(header().rows());
  }

 private:
  [[nodiscard]] const NpyHeader& header() const { return mapped_.array.header; }

  void drop_what_is_behind() {
    const std::size_t row = static_cast<std::size_t>(header().cols()) * header().item;
    const std::size_t behind = static_cast<std::size_t>(at_ - dropped_to_) * row;
    if (behind < (std::size_t{1} << 20)) return;  // a call to the system a row would be dear
    // In Fortran order a piece lies all over the file.
    if (header().fortran)
      mapped_.bytes.drop_pages(0, mapped_.bytes.text.size());
    else
      mapped_.bytes.drop_pages(header().offset + static_cast<std::size_t>(dropped_to_) * row,
                               header().offset + static_cast<std::size_t>(at_) * row);
    dropped_to_ = at_;
  }

  Missing missing_;
  Run run_;
  MappedArray mapped_;
  Index label_ = -1, at_ = 0, dropped_to_ = 0;
  std::vector<std::string> no_names_;
};

}  // namespace

template <class T>
std::unique_ptr<RowReader<T>> open_npy(const Location& file, const ReadOptions& options, const Run& run) {
  return std::make_unique<NpyRowReader<T>>(file, options, run);
}

template std::unique_ptr<RowReader<float>> open_npy(const Location&, const ReadOptions&, const Run&);
template std::unique_ptr<RowReader<double>> open_npy(const Location&, const ReadOptions&, const Run&);

}  // namespace mercer
