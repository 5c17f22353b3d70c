#include "platform/studies/sweep/code_version.h"

#include "weft_code_version.h"

namespace weft::sweep {

std::string code_version() {
  return WEFT_CODE_VERSION;
}

}  // namespace weft::sweep
