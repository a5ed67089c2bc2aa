# The consumer's gable runs its own operator and an installed one: -DGABLE=<program> -DFOLDER=<for the result>
foreach(case IN ITEMS scaled_sum triad)
  set(result ${FOLDER}/${case}.json)
  file(REMOVE ${result} ${result}.journal)
  execute_process(
    COMMAND ${CMAKE_COMMAND} -E env --unset=GABLE_WORKER_PATH ${GABLE} run --quick --operator ${case} --params n=1000
            --dtype fp32 --retry-budget 60 --output ${result}
    RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(code GREATER 1)  # 1: on a busy machine threads were held back
    message(FATAL_ERROR "gable run --operator ${case}: exit code ${code}\n${output}")
  endif()
  file(READ ${result} json)
  string(JSON name GET "${json}" points 0 op)
  string(JSON status GET "${json}" points 0 status)
  string(JSON flags GET "${json}" workers 0 build flags)
  if(NOT flags MATCHES "[|] consumer: Release .*-O[23]")
    message(FATAL_ERROR "the result does not say how the consumer's operators were compiled: ${flags}")
  endif()
  if(NOT name STREQUAL case OR NOT status MATCHES "^(ok|suspect)$")
    message(FATAL_ERROR "the first point is ${name}, ${status}; expected ${case}, ok or, on a busy machine, suspect")
  endif()
endforeach()
