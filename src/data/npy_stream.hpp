// NpyStream: rows into a .npy file whose length is known only at the end; room for the header is
// left at the front. Used by the npy writer, and by the npz writer for the array it packs.
#pragma once

#include "base/atomic_file.hpp"
#include "data/npy_header.hpp"

#include <vector>

namespace mercer {

template <class T>
class NpyStream {
 public:
  NpyStream(AtomicFile& file, Index cols);
  void append(const MatrixView<T>& rows);
  /// Rows with one number more at the end of each.
  void append(const MatrixView<T>& rows, const std::vector<T>& last_column);
  void close();  ///< writes the header

 private:
  AtomicFile& file_;
  Index rows_ = 0, cols_;
};

}  // namespace mercer
