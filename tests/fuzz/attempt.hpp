// What may happen to bytes from outside: they are taken, or refused by an Error. Anything else is a finding.
#pragma once

#include <mercer/error.hpp>

namespace mercer::fuzz {

/// Whether the work was done. An Error that does not call itself our bug is a refusal; every other exception
/// goes on, and ends the fuzzer or fails the test.
template <class Work>
bool attempt(Work work) {
  try {
    work();
    return true;
  } catch (const Error& error) {
    if (error.code() == ErrorCode::internal) throw;
    return false;
  }
}

}  // namespace mercer::fuzz
