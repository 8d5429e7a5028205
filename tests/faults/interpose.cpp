// Put before the C library (LD_PRELOAD), it counts the calls by which Mercer's own code asks the system for
// memory and files, and makes one of them fail. So every path of an error can be walked (campaign.py).
// "Own" is told by the object that makes the call: see owner_of. The test is in the environment:
//   MERCER_FAULTS_RECORD  a file: the counters, where the fault struck, and the stack of each call counted
//   MERCER_FAULTS_KIND    which call (the names of `kinds`), MERCER_FAULTS_AT its number (0: count only)
//   MERCER_FAULTS_HOW     an errno, "short", "end"; MERCER_FAULTS_EVER: all calls from there on
//   MERCER_FAULTS_LATER   the program is Python, which arms it by mercer_faults_arm
//   MERCER_FAULTS_SERVER  "in,out": two descriptors. Before main the process then serves: for each Order
//                         read from `in` a copy of it runs main, with its output in RECORD.out and
//                         RECORD.err; the copy's number and how it ended are written to `out`. This spares
//                         the start of the program.
#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <new>
#include <optional>

namespace {

enum Kind {
  new_,
  malloc_,
  library_,
  open_,
  read_,
  write_,
  fsync_,
  rename_,
  mmap_,
  ftruncate_,
  close_,
  stat_,
  kinds
};
constexpr std::array<const char*, kinds> names{"new",   "malloc", "library", "open",      "read",  "write",
                                               "fsync", "rename", "mmap",    "ftruncate", "close", "stat"};

enum class Owner : unsigned char { nobody, mercer, runtime, library };

struct Object {
  std::uintptr_t begin, end;
  Owner owner;
};

constexpr std::size_t most_objects = 512, most_stacks = std::size_t{1} << 20, frames = 8;

/// As campaign.py reads it.
struct Record {
  std::atomic<std::uint64_t> count[kinds];
  std::uint64_t struck, where[frames];
  std::uint64_t stacks[most_stacks];   ///< of call number i + 1 of the kind asked for
  std::uint64_t callers[most_stacks];  ///< our own code that it was made by
};

Object objects[most_objects];
Object itself{};
std::atomic<std::size_t> object_count{0};
Record* record = nullptr;
Kind kind = kinds;
std::uint64_t at = 0;
int reason = 0;
bool shorter = false, ended = false, ever = false;
std::atomic<bool> armed{false};
bool in_python = false;
thread_local bool inside __attribute__((tls_model("initial-exec"))) = false;

struct Inside {
  Inside() { inside = true; }
  ~Inside() { inside = false; }
};

bool begins_with_one_of(const char* path, std::initializer_list<const char*> words) {
  const char* base = std::strrchr(path, '/');
  base = base != nullptr ? base + 1 : path;
  return std::any_of(words.begin(), words.end(),
                     [&](const char* w) { return std::strncmp(base, w, std::strlen(w)) == 0; });
}

/// The program and the Python module are ours; so is what the C++ runtime, {fmt} and muParser ask for with
/// operator new on our behalf, since it comes back to us as std::bad_alloc. C libraries that report failure
/// are a kind of their own. libgomp, OpenBLAS, FFTW, the loader, the C library's own buffers and Python end
/// the process or have no way to report: nobody's.
Owner owner_of(const char* path) {
  if (*path == '\0') return in_python ? Owner::nobody : Owner::mercer;  // the program itself
  if (begins_with_one_of(path, {"libmercer", "_mercer"})) return Owner::mercer;
  if (begins_with_one_of(path, {"libstdc++", "libfmt", "libmuparser"})) return Owner::runtime;
  if (begins_with_one_of(path, {"libzip", "libz.", "libxxhash", "libcholmod"})) return Owner::library;
  return Owner::nobody;
}

Kind kind_named(const char* word) {
  return static_cast<Kind>(
      std::find_if(names.begin(), names.end(), [&](const char* n) { return std::strcmp(n, word) == 0; }) -
      names.begin());
}

int note_object(dl_phdr_info* info, std::size_t, void* number) {
  auto& n = *static_cast<std::size_t*>(number);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0 || n == most_objects) continue;
    const std::uintptr_t begin = info->dlpi_addr + segment.p_vaddr;
    objects[n++] = {begin, begin + segment.p_memsz, owner_of(info->dlpi_name)};
  }
  return 0;
}

void note_objects() {
  std::size_t n = 0;
  dl_iterate_phdr(note_object, &n);
  const auto here = reinterpret_cast<std::uintptr_t>(&note_objects);
  for (std::size_t i = 0; i < n; ++i)
    if (here >= objects[i].begin && here < objects[i].end) itself = objects[i];
  object_count = n;
}

Owner owner(const void* caller) {
  const auto address = reinterpret_cast<std::uintptr_t>(caller);
  for (std::size_t i = 0; i < object_count; ++i)
    if (address >= objects[i].begin && address < objects[i].end) return objects[i].owner;
  return Owner::nobody;
}

/// A hash of the innermost frames: calls from one place look alike. `from`: the first of our own.
std::uint64_t stack(std::uint64_t* kept, std::uint64_t& from) {
  void* addresses[frames + 6];
  const int n = ::backtrace(addresses, frames + 6);
  std::uint64_t hash = 1469598103934665603ULL;
  for (int i = 0, kept_frames = 0; i < n && kept_frames < static_cast<int>(frames); ++i) {
    const auto a = reinterpret_cast<std::uintptr_t>(addresses[i]);
    if (a >= itself.begin && a < itself.end) continue;
    if (kept != nullptr) kept[kept_frames] = a;
    if (from == 0 && owner(addresses[i]) == Owner::mercer) from = a;
    ++kept_frames;
    hash = (hash ^ a) * 1099511628211ULL;
  }
  return hash;
}

/// Counts the call; true when it is the one that shall fail.
bool strikes(Kind k) {
  if (record == nullptr || inside || !armed) return false;
  const Inside guard;
  const std::uint64_t number = ++record->count[k];
  if (k != kind) return false;
  if (at == 0) {
    if (number > most_stacks) return false;
    record->callers[number - 1] = 0;
    record->stacks[number - 1] = stack(nullptr, record->callers[number - 1]);
    return false;
  }
  if (number != at && !(ever && number > at)) return false;
  if (record->struck == 0) {
    std::uint64_t from = 0;
    stack(record->where, from);
    record->struck = number;
  }
  errno = reason;
  return true;
}

[[gnu::always_inline]] inline const void* caller_of_this() { return __builtin_return_address(0); }

bool of_files(Kind k, const void* caller) {
  if (record == nullptr || inside || !armed) return false;
  return owner(caller) != Owner::nobody && strikes(k);
}

/// What a transfer that fails gives; nothing where it goes on, perhaps with half of its bytes.
std::optional<ssize_t> transfer(Kind k, std::size_t& size, const void* caller) {
  if (!of_files(k, caller)) return std::nullopt;
  if (ended) return 0;
  if (!shorter) return -1;
  size = std::max<std::size_t>(1, size / 2);
  return std::nullopt;
}

bool of_memory(const void* caller) {
  if (record == nullptr || inside || !armed) return false;
  const Owner who = owner(caller);
  if (who == Owner::mercer) return strikes(malloc_);
  return who == Owner::library && strikes(library_);
}

extern "C" void* __libc_malloc(std::size_t);
extern "C" void* __libc_calloc(std::size_t, std::size_t);
extern "C" void* __libc_realloc(void*, std::size_t);
extern "C" void* __libc_memalign(std::size_t, std::size_t);

void* taken(std::size_t bytes, std::size_t alignment, const void* caller, bool throws) {
  const bool fails = record != nullptr && !inside && armed && owner(caller) != Owner::nobody && strikes(new_);
  void* memory = fails           ? nullptr
                 : alignment > 0 ? __libc_memalign(alignment, bytes)
                                 : __libc_malloc(std::max<std::size_t>(1, bytes));
  if (memory == nullptr && throws) throw std::bad_alloc();
  return memory;
}

}  // namespace

/// Before main nothing can be caught, so counting begins with it; Python begins when it likes.
extern "C" void mercer_faults_arm(int on) {
  if (on != 0) note_objects();
  armed = on != 0;
}

/// Another test in the same process; gives the calls counted in the last one.
extern "C" std::uint64_t mercer_faults_set(const char* name, std::uint64_t number, int why) {
  if (record == nullptr) return 0;
  const std::uint64_t counted = kind < kinds ? record->count[kind].load() : 0;
  for (auto& c : record->count) c = 0;
  record->struck = 0;
  kind = kind_named(name);
  at = number;
  reason = why;
  return counted;
}

namespace {

/// How a call fails: an errno, "short" or "end".
void fail_by(const char* how) {
  shorter = std::strcmp(how, "short") == 0;
  ended = std::strcmp(how, "end") == 0;
  reason = std::atoi(how);
}

/// As injected.py writes it.
struct Order {
  std::uint64_t at;
  std::uint32_t kind, ever;
  char how[16];
};

void print_into(int descriptor, const char* path) {
  const auto file =
      static_cast<int>(::syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, 0600));
  if (file < 0 || ::dup2(file, descriptor) < 0) ::_exit(127);
  ::syscall(SYS_close, file);
}

/// Returns in each copy that shall run main; the server itself ends with its input.
void serve(int in, int out, const char* path) {
  char out_path[512], err_path[512];
  std::snprintf(out_path, sizeof out_path, "%s.out", path);
  std::snprintf(err_path, sizeof err_path, "%s.err", path);
  Order order{};
  while (::syscall(SYS_read, in, &order, sizeof order) == sizeof order) {
    for (auto& c : record->count) c = 0;
    record->struck = 0;
    const pid_t child = ::fork();
    if (child == 0) {
      ::syscall(SYS_close, in);
      ::syscall(SYS_close, out);
      print_into(STDOUT_FILENO, out_path);
      print_into(STDERR_FILENO, err_path);
      kind = static_cast<Kind>(order.kind);
      at = order.at;
      ever = order.ever != 0;
      fail_by(order.how);
      return;
    }
    int status[2] = {child, 0};
    ::syscall(SYS_write, out, status, sizeof status[0]);
    if (child > 0) ::waitpid(child, &status[1], 0);
    ::syscall(SYS_write, out, &status[1], sizeof status[1]);
  }
  ::_exit(0);
}

int (*real_main)(int, char**, char**) = nullptr;
int armed_main(int count, char** arguments, char** environment) {
  int in = -1, out = -1;
  const char* server = std::getenv("MERCER_FAULTS_SERVER");
  if (server != nullptr && record != nullptr && std::sscanf(server, "%d,%d", &in, &out) == 2)
    serve(in, out, std::getenv("MERCER_FAULTS_RECORD"));
  if (!in_python) mercer_faults_arm(1);
  return real_main(count, arguments, environment);
}

}  // namespace

extern "C" int __libc_start_main(int (*main)(int, char**, char**), int count, char** arguments,
                                 void (*init)(), void (*fini)(), void (*rtld)(), void* end) {
  using Start = int(int (*)(int, char**, char**), int, char**, void (*)(), void (*)(), void (*)(), void*);
  real_main = main;
  auto* start = reinterpret_cast<Start*>(::dlsym(RTLD_NEXT, "__libc_start_main"));
  return start(armed_main, count, arguments, init, fini, rtld, end);
}

__attribute__((constructor)) static void begin() {
  const char* path = std::getenv("MERCER_FAULTS_RECORD");
  if (path == nullptr) return;
  const auto file =
      static_cast<int>(::syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (file < 0) return;
  const bool sized = ::syscall(SYS_ftruncate, file, sizeof(Record)) == 0;
  void* memory = reinterpret_cast<void*>(
      ::syscall(SYS_mmap, nullptr, sizeof(Record), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0));
  ::syscall(SYS_close, file);
  if (!sized || memory == MAP_FAILED) return;
  if (const char* word = std::getenv("MERCER_FAULTS_KIND")) kind = kind_named(word);
  if (const char* word = std::getenv("MERCER_FAULTS_AT")) at = std::strtoull(word, nullptr, 10);
  if (const char* word = std::getenv("MERCER_FAULTS_HOW")) fail_by(word);
  ever = std::getenv("MERCER_FAULTS_EVER") != nullptr;
  in_python = std::getenv("MERCER_FAULTS_LATER") != nullptr;
  void* warm[2];
  ::backtrace(warm, 2);  // it loads what it needs the first time
  record = static_cast<Record*>(memory);
  for (auto& c : record->count) c = 0;  // a program that starts itself again begins anew
}

// --- memory
// -------------------------------------------------------------------------------------------------

void* operator new(std::size_t n) { return taken(n, 0, caller_of_this(), true); }
void* operator new[](std::size_t n) { return taken(n, 0, caller_of_this(), true); }
void* operator new(std::size_t n, const std::nothrow_t&) noexcept {
  return taken(n, 0, caller_of_this(), false);
}
void* operator new[](std::size_t n, const std::nothrow_t&) noexcept {
  return taken(n, 0, caller_of_this(), false);
}
void* operator new(std::size_t n, std::align_val_t a) {
  return taken(n, static_cast<std::size_t>(a), caller_of_this(), true);
}
void* operator new[](std::size_t n, std::align_val_t a) {
  return taken(n, static_cast<std::size_t>(a), caller_of_this(), true);
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }

extern "C" {

void* malloc(std::size_t n) { return of_memory(caller_of_this()) ? nullptr : __libc_malloc(n); }
void* calloc(std::size_t n, std::size_t m) {
  return of_memory(caller_of_this()) ? nullptr : __libc_calloc(n, m);
}
void* realloc(void* p, std::size_t n) { return of_memory(caller_of_this()) ? nullptr : __libc_realloc(p, n); }
void* memalign(std::size_t a, std::size_t n) {
  return of_memory(caller_of_this()) ? nullptr : __libc_memalign(a, n);
}
void* aligned_alloc(std::size_t a, std::size_t n) {
  return of_memory(caller_of_this()) ? nullptr : __libc_memalign(a, n);
}
int posix_memalign(void** p, std::size_t a, std::size_t n) {
  if (of_memory(caller_of_this()) || (*p = __libc_memalign(a, n)) == nullptr) return ENOMEM;
  return 0;
}

// --- files: by the system's own calls, so that nothing need be looked up
// ---------------------------------------

int open(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const auto mode = static_cast<mode_t>(va_arg(more, int));
  va_end(more);
  if (of_files(open_, caller_of_this())) return -1;
  return static_cast<int>(::syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}
int open64(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const auto mode = static_cast<mode_t>(va_arg(more, int));
  va_end(more);
  if (of_files(open_, caller_of_this())) return -1;
  return static_cast<int>(::syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}

ssize_t read(int file, void* to, std::size_t size) {
  const auto failed = transfer(read_, size, caller_of_this());
  return failed ? *failed : ::syscall(SYS_read, file, to, size);
}
ssize_t pread(int file, void* to, std::size_t size, off_t from) {
  const auto failed = transfer(read_, size, caller_of_this());
  return failed ? *failed : ::syscall(SYS_pread64, file, to, size, from);
}
ssize_t pread64(int file, void* to, std::size_t size, off64_t from) {
  const auto failed = transfer(read_, size, caller_of_this());
  return failed ? *failed : ::syscall(SYS_pread64, file, to, size, from);
}
ssize_t write(int file, const void* what, std::size_t size) {
  const auto failed = transfer(write_, size, caller_of_this());
  return failed ? *failed : ::syscall(SYS_write, file, what, size);
}
ssize_t pwrite(int file, const void* what, std::size_t size, off_t to) {
  const auto failed = transfer(write_, size, caller_of_this());
  return failed ? *failed : ::syscall(SYS_pwrite64, file, what, size, to);
}
ssize_t pwrite64(int file, const void* what, std::size_t size, off64_t to) {
  const auto failed = transfer(write_, size, caller_of_this());
  return failed ? *failed : ::syscall(SYS_pwrite64, file, what, size, to);
}

int fsync(int file) {
  return of_files(fsync_, caller_of_this()) ? -1 : static_cast<int>(::syscall(SYS_fsync, file));
}
int rename(const char* from, const char* to) noexcept {
  return of_files(rename_, caller_of_this()) ? -1 : ::renameat(AT_FDCWD, from, AT_FDCWD, to);
}
int ftruncate(int file, off_t size) noexcept {
  return of_files(ftruncate_, caller_of_this()) ? -1 : static_cast<int>(::syscall(SYS_ftruncate, file, size));
}
int stat(const char* path, struct stat* info) noexcept {
  return of_files(stat_, caller_of_this()) ? -1 : ::fstatat(AT_FDCWD, path, info, 0);
}
int lstat(const char* path, struct stat* info) noexcept {
  return of_files(stat_, caller_of_this()) ? -1 : ::fstatat(AT_FDCWD, path, info, AT_SYMLINK_NOFOLLOW);
}
int fstat(int file, struct stat* info) noexcept {
  return of_files(stat_, caller_of_this()) ? -1 : ::fstatat(file, "", info, AT_EMPTY_PATH);
}

int close(int file) {  // the file is closed all the same, as Linux does it
  const bool fails = of_files(close_, caller_of_this());
  const int why = errno, result = static_cast<int>(::syscall(SYS_close, file));
  if (!fails) return result;
  errno = why;
  return -1;
}

void* mmap(void* where, std::size_t size, int protection, int flags, int file, off_t from) noexcept {
  if (of_files(mmap_, caller_of_this())) return MAP_FAILED;
  return reinterpret_cast<void*>(::syscall(SYS_mmap, where, size, protection, flags, file, from));
}
void* mmap64(void* where, std::size_t size, int protection, int flags, int file, off64_t from) noexcept {
  if (of_files(mmap_, caller_of_this())) return MAP_FAILED;
  return reinterpret_cast<void*>(::syscall(SYS_mmap, where, size, protection, flags, file, from));
}

}  // extern "C"
