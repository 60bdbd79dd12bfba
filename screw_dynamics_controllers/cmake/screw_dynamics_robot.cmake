# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
#
# screw_dynamics_robot(NAME URDF [DRIVES] [OPTIONS ...]): library lib<NAME>.so of a robot, from its
# URDF, its file of drives and options of `generate`; written again whenever the files change.

function(screw_dynamics_robot name urdf)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  get_filename_component(urdf ${urdf} ABSOLUTE)
  cmake_parse_arguments(PARSE_ARGV 2 given "" "" OPTIONS)
  set(sources ${urdf})
  set(options ${given_OPTIONS})
  if(given_UNPARSED_ARGUMENTS)
    get_filename_component(drives ${given_UNPARSED_ARGUMENTS} ABSOLUTE)
    list(APPEND sources ${drives})
    list(APPEND options --drives ${drives})
  endif()
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${name})
  file(MAKE_DIRECTORY ${folder})
  add_custom_command(
    OUTPUT ${folder}/robot.c ${folder}/robot.h ${folder}/robot_table.c
    COMMAND ${Python3_EXECUTABLE} -m screw_dynamics generate ${urdf} ${options} --prefix robot
            --controller --output ${folder}
    DEPENDS ${sources}
    VERBATIM)
  add_library(${name} SHARED ${folder}/robot.c ${folder}/robot_table.c)
  target_include_directories(${name} PRIVATE
    ${folder} ${screw_dynamics_controllers_DIR}/../../../include/screw_dynamics_controllers)
  set_target_properties(${name} PROPERTIES C_STANDARD 99)
  # packed pairs of doubles make this code slower
  target_compile_options(${name} PRIVATE $<$<C_COMPILER_ID:GNU>:-O2 -fno-tree-vectorize>)
  target_link_libraries(${name} PRIVATE m)
  install(TARGETS ${name} LIBRARY DESTINATION lib)
endfunction()
