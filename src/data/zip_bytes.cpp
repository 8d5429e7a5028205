// A zip source of libzip's "function" kind.
#include "data/zip_bytes.hpp"

#include <mercer/error.hpp>

#include <algorithm>
#include <new>
#include <utility>

namespace mercer {

void ZipBytes::write_at(std::size_t, const char*, std::size_t) {
  throw Error(ErrorCode::internal, "an archive that is read was written to");
}

zip_source_t* ZipBytes::source() {
  zip_error_init(&error_);
  zip_error_t ignored;
  zip_error_init(&ignored);
  zip_source_t* out = zip_source_function_create(&ZipBytes::call, this, &ignored);
  zip_error_fini(&ignored);
  if (out == nullptr) throw std::bad_alloc();
  return out;
}

void ZipBytes::rethrow(zip_error_t* error) const {
  if (failure_) std::rethrow_exception(failure_);
  if (error != nullptr && zip_error_code_zip(error) == ZIP_ER_MEMORY) throw std::bad_alloc();
}

zip_int64_t ZipBytes::call(void* self, void* data, zip_uint64_t length, zip_source_cmd_t command) {
  auto& bytes = *static_cast<ZipBytes*>(self);
  try {
    return bytes.answer(data, length, command);
  } catch (...) {  // not through libzip, which is C
    if (!bytes.failure_) bytes.failure_ = std::current_exception();
    zip_error_set(&bytes.error_, ZIP_ER_INTERNAL, 0);
    return -1;
  }
}

zip_int64_t ZipBytes::answer(void* data, zip_uint64_t length, zip_source_cmd_t command) {
  switch (command) {
    case ZIP_SOURCE_OPEN:
      read_from_ = 0;
      return 0;
    case ZIP_SOURCE_READ: {
      const std::size_t got = read_at(read_from_, static_cast<char*>(data), length);
      read_from_ += got;
      return static_cast<zip_int64_t>(got);
    }
    case ZIP_SOURCE_BEGIN_WRITE:
      write_to_ = 0;
      return 0;
    case ZIP_SOURCE_WRITE:
      write_at(write_to_, static_cast<const char*>(data), length);
      write_to_ += length;
      return static_cast<zip_int64_t>(length);
    case ZIP_SOURCE_SEEK:
    case ZIP_SOURCE_SEEK_WRITE: {
      std::size_t& place = command == ZIP_SOURCE_SEEK ? read_from_ : write_to_;
      const zip_int64_t to = zip_source_seek_compute_offset(place, size(), data, length, &error_);
      if (to < 0) return -1;
      place = static_cast<std::size_t>(to);
      return 0;
    }
    case ZIP_SOURCE_TELL:
      return static_cast<zip_int64_t>(read_from_);
    case ZIP_SOURCE_TELL_WRITE:
      return static_cast<zip_int64_t>(write_to_);
    case ZIP_SOURCE_STAT: {
      auto& info = *static_cast<zip_stat_t*>(data);
      zip_stat_init(&info);
      info.size = size();
      info.valid = ZIP_STAT_SIZE;
      return sizeof info;
    }
    case ZIP_SOURCE_ERROR:
      return zip_error_to_data(&error_, data, length);
    case ZIP_SOURCE_SUPPORTS: {
      const zip_int64_t reading = zip_source_make_command_bitmap(
          ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE, ZIP_SOURCE_STAT, ZIP_SOURCE_ERROR,
          ZIP_SOURCE_FREE, ZIP_SOURCE_SEEK, ZIP_SOURCE_TELL, ZIP_SOURCE_SUPPORTS, -1);
      const zip_int64_t writing = zip_source_make_command_bitmap(
          ZIP_SOURCE_BEGIN_WRITE, ZIP_SOURCE_COMMIT_WRITE, ZIP_SOURCE_ROLLBACK_WRITE, ZIP_SOURCE_WRITE,
          ZIP_SOURCE_SEEK_WRITE, ZIP_SOURCE_TELL_WRITE, ZIP_SOURCE_REMOVE, -1);
      return writable() ? reading | writing : reading;
    }
    default:  // to close, to commit and to free are the file's own business
      return 0;
  }
}

std::size_t ZipInput::read_at(std::size_t offset, char* to, std::size_t count) {
  return read_some(file_, offset, to, count, path_);
}

std::size_t ZipOutput::read_at(std::size_t offset, char* to, std::size_t count) {
  const std::size_t there = file_.size();
  count = std::min(count, there - std::min(offset, there));
  file_.read_at(offset, to, count);
  return count;
}

}  // namespace mercer
