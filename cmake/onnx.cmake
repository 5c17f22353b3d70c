find_package(Protobuf REQUIRED)
find_package(ONNX REQUIRED)

# weft_onnx: libonnx, with the macros and libraries that its headers need.
add_library(weft_onnx INTERFACE)
if(TARGET ONNX::onnx)
  target_link_libraries(weft_onnx INTERFACE ONNX::onnx ONNX::onnx_proto)
else() # onnx 1.12
  target_link_libraries(weft_onnx INTERFACE onnx onnx_proto)
endif()
