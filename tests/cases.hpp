// How often a test of chances is tried.
#pragma once

#include <cstdint>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define MERCER_TEST_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define MERCER_TEST_SANITIZED 1
#endif
#endif

namespace mercer::test {

#ifdef MERCER_TEST_SANITIZED
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

/// Under a sanitizer every eleventh case: it looks at what is done with memory and by threads, and the
/// release build at how often bounds fail. A prime, so that what takes turns from case to case still does.
constexpr std::uint64_t stride = sanitized ? 11 : 1;

}  // namespace mercer::test
