// npy in pieces: a block of rows is read at a time, so that a file larger than memory passes through a small
// window. A pipe cannot be read twice, so it is kept.
#include "data/npy_reader.hpp"
#include "data/row_reader.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace mercer {

namespace {

/// The rows of an array in a regular file, read as they are asked for.
class NpyBlocks {
 public:
  NpyBlocks(const std::string& path, Descriptor file, const struct stat& info)
      : path_(path),
        file_(std::move(file)),
        unchanged_(info),
        header_(read_npy_header(file_, static_cast<std::size_t>(info.st_size), path)) {}

  [[nodiscard]] const NpyHeader& header() const { return header_; }
  void check_unchanged() const { unchanged_.check(file_, path_); }

  /// Rows [first, first + count) as an array of their own.
  [[nodiscard]] NpyArray read(Index first, Index count) {
    const auto row = static_cast<std::size_t>(header_.cols()) * header_.item;
    const std::size_t bytes = static_cast<std::size_t>(count) * row;
    if (memory_ == nullptr || memory_.use_count() > 1 || bytes_ < bytes) {
      memory_.reset();  // before the next is there
      memory_ = page_aligned(bytes);
      bytes_ = bytes;
    }
    if (header_.fortran) {
      read_columns(first, count);
    } else {
      read_all(file_, header_.offset + static_cast<std::size_t>(first) * row, memory_.get(), bytes, path_);
    }
    NpyArray out{header_, memory_.get(), memory_, path_};
    out.header.shape[0] = count;
    return out;
  }

 private:
  /// In Fortran order the rows lie all over the file: a few elements a column.
  void read_columns(Index first, Index count) {
    const auto item = header_.item, height = static_cast<std::size_t>(header_.rows());
    const std::size_t part = static_cast<std::size_t>(count) * item;
    for (std::size_t c = 0; c < static_cast<std::size_t>(header_.cols()); ++c)
      read_all(file_, header_.offset + (c * height + static_cast<std::size_t>(first)) * item,
               memory_.get() + c * part, part, path_);
  }

  std::string path_;
  Descriptor file_;
  Unchanged unchanged_;
  NpyHeader header_;
  std::shared_ptr<char> memory_;
  std::size_t bytes_ = 0;
};

template <class T>
class NpyRowReader final : public RowReader<T> {
 public:
  NpyRowReader(const Location& file, const ReadOptions& options, const Run& run)
      : path_(file.path), missing_(options.missing), run_(run) {
    struct stat info {};
    Descriptor opened = open_to_read(path_, info);
    if (S_ISREG(info.st_mode))
      blocks_ = std::make_unique<NpyBlocks>(path_, std::move(opened), info);
    else
      block_ = read_array(path_);
    header_ = blocks_ ? blocks_->header() : block_.header;
    require_rows(header_, path_);
    if (!blocks_) rows_there_ = header_.rows();
    label_ = mercer::label_column(header_, options, path_);
  }

  [[nodiscard]] Index cols() const override { return header_.cols() - (label_ >= 0 ? 1 : 0); }
  [[nodiscard]] const std::vector<std::string>& columns() const override { return no_names_; }
  [[nodiscard]] std::string label_column() const override {
    return label_ >= 0 ? std::to_string(label_) : std::string();
  }

  RawTable<T> read(Index most) override {
    const Index first = at_, count = std::min(most, header_.rows() - at_);
    at_ += count;
    if (count == 0) {
      if (blocks_) blocks_->check_unchanged();
      return {};
    }
    if (first < first_there_ || first + count > first_there_ + rows_there_) fetch(first, count);
    return table_of(array_rows<T>(block_, first - first_there_, count, run_), label_, first, missing_, path_,
                    run_);
  }

  [[nodiscard]] bool can_rewind() const override { return true; }
  void rewind() override {
    if (blocks_) blocks_->check_unchanged();
    at_ = 0;
  }
  [[nodiscard]] double fraction() const override {
    return static_cast<double>(at_) / static_cast<double>(header_.rows());
  }

 private:
  /// A few rows at a time are taken from a block of many: a call to the system for each would be slow.
  void fetch(Index first, Index count) {
    const Index rows = std::min(std::max(count, this->usual_chunk()), header_.rows() - first);
    block_ = {};  // its memory may be used again
    rows_there_ = 0;
    block_ = blocks_->read(first, rows);
    first_there_ = first;
    rows_there_ = rows;
  }

  std::string path_;
  Missing missing_;
  Run run_;
  std::unique_ptr<NpyBlocks> blocks_;  ///< null where all of it is in block_
  NpyHeader header_;
  NpyArray block_;
  Index first_there_ = 0, rows_there_ = 0;
  Index label_ = -1, at_ = 0;
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
