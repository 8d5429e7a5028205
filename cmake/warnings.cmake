# Warnings and sanitizers, for our own targets only.
add_library(mercer_warnings INTERFACE)
target_compile_options(mercer_warnings INTERFACE -Wall -Wextra -Wnon-virtual-dtor -Woverloaded-virtual
  $<$<NOT:$<BOOL:${MERCER_UNITY}>>:-Wshadow>)  # files compiled together see each other's names
if(MERCER_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(mercer_warnings INTERFACE -Wno-subobject-linkage)
endif()
if(MERCER_WARNINGS_AS_ERRORS)
  target_compile_options(mercer_warnings INTERFACE -Werror)
endif()
if(MERCER_SANITIZE)
  add_compile_options(-fsanitize=${MERCER_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${MERCER_SANITIZE})
  # What the address sanitizer sees anyway, and what makes a quarter of the compile time.
  if(MERCER_SANITIZE MATCHES "undefined")
    add_compile_options(-fno-sanitize=vptr,null,alignment,object-size)
  endif()
endif()

# Where libFuzzer sees which way the library went; its own loop comes with the fuzzers' link.
if(MERCER_FUZZ AND NOT MERCER_COVERAGE)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
if(MERCER_COVERAGE)
  add_compile_options(-fprofile-instr-generate -fcoverage-mapping)
  add_link_options(-fprofile-instr-generate)
endif()

# Lets ccache see through precompiled headers.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options(-fpch-preprocess)
endif()
