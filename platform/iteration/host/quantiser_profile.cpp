#include "platform/iteration/host/quantiser_profile.h"

#include <algorithm>
#include <functional>
#include <vector>

#include "platform/iteration/host/profile.h"
#include "platform/iteration/quantiser/quantiser.h"

namespace weft::host {

namespace {

constexpr std::size_t kWords = std::size_t{1} << 22;

class Run : public OperatorRun {
 public:
  explicit Run(std::function<void()> work) : work_(std::move(work)) {}
  void once() override { work_(); }

 private:
  std::function<void()> work_;
};

std::int64_t time_of(std::function<void()> work, int repeat) {
  Run run(std::move(work));
  return median_ns(run, repeat);
}

}  // namespace

ProfiledQuantiser profile_quantiser(int threads, int repeat) {
  std::vector<float> values(kWords);
  std::vector<std::int16_t> words(kWords);
  std::vector<std::int32_t> sums(kWords);
  for (std::size_t i = 0; i < kWords; ++i) {
    values[i] = static_cast<float>(static_cast<std::int64_t>(i * 2654435761U % 2001) - 1000) / 1000.0F;
    sums[i] = static_cast<std::int32_t>(i) - 1'000'000;
  }
  const quantiser::Values tensor{"profile", values.data(), kWords};
  const quantiser::Sums out{"profile", sums.data(), kWords, 12};
  std::vector<float> dequantised(kWords);
  ProfiledQuantiser result;
  result.words = static_cast<std::int64_t>(kWords);
  result.quantise_ns = time_of(
      [&] {
        quantiser::quantise(tensor, {8, quantiser::scale_of(tensor, 8, 0, threads), {}}, words.data(), threads);
      },
      repeat);
  result.dequantise_ns = time_of([&] { quantiser::dequantise(out, dequantised.data(), threads); }, repeat);
  return result;
}

config::Host with_quantiser(config::Host base, const ProfiledQuantiser& profiled) {
  const auto per_word = [&](std::int64_t ns) { return (ns * 1000 + profiled.words / 2) / profiled.words; };
  base.quantiser = config::Quantiser{per_word(profiled.quantise_ns), per_word(profiled.dequantise_ns),
                                     base.quantiser ? base.quantiser->headroom : 0};
  const auto settled = [](const std::string& key) { return key == "quantiser" || key.rfind("quantiser.", 0) == 0; };
  base.assumed.erase(std::remove_if(base.assumed.begin(), base.assumed.end(), settled), base.assumed.end());
  return base;
}

}  // namespace weft::host
