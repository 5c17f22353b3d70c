#include "model/conv/convolution.h"

namespace weft::conv {

const char* to_string(Kind kind) {
  switch (kind) {
    case Kind::F:
      return "F";
    case Kind::GI:
      return "GI";
    case Kind::GW:
      return "GW";
  }
  return "?";
}

}  // namespace weft::conv
