// open_rows: the format's reader in pieces, then what is the same for every format: missing values, the
// number of features. rows_of: the same face on samples that are already in memory.
#include <mercer/row_source.hpp>

#include "data/missing.hpp"
#include "data/row_reader.hpp"

#include <mercer/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <new>

namespace mercer {

namespace {

/// Rows in a sixteenth of the memory: their numbers as parsed and joined, and as text in a buffer that grows
/// by halves.
Index rows_within(const Run& run, Index cols) {
  constexpr double bytes_a_number = 80, least = 64;
  const double most = double(run.memory_budget()) / 16 / (bytes_a_number * double(std::max<Index>(1, cols)));
  return static_cast<Index>(std::clamp(most, least, 1e15));
}

template <class T>
class FileRows final : public RowSource<T> {
 public:
  FileRows(const Location& file, const ReadOptions& options, Index chunk, const Run& run)
      : where_(file.shown()), missing_(options.missing), run_(run) {
    if (options.transpose)
      throw Error(
          ErrorCode::usage,
          fmt::format("{}: --transpose needs the whole table, and this one is read in pieces", where_),
          "write it the other way round first: mercer convert IN OUT --transpose");
    reader_ = open_reader<T>(file, options, run);
    require_features(reader_->cols(), options.features, where_);
    chunk_ = std::min(chunk > 0 ? chunk : reader_->usual_chunk(), rows_within(run, reader_->cols()));
    if (missing_ == Missing::mean) find_means();
  }

  [[nodiscard]] Index cols() const override { return reader_->cols(); }
  [[nodiscard]] const std::vector<std::string>& columns() const override { return reader_->columns(); }
  [[nodiscard]] std::string label_column() const override { return reader_->label_column(); }

  [[nodiscard]] Samples<T> next() override {
    for (;;) {
      RawTable<T> rows = read();
      if (rows.samples.rows() == 0) {
        if (dropped_ > 0 && given_ == 0)
          throw Error(ErrorCode::bad_data,
                      fmt::format("{}: every row has a missing value; none is left", where_),
                      "fill the gaps with --missing mean");
        return {};
      }
      Samples<T> out = repaired(rows);
      given_ += out.rows();
      if (out.rows() > 0) return out;
    }
  }

  void rewind() override {
    if (!reader_->can_rewind())
      throw Error(ErrorCode::usage, fmt::format("{}: a stream can be read only once", where_),
                  "save it to a file first");
    reader_->rewind();
    dropped_ = given_ = 0;
  }

  [[nodiscard]] Index dropped() const override { return dropped_; }
  [[nodiscard]] double fraction() const override { return reader_->fraction(); }

 private:
  RawTable<T> read() {
    run_.check();
    try {
      return reader_->read(chunk_);
    } catch (const std::bad_alloc&) {
      throw Error(ErrorCode::no_memory, fmt::format("{}: {} rows do not fit in memory", where_, chunk_));
    }
  }

  Samples<T> repaired(const RawTable<T>& rows) {
    if (!rows.has_missing || missing_ == Missing::fit) return rows.samples;
    if (missing_ == Missing::mean) return means_.fill(rows.samples);
    const auto complete = complete_rows(rows);
    dropped_ += rows.samples.rows() - static_cast<Index>(complete.size());
    return rows.samples.select_rows(complete);
  }

  void find_means() {
    if (!reader_->can_rewind())
      throw Error(ErrorCode::usage,
                  fmt::format("{}: --missing mean reads twice, and a stream can be read only once", where_),
                  "save it to a file first, or use --missing drop");
    for (auto rows = read(); rows.samples.rows() > 0; rows = read()) means_.add(rows, where_);
    means_.check(reader_->columns(), where_);
    reader_->rewind();
  }

  std::string where_;
  Missing missing_;
  Run run_;
  std::unique_ptr<RowReader<T>> reader_;
  ColumnMeans means_;
  Index chunk_ = 0, dropped_ = 0, given_ = 0;
};

template <class T>
class SampleRows final : public RowSource<T> {
 public:
  SampleRows(Samples<T> samples, Index chunk) : samples_(std::move(samples)), chunk_(chunk) {
    const Index numbers_a_row = samples_.stored() / std::max<Index>(1, samples_.rows());
    if (chunk_ <= 0) chunk_ = std::max<Index>(1, (Index{1} << 20) / std::max<Index>(1, numbers_a_row));
  }

  [[nodiscard]] Index cols() const override { return samples_.cols(); }
  [[nodiscard]] const std::vector<std::string>& columns() const override { return no_names_; }
  [[nodiscard]] Samples<T> next() override {
    const Index first = at_, count = std::min(chunk_, samples_.rows() - at_);
    at_ += count;
    return samples_.middle_rows(first, count);
  }
  void rewind() override { at_ = 0; }
  [[nodiscard]] double fraction() const override {
    return static_cast<double>(at_) / static_cast<double>(std::max<Index>(1, samples_.rows()));
  }

 private:
  Samples<T> samples_;
  Index chunk_, at_ = 0;
  std::vector<std::string> no_names_;
};

}  // namespace

template <class T>
std::unique_ptr<RowSource<T>> open_rows(const std::string& path, const ReadOptions& options, Index chunk,
                                        const Run& run) {
  return std::make_unique<FileRows<T>>(locate_input(path), options, chunk, run);
}

template <class T>
std::unique_ptr<RowSource<T>> rows_of(const Samples<T>& samples, Index chunk) {
  return std::make_unique<SampleRows<T>>(samples, chunk);
}

template std::unique_ptr<RowSource<float>> open_rows(const std::string&, const ReadOptions&, Index,
                                                     const Run&);
template std::unique_ptr<RowSource<double>> open_rows(const std::string&, const ReadOptions&, Index,
                                                      const Run&);
template std::unique_ptr<RowSource<float>> rows_of(const Samples<float>&, Index);
template std::unique_ptr<RowSource<double>> rows_of(const Samples<double>&, Index);

}  // namespace mercer
