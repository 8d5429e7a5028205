// read_tensor and write_tensor: the ending of the name chooses the format; a folder is a stack of images.
#include <mercer/tensor_file.hpp>

#include "tensor/tensor_formats.hpp"

#include <fmt/format.h>

#include <cctype>
#include <filesystem>
#include <new>

namespace mercer {

namespace {

bool ends_with(const std::string& path, std::string_view ending) {
  if (path.size() < ending.size()) return false;
  const std::string_view last = std::string_view(path).substr(path.size() - ending.size());
  for (std::size_t i = 0; i < ending.size(); ++i)
    if (std::tolower(static_cast<unsigned char>(last[i])) != ending[i]) return false;
  return true;
}

[[noreturn]] void fail_unknown(const std::string& path) {
  throw Error(ErrorCode::usage, fmt::format("{}: its name does not end like that of a tensor", path),
              "known: .npy .npz .npz:ARRAY, .tns and .tns.gz for sparse ones, and folders of .pgm or .png");
}

/// Throws Error{usage} unless it is one of npy, npz, tns.
Location locate_tensor(const std::string& path) {
  if (is_sparse_tensor_file(path))
    return {.path = path, .ending = "tns", .array = {}, .gzip = ends_with(path, ".gz")};
  try {
    Location file = locate(path);
    if (file.ending == "npy" || file.ending == "npz") return file;
  } catch (const Error&) {  // its hint names the endings of tables
    fail_unknown(path);
  }
  fail_unknown(path);
}

/// The same for a file to be read: one that is not there is told first.
Location locate_tensor_input(const std::string& path) {
  try {
    return locate_tensor(path);
  } catch (const Error&) {
    std::error_code ignored;
    if (std::filesystem::exists(path, ignored)) throw;
    throw Error(ErrorCode::no_input, fmt::format("{}: no such file or folder", path),
                "check the name and the folder");
  }
}

/// With the beginning and the end reported, and memory that runs out as an error of ours.
template <class F>
auto reading(const std::string& path, const Run& run, F&& read) {
  try {
    run.report("read", 0);
    auto out = read();
    run.report("read", 1);
    return out;
  } catch (const std::bad_alloc&) {
    throw Error(ErrorCode::no_memory, fmt::format("{}: does not fit in memory", path),
                "--precision float needs half as much");
  }
}

}  // namespace

bool is_sparse_tensor_file(const std::string& path) {
  return ends_with(path, ".tns") || ends_with(path, ".tns.gz");
}

Shape tensor_shape(const std::string& path) {
  const Location file = locate_tensor_input(path);
  if (file.ending == "tns") fail_unknown(path);
  return file.ending == "npy" ? npy_tensor_shape(file) : npz_tensor_shape(file);
}

template <class T>
TensorView<T> read_tensor(const std::string& path, const Run& run) {
  std::error_code ignored;
  const bool folder = std::filesystem::is_directory(path, ignored);
  const Location file = folder ? Location{} : locate_tensor_input(path);
  if (file.ending == "tns")
    throw Error(ErrorCode::usage, fmt::format("{}: a sparse tensor where a dense one is needed", path),
                "write it as .npy if it fits in memory");
  return reading(path, run, [&] {
    if (folder) return read_image_stack<T>(path, run);
    return file.ending == "npy" ? read_npy_tensor<T>(file, run) : read_npz_tensor<T>(file, run);
  });
}

template <class T>
SparseTensor<T> read_sparse_tensor(const std::string& path, const Shape& shape, const Run& run) {
  const Location file = locate_tensor_input(path);
  if (file.ending != "tns")
    throw Error(ErrorCode::usage, fmt::format("{}: not a sparse tensor", path),
                "sparse tensors are read from .tns and .tns.gz");
  return reading(path, run, [&] { return SparseTensor<T>(read_tns<T>(file, shape, run)); });
}

template <class T>
void write_tensor(const std::string& path, const TensorView<T>& x) {
  const Location file = locate_tensor(path);
  if (x.count() == 0)
    throw Error(ErrorCode::usage, fmt::format("{}: a tensor without elements cannot be written", path));
  if (file.ending == "npy") return write_npy_tensor(file, x);
  if (file.ending == "npz") return write_npz_tensor(file, x);
  write_tns(file, x);
}

template <class T>
void write_tensor(const std::string& path, const SparseTensor<T>& x) {
  const Location file = locate_tensor(path);
  if (file.ending != "tns")
    throw Error(ErrorCode::usage, fmt::format("{}: a sparse tensor is not written as .{}", path, file.ending),
                "write .tns or .tns.gz, or make it dense first");
  write_tns(file, x);
}

template TensorView<float> read_tensor(const std::string&, const Run&);
template TensorView<double> read_tensor(const std::string&, const Run&);
template SparseTensor<float> read_sparse_tensor(const std::string&, const Shape&, const Run&);
template SparseTensor<double> read_sparse_tensor(const std::string&, const Shape&, const Run&);
template void write_tensor(const std::string&, const TensorView<float>&);
template void write_tensor(const std::string&, const TensorView<double>&);
template void write_tensor(const std::string&, const SparseTensor<float>&);
template void write_tensor(const std::string&, const SparseTensor<double>&);

}  // namespace mercer
