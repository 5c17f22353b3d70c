#include "model/engine/account.h"

namespace weft::engine {

ExactAccount& ExactAccount::operator+=(const ExactAccount& other) {
  for (const auto member :
       {&ExactAccount::simulated, &ExactAccount::walked, &ExactAccount::learnt, &ExactAccount::learnt_together,
        &ExactAccount::stretches, &ExactAccount::distinct, &ExactAccount::memory_steps, &ExactAccount::verified}) {
    this->*member += other.*member;
  }
  return *this;
}

}  // namespace weft::engine
