# gable_embed(<target> <file> <symbol>): compiles a text file into the target as gable::embedded::<symbol>. A user declares
#   namespace gable::embedded { extern const std::string_view <symbol>; }
function(gable_embed target file symbol)
  cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  file(READ ${file} text)
  set(source ${CMAKE_CURRENT_BINARY_DIR}/embedded_${symbol}.cpp)
  file(CONFIGURE OUTPUT ${source} @ONLY CONTENT [[
#include <string_view>
namespace gable::embedded {
namespace {
constexpr char text[] = R"gable_text(@text@)gable_text";
}
extern const std::string_view @symbol@;
constinit const std::string_view @symbol@{text, sizeof text - 1};
}  // namespace gable::embedded
]])
  target_sources(${target} PRIVATE ${source})
endfunction()
