#include "platform/card/ddr_bank.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>

#include "model/core/error.h"
#include "model/link/closed_form.h"

namespace weft::card {

DdrBank::DdrBank(const sc_core::sc_module_name& name, memory::Store& contents)
    : sc_module(name), socket("socket"), contents_(contents) {
  socket.bind(*this);
}

void DdrBank::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time&) {
  transport_dbg(payload);
}

unsigned DdrBank::transport_dbg(tlm::tlm_generic_payload& payload) {
  const auto address = static_cast<Address>(payload.get_address());
  const std::size_t length = payload.get_data_length();
  if (address < 0 || address + static_cast<Bytes>(length) > contents_.bytes()) {
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return 0;
  }
  if (payload.is_write()) {
    std::memcpy(contents_.at(address), payload.get_data_ptr(), length);
  } else {
    std::memcpy(payload.get_data_ptr(), contents_.at(address), length);
  }
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  return payload.get_data_length();
}

void require_memory_keeps_up(const config::Board& board) {
  if (!board.pcie) throw Error(fmt::format("board '{}' has no link to a host (key pcie)", board.name));
  if (std::holds_alternative<config::IdealMemory>(board.memory)) return;
  const auto* const ddr4 = std::get_if<config::Ddr4Memory>(&board.memory);
  if (!ddr4) {
    throw Error(fmt::format("board '{}': a card's memory must be ddr4 or ideal, but memory.kind is {}", board.name,
                            config::kind_name(board.memory)));
  }
  const link::PcieConfig& pcie = *board.pcie;
  const double link_rate = std::max(link::closed_form(pcie, link::Direction::HostToCard).bytes_per_s,
                                    link::closed_form(pcie, link::Direction::CardToHost).bytes_per_s);
  // A refresh costs tRFC, closing the rows before it and opening one after it.
  const config::Ddr4Timing& t = ddr4->timing;
  const double refresh_nck = t.trfc + t.trp + t.trcd, clock_hz = mhz(ddr4->clock()) * 1e6;
  const double peak = mhz(ddr4->data_rate_mtps) * 1e6 * ddr4->organisation.data_bits / 8;
  const double sustained = peak * (1 - refresh_nck / t.trefi);
  if (sustained <= link_rate) {
    throw Error(
        fmt::format("board '{}': a bank takes {:.2f} GB/s (memory.data_rate_mtps, organisation.data_bits, tRFC of "
                    "tREFI), but the link carries up to "
                    "{:.2f} (pcie): transfers that the card's memory limits are not modelled",
                    board.name, sustained / 1e9, link_rate / 1e9));
  }
  const double arriving = link_rate * refresh_nck / clock_hz;
  const double room =
      static_cast<double>(pcie.dma.buffer_bytes) - static_cast<double>(pcie.dma.tags) * pcie.max_read_request_bytes;
  if (room < arriving) {
    throw Error(fmt::format(
        "board '{}': pcie.dma.buffer_bytes {} leaves {:.0f} bytes with all pcie.dma.tags requests in flight, "
        "but {:.0f} bytes arrive during a refresh (tRFC) of the card's memory: transfers that the memory "
        "limits are not modelled",
        board.name, pcie.dma.buffer_bytes, room, arriving));
  }
}

}  // namespace weft::card
