#include "model/memory/ddr4_timing.h"

#include <array>

namespace weft::memory {

const char* name_of(Command command) {
  static constexpr std::array<const char*, kCommands> kNames{"ACT", "PRE", "PREA", "RD", "RDA", "WR", "WRA", "REF"};
  return kNames[static_cast<std::size_t>(index_of(command))];
}

// Sources are sections of JEDEC JESD79-4 (DDR4 SDRAM) by title; the values of the parameters come from its tables of
// timing parameters by speed bin (Tables 169 and 170 in JESD79-4C).
std::vector<Constraint> timing_table(const Ddr4Timing& t) {
  constexpr CommandSet kAct = set_of(Command::activate);
  constexpr CommandSet kPre = set_of(Command::precharge);
  constexpr CommandSet kPreAll = set_of(Command::precharge_all);
  constexpr CommandSet kRef = set_of(Command::refresh);
  constexpr CommandSet kReads = set_of(Command::read, Command::read_ap);
  constexpr CommandSet kWrites = set_of(Command::write, Command::write_ap);
  constexpr CommandSet kReadAp = set_of(Command::read_ap);
  constexpr CommandSet kWriteAp = set_of(Command::write_ap);
  constexpr CommandSet kRead = set_of(Command::read);
  constexpr CommandSet kWrite = set_of(Command::write);

  const Nck read_to_write = t.cl_nck + t.burst_nck() - t.cwl_nck + t.turnaround_nck;
  const Nck write_recovery = t.write_data_nck() + t.wr_nck;

  return {
      // ACTIVATE
      {Scope::bank, kAct, kReads | kWrites, 1, t.rcd_nck, "tRCD: ACT to internal read or write, ACTIVATE Command"},
      {Scope::bank, kAct, kPre, 1, t.ras_nck, "tRAS: ACT to PRE, PRECHARGE Command"},
      {Scope::rank, kAct, kPreAll, 1, t.ras_nck, "tRAS: ACT to PREA, PRECHARGE Command"},
      {Scope::bank, kAct, kAct, 1, t.rc_nck, "tRC: ACT to ACT of one bank, ACTIVATE Command"},
      {Scope::rank, kAct, kRef, 1, t.rc_nck, "tRC: ACT to REF, as REF needs the bank precharged, Refresh Command"},
      {Scope::bank_group, kAct, kAct, 1, t.rrd_l_nck, "tRRD_L: ACT to ACT in a bank group, tRRD Timing"},
      {Scope::rank, kAct, kAct, 1, t.rrd_s_nck, "tRRD_S: ACT to ACT of different bank groups, tRRD Timing"},
      {Scope::rank, kAct, kAct, 4, t.faw_nck, "tFAW: four activate window, tRRD Timing"},
      // READ
      {Scope::bank_group, kReads, kReads, 1, t.ccd_l_nck, "tCCD_L: in a bank group, CAS_n to CAS_n delay"},
      {Scope::rank, kReads, kReads, 1, t.ccd_s_nck, "tCCD_S: different bank groups, CAS_n to CAS_n delay"},
      {Scope::rank, kReads, kWrites, 1, read_to_write,
       "CL + BL/2 - CWL + 2 tCK: READ (BL8) to WRITE (BL8), Read Operation"},
      {Scope::bank, kRead, kPre, 1, t.rtp_nck, "tRTP: RD to PRE, Burst Read Operation followed by a Precharge"},
      {Scope::rank, kReads, kPreAll, 1, t.rtp_nck, "tRTP: RD to PREA, Burst Read Operation followed by a Precharge"},
      {Scope::bank, kReadAp, kAct, 1, t.rtp_nck + t.rp_nck, "tRTP + tRP: RDA to ACT, Auto-Precharge"},
      {Scope::rank, kReadAp, kRef, 1, t.rtp_nck + t.rp_nck, "tRTP + tRP: RDA to REF, Auto-Precharge"},
      // WRITE
      {Scope::bank_group, kWrites, kWrites, 1, t.ccd_l_nck, "tCCD_L: in a bank group, CAS_n to CAS_n delay"},
      {Scope::rank, kWrites, kWrites, 1, t.ccd_s_nck, "tCCD_S: different bank groups, CAS_n to CAS_n delay"},
      {Scope::bank_group, kWrites, kReads, 1, t.write_data_nck() + t.wtr_l_nck,
       "CWL + BL/2 + tWTR_L: WR to RD in a bank group, Write Operation"},
      {Scope::rank, kWrites, kReads, 1, t.write_data_nck() + t.wtr_s_nck,
       "CWL + BL/2 + tWTR_S: WR to RD of different bank groups, Write Operation"},
      {Scope::bank, kWrite, kPre, 1, write_recovery, "CWL + BL/2 + tWR: WR to PRE, Write Operation"},
      {Scope::rank, kWrites, kPreAll, 1, write_recovery, "CWL + BL/2 + tWR: WR to PREA, Write Operation"},
      {Scope::bank, kWriteAp, kAct, 1, write_recovery + t.rp_nck, "CWL + BL/2 + tWR + tRP: WRA to ACT, Auto-Precharge"},
      {Scope::rank, kWriteAp, kRef, 1, write_recovery + t.rp_nck, "CWL + BL/2 + tWR + tRP: WRA to REF, Auto-Precharge"},
      // PRECHARGE
      {Scope::bank, kPre, kAct, 1, t.rp_nck, "tRP: PRE to ACT, PRECHARGE Command"},
      {Scope::rank, kPre, kRef, 1, t.rp_nck, "tRP: PRE to REF, Refresh Command"},
      {Scope::rank, kPreAll, kAct | kRef, 1, t.rp_nck, "tRP: PREA to ACT or REF, PRECHARGE and Refresh Command"},
      // REFRESH
      {Scope::rank, kRef, kAct | kRef, 1, t.rfc_nck, "tRFC: REF to any other command, Refresh Command"},
  };
}

bool operator==(const Ddr4Timing& a, const Ddr4Timing& b) {
  return Ddr4Timing::all(a) == Ddr4Timing::all(b);
}

}  // namespace weft::memory
