# gable_add_operator(<name>) is one line per operator; gable_operator_library() writes the registry from those lines.
function(gable_operator_library)
  file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/operator_specs.cpp
       "#include \"core/operator.hpp\"\nstd::span<const gable::OperatorSpec* const> gable::operator_specs() { return {}; }\n")
  add_library(gable_operator_specs STATIC ${CMAKE_CURRENT_BINARY_DIR}/operator_specs.cpp)
  add_library(gable::operator_specs ALIAS gable_operator_specs)
  gable_target(gable_operator_specs)
  target_link_libraries(gable_operator_specs PUBLIC gable::core)
endfunction()
