#include "model/fpgpt/topology.h"

namespace weft::fpgpt {

const Topology& topology() {
  static const Topology table{
      {{"inp_reader", "read data of port inp", "inp_beat"},
       {"inp_decode", "inp_beat", "inp_word"},
       {"inp_construct", "inp_word", "inp_group"},
       {"inp_im2col", "inp_group", "inp_column"},
       {"kern_reader", "read data of port kern", "kern_beat"},
       {"kern_decode", "kern_beat", "kern_word"},
       {"kern_feeder", "kern_word", "kern_row"},
       {"array", "inp_column or kern_row", "out_row"},
       {"out_constructor", "out_row", "out_group"},
       {"out_encode", "out_group", "out_beat"},
       {"out_writer", "out_beat or write response of port out", "port out"}},
      {{"inp_beat", "inp_reader", "inp_decode", 32, "one beat"},
       {"inp_word", "inp_decode", "inp_construct", 4, "up to BAND words"},
       {"inp_group", "inp_construct", "inp_im2col", 4, "up to Z words"},
       {"inp_column", "inp_im2col", "array", 8, "X words"},
       {"kern_beat", "kern_reader", "kern_decode", 32, "one beat"},
       {"kern_word", "kern_decode", "kern_feeder", 4, "one word (F/GI), BAND words (F/GI wide) or up to Y words (GW)"},
       {"kern_row", "kern_feeder", "array", 8, "Y words"},
       {"out_row", "array", "out_constructor", 8, "X words"},
       {"out_group", "out_constructor", "out_encode", 4, "up to X words"},
       {"out_beat", "out_encode", "out_writer", 32, "one beat with strobes"}},
      {{"inp", PortDirection::Read, "the tensor that im2col turns into columns"},
       {"kern", PortDirection::Read, "the tensor that the feeder turns into rows"},
       {"out", PortDirection::Write, "the result"}}};
  return table;
}

const char* to_string(Block block) {
  return topology().blocks[static_cast<std::size_t>(block)].name;
}
const char* to_string(FifoId fifo) {
  return topology().fifos[static_cast<std::size_t>(fifo)].name;
}
const char* to_string(Port port) {
  return topology().ports[static_cast<std::size_t>(port)].name;
}

const char* limiter_name(conv::Kind kind, Block limiter) {
  return kind != conv::Kind::GW && compute_bound(limiter) ? "compute" : to_string(limiter);
}

}  // namespace weft::fpgpt
