#include "model/fpgpt/alpha.h"

namespace weft::fpgpt {

bool operator==(const Alpha& a, const Alpha& b) {
  return Alpha::all(a) == Alpha::all(b);
}

}  // namespace weft::fpgpt
