// npz in pieces: the rows of an array in C order are unpacked as they are asked for, compressed or not.
// An array in Fortran order has its first row all over the file, so that one is read whole; and of a
// label array only the rows where it is missing are kept.
#include "data/npy_reader.hpp"
#include "data/npz_choice.hpp"
#include "data/row_reader.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mercer {

namespace {

template <class T>
class NpzRowReader final : public RowReader<T> {
 public:
  NpzRowReader(const Location& file, const ReadOptions& options, const Run& run)
      : missing_(options.missing),
        run_(run),
        archive_(file.path),
        choice_(choose_arrays(archive_, file, options)),
        columns_(npz_columns(archive_, choice_, options)) {
    array_.where = file.path + ':' + choice_.samples->name;
    array_.header = choice_.samples->header;
    require_rows(header(), array_.where);
    if (choice_.label != nullptr)
      find_missing_labels(file.path);
    else
      label_ = mercer::label_column(header(), options, array_.where);
    if (header().fortran) array_ = archive_.read(*choice_.samples);
    NpzRowReader::rewind();
  }

  [[nodiscard]] Index cols() const override { return header().cols() - (label_ >= 0 ? 1 : 0); }
  [[nodiscard]] const std::vector<std::string>& columns() const override { return columns_; }
  [[nodiscard]] std::string label_column() const override {
    if (choice_.label != nullptr) return choice_.label->name;
    return label_ >= 0 ? std::to_string(label_) : std::string();
  }

  RawTable<T> read(Index most) override {
    const Index first = at_, count = std::min(most, header().rows() - at_);
    at_ += count;
    if (count == 0) {
      archive_.check_unchanged();
      return {};
    }
    RawTable<T> out = table_of(next_rows(first, count), label_, first, missing_, array_.where, run_);
    if (choice_.label != nullptr) mark_missing_labels(out, first, count);
    return out;
  }

  [[nodiscard]] bool can_rewind() const override { return true; }
  void rewind() override {
    archive_.check_unchanged();
    at_ = 0;
    if (header().fortran) return;
    stream_ = std::make_unique<NpzArchive::Stream>(archive_, *choice_.samples);
    std::string skipped(header().offset, '\0');
    stream_->read(skipped.data(), skipped.size());
  }
  [[nodiscard]] double fraction() const override {
    return static_cast<double>(at_) / static_cast<double>(header().rows());
  }

 private:
  [[nodiscard]] const NpyHeader& header() const { return array_.header; }

  Samples<T> next_rows(Index first, Index count) {
    if (header().fortran) return array_rows<T>(array_, first, count, run_);
    const std::size_t row = static_cast<std::size_t>(header().cols()) * header().item;
    auto bytes = std::make_shared<std::string>(static_cast<std::size_t>(count) * row, '\0');
    stream_->read(bytes->data(), bytes->size());
    if (at_ == header().rows()) stream_->finish();
    NpyArray piece{header(), bytes->data(), bytes, array_.where};
    piece.header.shape[0] = count;
    return array_rows<T>(piece, 0, count, run_);
  }

  void find_missing_labels(const std::string& path) {
    const RawLabel label = array_label(archive_.read(*choice_.label), choice_.label->name);
    if (!check_label(label, 0, missing_, path + ':' + choice_.label->name)) return;
    for (std::size_t i = 0; i < label.numbers.size(); ++i)
      if (std::isnan(label.numbers[i])) without_label_.push_back(static_cast<Index>(i));
  }

  void mark_missing_labels(RawTable<T>& rows, Index first, Index count) const {
    const auto from = std::lower_bound(without_label_.begin(), without_label_.end(), first);
    if (from == without_label_.end() || *from >= first + count) return;
    RawLabel& label = rows.label.emplace();
    label.numbers.assign(static_cast<std::size_t>(count), 0);
    for (auto i = from; i != without_label_.end() && *i < first + count; ++i)
      label.numbers[static_cast<std::size_t>(*i - first)] = std::numeric_limits<double>::quiet_NaN();
    rows.has_missing = true;
  }

  Missing missing_;
  Run run_;
  NpzArchive archive_;
  NpzChoice choice_;
  std::vector<std::string> columns_;
  NpyArray array_;  ///< its data only in Fortran order
  std::unique_ptr<NpzArchive::Stream> stream_;
  std::vector<Index> without_label_;
  Index label_ = -1, at_ = 0;
};

}  // namespace

template <class T>
std::unique_ptr<RowReader<T>> open_npz(const Location& file, const ReadOptions& options, const Run& run) {
  return std::make_unique<NpzRowReader<T>>(file, options, run);
}

template std::unique_ptr<RowReader<float>> open_npz(const Location&, const ReadOptions&, const Run&);
template std::unique_ptr<RowReader<double>> open_npz(const Location&, const ReadOptions&, const Run&);

}  // namespace mercer
