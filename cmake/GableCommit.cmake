# Writes a header with the commit of SOURCE to OUTPUT, at build time:
#   cmake -DSOURCE=<project root> -DOUTPUT=<header> -P GableCommit.cmake
# A modified checkout has a hash of its changes behind the commit, so that two builds can be told apart: 0123abcd+4567ef89ab01.
# Outside a checkout, or without git, the commit is "unknown". The header changes only when its content does.
set(commit unknown)
set(dirty false)
find_program(GIT git)
if(GIT)
  # a checkout of something else around an unpacked archive does not count
  execute_process(COMMAND ${GIT} -C ${SOURCE} rev-parse --show-toplevel HEAD
                  RESULT_VARIABLE failed OUTPUT_VARIABLE answer ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT failed AND answer MATCHES "^(.*)\n([0-9a-f]+)$")
    set(head ${CMAKE_MATCH_2})
    file(REAL_PATH "${CMAKE_MATCH_1}" top)
    file(REAL_PATH "${SOURCE}" source)
    if(top STREQUAL source)
      set(commit ${head})
      execute_process(COMMAND ${GIT} --no-optional-locks -C ${SOURCE} status --porcelain --untracked-files=no
                      RESULT_VARIABLE failed OUTPUT_VARIABLE changes ERROR_QUIET)
      if(failed OR NOT changes STREQUAL "")
        set(dirty true)
        execute_process(COMMAND ${GIT} --no-optional-locks -C ${SOURCE} diff --binary HEAD OUTPUT_VARIABLE difference ERROR_QUIET)
        string(SHA256 hash "${difference}")
        string(SUBSTRING ${hash} 0 12 hash)
        string(APPEND commit "+${hash}")
      endif()
    endif()
  endif()
endif()
set(content "#pragma once
namespace gable::result {
inline constexpr const char* build_commit = \"${commit}\";
inline constexpr bool build_dirty = ${dirty};
}  // namespace gable::result
")
set(old "")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} old)
endif()
if(NOT content STREQUAL old)
  file(WRITE ${OUTPUT} "${content}")
endif()
