# Rules that install weft under a prefix, and the Debian package that CPack makes of them. The installed program finds the
# folders share/weft and lib/weft of its prefix (platform/os/data_root.h).

# Man pages and completion are written by the program itself.
set(generated ${PROJECT_BINARY_DIR}/generated)
add_custom_command(
  OUTPUT ${generated}/stamp
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${generated}
  COMMAND /usr/bin/python3 ${PROJECT_SOURCE_DIR}/cmake/man_pages.py $<TARGET_FILE:weft> ${generated}/man
  COMMAND ${CMAKE_COMMAND} -E make_directory ${generated}/completions
  COMMAND $<TARGET_FILE:weft> completion bash > ${generated}/completions/weft
  COMMAND ${CMAKE_COMMAND} -E touch ${generated}/stamp
  DEPENDS weft ${PROJECT_SOURCE_DIR}/cmake/man_pages.py
  VERBATIM)
add_custom_target(weft_generated ALL DEPENDS ${generated}/stamp)

# The program, and the files that weft card loads into a host program or starts for it.
set(executable PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
install(TARGETS weft RUNTIME DESTINATION bin COMPONENT program)
install(
  TARGETS weft_card_relay weft_shim_patch
  RUNTIME DESTINATION lib/weft COMPONENT program
  LIBRARY DESTINATION lib/weft COMPONENT program ${executable})

# The data: configurations, the RTL that weft rtl and weft synth read, the kernels of a calibration, lists of packages.
install(DIRECTORY configs DESTINATION share/weft COMPONENT data PATTERN "*.py" EXCLUDE PATTERN "__pycache__" EXCLUDE)
install(
  DIRECTORY kernels
  DESTINATION share/weft
  COMPONENT data
  FILES_MATCHING
  PATTERN "bench" EXCLUDE
  REGEX "[.](sv|vlt|md)$|/export/")
file(GLOB calibrations RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS model/*/analytical/rtl_resources.csv)
foreach(calibration IN LISTS calibrations)
  cmake_path(GET calibration PARENT_PATH folder)
  install(FILES ${calibration} DESTINATION share/weft/${folder} COMPONENT data)
endforeach()
install(FILES packages-card.txt packages-synth.txt DESTINATION share/weft COMPONENT data)

# The documentation keeps its folders, so that its links lead to its pages.
install(FILES README.md CHANGELOG.md CITATION.cff DESTINATION share/doc/weft COMPONENT documentation)
install(DIRECTORY docs DESTINATION share/doc/weft COMPONENT documentation)
install(
  DIRECTORY kernels
  DESTINATION share/doc/weft
  COMPONENT documentation
  FILES_MATCHING
  PATTERN "bench" EXCLUDE
  PATTERN "common" EXCLUDE
  PATTERN "*.md")
file(WRITE ${PROJECT_BINARY_DIR}/copyright [[
weft: a cycle-accurate simulator of CNN-training accelerators

All rights reserved.

The copyright holder and the licence are not named yet. Until they are, nobody
else has the right to copy, change or distribute this package.
]])
install(FILES ${PROJECT_BINARY_DIR}/copyright DESTINATION share/doc/weft COMPONENT documentation)
install(DIRECTORY ${generated}/man/ DESTINATION share/man/man1 COMPONENT documentation)
install(FILES ${generated}/completions/weft DESTINATION share/bash-completion/completions COMPONENT documentation)

# Packages that some commands need, from their lists: "NAME PROBE # reason".
set(suggested "")
foreach(list card synth)
  file(STRINGS packages-${list}.txt lines REGEX "^[a-z0-9]")
  foreach(line IN LISTS lines)
    string(REGEX MATCH "^[^ ]+" name "${line}")
    list(APPEND suggested ${name})
  endforeach()
endforeach()
list(JOIN suggested ", " CPACK_DEBIAN_PACKAGE_SUGGESTS)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME weft)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
# The package needs the libraries of the Debian that it was built on: its revision names that Debian.
file(STRINGS /etc/os-release release REGEX "^VERSION_ID=")
string(REGEX REPLACE "[^0-9.]" "" release "${release}")
set(CPACK_DEBIAN_PACKAGE_RELEASE 1~deb${release})
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "The weft authors <weft@invalid.invalid>") # the owner names another
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "cycle-accurate simulator of CNN-training accelerators")
set(CPACK_PACKAGE_DESCRIPTION
    "weft tells, before synthesis, how many cycles the training of a convolutional
neural network takes on an accelerator as built for an FPGA, what limits it,
whether it fits the board, and how long training takes. It simulates the
kernel, DDR4 memory, PCIe and the host.")
include(CPack)
