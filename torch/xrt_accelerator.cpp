#include "torch/xrt_accelerator.h"

#include <fmt/core.h>
#include <xrt/xrt_bo.h>
#include <xrt/xrt_device.h>
#include <xrt/xrt_kernel.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <exception>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "model/core/error.h"
#include "model/fpgpt/registers.h"
#include "platform/designs/fpgpt/kernel_config.h"

namespace weft::nn {

using fpgpt::Port;

namespace {

constexpr int kDevice = 0;

// Port of an argument that is the address of a tensor.
std::optional<Port> port_of(const fpgpt::BetaField& field) {
  static const std::map<Address, Port> ports{{0x06C, Port::Inp}, {0x074, Port::Kern}, {0x07C, Port::Out}};
  const auto found = ports.find(field.address);
  return found == ports.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace

// State of the open card. Loading another kernel discards everything of the last one, including the card's memory.
class XrtAccelerator::Card {
 public:
  explicit Card(const KernelSet& kernels) : kernels_(kernels), device_(kDevice) {}

  // Allocates an unused buffer, a call without costs.
  void settle() {
    constexpr std::size_t kPage = 4096;
    if (loaded_) xrt::bo(device_, kPage, memory_group_.at(Port::Inp));
  }

  void run(const ConvolutionPlan& plan, const std::byte* inp, const std::byte* kern, std::byte* out) {
    load(plan.kernel);
    send(plan, Port::Inp, inp, plan.bytes.inp);
    send(plan, Port::Kern, kern, plan.bytes.kern);
    reach(plan, Port::Out);
    launch(plan.launches);
    if (checked_.insert(&plan).second) require_computed();
    const Bytes from = plan.placement.base.at(static_cast<std::size_t>(Port::Out));
    xrt::bo& buffer = channels_.at(channel(Port::Out)).buffer;
    buffer.sync(XCL_BO_SYNC_BO_FROM_DEVICE, static_cast<std::size_t>(plan.bytes.out), static_cast<std::size_t>(from));
    std::memcpy(out, channels_.at(channel(Port::Out)).data + from, static_cast<std::size_t>(plan.bytes.out));
  }

 private:
  // Used part of a memory channel, from its first byte on, with the host's copy.
  struct Channel {
    xrt::bo buffer;
    char* data = nullptr;
    Bytes bytes = 0;
  };

  int channel(Port port) const { return kernels_.channel_of_port.at(static_cast<std::size_t>(port)); }

  void load(std::size_t kernel) {
    if (loaded_ == kernel) return;
    loaded_.reset();
    runs_ = {};
    channels_.clear();
    kernel_ = {};
    const std::string path = kernels_.kernels.at(kernel).xclbin.string();
    const xrt::uuid uuid = device_.load_xclbin(path);
    // Exclusive access, required to read the reason why a convolution was refused.
    kernel_ = xrt::kernel(device_, uuid, fpgpt::KernelConfig::kDesign, xrt::kernel::cu_access_mode::exclusive);
    loaded_ = kernel;
    fields_ = &fpgpt::beta_fields(kernels_.kernels.at(kernel).alpha.format);
    for (std::size_t i = 0; i < fields_->size(); ++i) {
      if (const auto port = port_of((*fields_)[i])) memory_group_[*port] = kernel_.group_id(static_cast<int>(i));
    }
  }

  // Returns the channel of a port, enlarged to the size that the convolution needs.
  Channel& reach(const ConvolutionPlan& plan, Port port) {
    Channel& there = channels_[channel(port)];
    const Bytes needed = plan.placement.channel_bytes.at(static_cast<std::size_t>(channel(port)));
    if (there.bytes >= needed) return there;
    there = {};  // free the old buffer first: the new one begins at the same address
    there.buffer = xrt::bo(device_, static_cast<std::size_t>(needed), memory_group_.at(port));
    there.data = there.buffer.map<char*>();
    there.bytes = needed;
    return there;
  }

  void send(const ConvolutionPlan& plan, Port port, const std::byte* data, Bytes bytes) {
    const auto at = static_cast<std::size_t>(plan.placement.base.at(static_cast<std::size_t>(port)));
    Channel& there = reach(plan, port);
    std::memcpy(there.data + at, data, static_cast<std::size_t>(bytes));
    there.buffer.sync(XCL_BO_SYNC_BO_TO_DEVICE, static_cast<std::size_t>(bytes), at);
  }

  // Starts groups while earlier ones run, a few ahead: XRT runs them in order.
  void launch(const std::vector<conv::Convolution>& groups) {
    std::size_t under_way = 0;  // first group still running
    for (std::size_t group = 0; group < groups.size(); ++group) {
      if (group - under_way == runs_.size()) wait(runs_.at(under_way++ % runs_.size()));
      start(runs_.at(group % runs_.size()), groups[group]);
    }
    while (under_way < groups.size()) wait(runs_.at(under_way++ % runs_.size()));
  }

  // The arguments are the registers of beta, in order.
  void start(xrt::run& run, const conv::Convolution& beta) {
    if (!run) run = xrt::run(kernel_);
    const std::vector<fpgpt::BetaField>& fields = *fields_;
    for (std::size_t i = 0; i < fields.size(); ++i) {
      const auto argument = static_cast<int>(i);
      if (const auto port = port_of(fields[i])) {
        const Channel& there = channels_.at(channel(*port));
        const auto at = static_cast<std::size_t>(fields[i].get(beta));
        run.set_arg(argument, xrt::bo(there.buffer, static_cast<std::size_t>(there.bytes) - at, at));
      } else {
        run.set_arg(argument, static_cast<std::uint32_t>(fields[i].get(beta)));
      }
    }
    run.start();
  }

  static void wait(const xrt::run& run) {
    const ert_cmd_state state = run.wait();
    if (state != ERT_CMD_STATE_COMPLETED)
      throw Error(fmt::format("XRT ended a convolution with state {}", static_cast<int>(state)));
  }

  // Throws Error if the kernel refused a convolution, which XRT reports as completed.
  void require_computed() {
    const std::uint32_t status = kernel_.read_register(static_cast<std::uint32_t>(fpgpt::kStatus));
    if (status == 0) return;
    throw Error(fmt::format("the kernel refused a convolution: STATUS {} ({})", status,
                            fpgpt::to_string(static_cast<fpgpt::Refusal>(status & 15U))));
  }

  const KernelSet& kernels_;
  xrt::device device_;
  std::optional<std::size_t> loaded_;
  xrt::kernel kernel_;
  const std::vector<fpgpt::BetaField>* fields_ = nullptr;  // of the loaded kernel
  std::map<Port, int> memory_group_;
  std::map<int, Channel> channels_;
  std::array<xrt::run, 8> runs_;  // runs that can be queued at a time
  std::set<const ConvolutionPlan*> checked_;
};

XrtAccelerator::XrtAccelerator(KernelSet kernels) : Accelerator(std::move(kernels)) {
  try {
    card_ = std::make_unique<Card>(this->kernels());
  } catch (const std::exception& error) {
    throw Error(fmt::format("XRT finds no card: {}", error.what()));
  }
}

XrtAccelerator::~XrtAccelerator() = default;

void XrtAccelerator::run(const ConvolutionPlan& plan, const std::byte* inp, const std::byte* kern, std::byte* out) {
  card_->run(plan, inp, kern, out);
}

void XrtAccelerator::settle() {
  card_->settle();
}

}  // namespace weft::nn
