# cmake -DROOT=... -DVERSION=... -DOUTPUT=... -P: writes a source with record::weft_version(): the version and a digest of the sources that decide
# results; the file changes only when they do.
# A design is decided in its folder of platform/, which is named as its folder of kernels/.
file(GLOB designs RELATIVE ${ROOT}/kernels ${ROOT}/kernels/*)
set(designs_platform "")
foreach(design IN LISTS designs)
  if(EXISTS ${ROOT}/kernels/${design}/CONTRACT.md)
    list(APPEND designs_platform ${ROOT}/platform/designs/${design}/*.cpp ${ROOT}/platform/designs/${design}/*.h)
  endif()
endforeach()
file(
  GLOB_RECURSE sources
  RELATIVE ${ROOT}
  ${ROOT}/kernels/*.cpp ${ROOT}/kernels/*.h ${ROOT}/kernels/*.sv ${ROOT}/model/*.cpp ${ROOT}/model/*.h ${ROOT}/workloads/*.cpp ${ROOT}/workloads/*.h
  ${ROOT}/platform/config/*.cpp ${ROOT}/platform/config/*.h ${ROOT}/platform/design/*.cpp ${ROOT}/platform/design/*.h
  ${ROOT}/platform/dse/*.cpp ${ROOT}/platform/dse/*.h ${ROOT}/platform/iteration/*.cpp ${ROOT}/platform/iteration/*.h
  ${designs_platform} ${ROOT}/platform/studies/*.cpp ${ROOT}/platform/studies/*.h ${ROOT}/platform/run/*.cpp ${ROOT}/platform/run/*.h)
list(SORT sources)
set(digests "")
foreach(source IN LISTS sources)
  file(SHA256 ${ROOT}/${source} digest)
  string(APPEND digests "${source} ${digest}\n")
endforeach()
string(SHA256 digest "${digests}")
string(SUBSTRING ${digest} 0 12 digest)
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "#include \"platform/record/record.h\"\n\nstd::string weft::record::weft_version() {\n  return \"${VERSION}+${digest}\";\n}\n")
