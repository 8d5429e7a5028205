// The reader of .npz: an array of samples, and perhaps one of labels beside it.
#include "data/format.hpp"
#include "data/npy_reader.hpp"
#include "data/npz_choice.hpp"

namespace mercer {

template <class T>
RawTable<T> read_npz(const Location& file, const ReadOptions& options, const Run& run) {
  const NpzArchive archive(file.path);
  const NpzChoice choice = choose_arrays(archive, file, options);
  ReadOptions of_samples = options;
  if (choice.label != nullptr) of_samples.label.clear();
  RawTable<T> out = table_of<T>(archive.read(*choice.samples), of_samples, run);
  out.columns = npz_columns(archive, choice, options);
  if (choice.label != nullptr) {
    out.label = array_label(archive.read(*choice.label), choice.label->name);
    out.has_missing |= check_label(*out.label, 0, options.missing, file.path + ':' + choice.label->name);
  }
  archive.check_unchanged();
  return out;
}

template RawTable<float> read_npz(const Location&, const ReadOptions&, const Run&);
template RawTable<double> read_npz(const Location&, const ReadOptions&, const Run&);

}  // namespace mercer
