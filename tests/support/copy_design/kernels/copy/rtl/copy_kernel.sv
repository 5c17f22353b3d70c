// The kernel: registers, launch, and the blocks of CONTRACT.md between two AXI4 masters (`in` reads, `out` writes).
//
//   reader -> u_beat -> writer
//
// Interface for co-simulation: each u_<fifo> has push_i, data_i, full_o, pop_i and empty_o. The AXI channels are the ports of this module.
// `running` is high in cycles 0 to T-1, numbered by `cycle`; `busy` is high from the cycle after the start until done can be read.
module copy_kernel #(
  // alpha
  parameter int Band = 16,              // a power of two, 2 to 32
  parameter int BeatDepth = 4,          // of the FIFO
  // Memory ports; bursts of at most 256 beats
  parameter int InMaxBurstBeats = 64,
  parameter int InOutstanding = 16,
  parameter int OutMaxBurstBeats = 64,
  parameter int OutOutstanding = 16
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  // AXI4-Lite slave
  input  logic                  s_awvalid_i,
  output logic                  s_awready_o,
  input  logic [9:0]            s_awaddr_i,
  input  logic                  s_wvalid_i,
  output logic                  s_wready_o,
  input  logic [31:0]           s_wdata_i,
  input  logic [3:0]            s_wstrb_i,
  output logic                  s_bvalid_o,
  input  logic                  s_bready_i,
  output logic [1:0]            s_bresp_o,
  input  logic                  s_arvalid_i,
  output logic                  s_arready_o,
  input  logic [9:0]            s_araddr_i,
  output logic                  s_rvalid_o,
  input  logic                  s_rready_i,
  output logic [31:0]           s_rdata_o,
  output logic [1:0]            s_rresp_o,
  // AXI4 master, in
  output logic                  in_arvalid_o /* verilator public_flat_rd */,
  input  logic                  in_arready_i /* verilator public_flat_rd */,
  output logic                  in_arid_o,
  output logic [63:0]           in_araddr_o /* verilator public_flat_rd */,
  output logic [7:0]            in_arlen_o /* verilator public_flat_rd */,
  output logic [2:0]            in_arsize_o,
  output logic [1:0]            in_arburst_o,
  input  logic                  in_rvalid_i /* verilator public_flat_rd */,
  output logic                  in_rready_o /* verilator public_flat_rd */,
  input  logic                  in_rid_i,
  input  logic [Band*32-1:0]    in_rdata_i /* verilator public_flat_rd */,
  input  logic [1:0]            in_rresp_i,
  input  logic                  in_rlast_i /* verilator public_flat_rd */,
  // AXI4 master, out
  output logic                  out_awvalid_o /* verilator public_flat_rd */,
  input  logic                  out_awready_i /* verilator public_flat_rd */,
  output logic                  out_awid_o,
  output logic [63:0]           out_awaddr_o /* verilator public_flat_rd */,
  output logic [7:0]            out_awlen_o /* verilator public_flat_rd */,
  output logic [2:0]            out_awsize_o,
  output logic [1:0]            out_awburst_o,
  output logic                  out_wvalid_o /* verilator public_flat_rd */,
  input  logic                  out_wready_i /* verilator public_flat_rd */,
  output logic [Band*32-1:0]    out_wdata_o /* verilator public_flat_rd */,
  output logic [Band*4-1:0]     out_wstrb_o /* verilator public_flat_rd */,
  output logic                  out_wlast_o /* verilator public_flat_rd */,
  input  logic                  out_bvalid_i /* verilator public_flat_rd */,
  output logic                  out_bready_o /* verilator public_flat_rd */,
  input  logic                  out_bid_i,
  input  logic [1:0]            out_bresp_i
);

  localparam int BeatBits = Band * 32;
  localparam int Blocks = 2;
  localparam int BetaWords = 5;

  logic start, finished, run;
  logic running /* verilator public_flat_rd */;
  logic busy /* verilator public_flat_rd */;
  logic [63:0] cycle /* verilator public_flat_rd */;
  logic [63:0] cycles_q;
  logic [3:0] error;
  logic [BetaWords*32-1:0] beta;
  logic [63:0] in_base, out_base;
  logic [31:0] words;
  logic [Blocks*2-1:0] activity;
  logic [Blocks*4*32-1:0] counts;
  assign {words, out_base, in_base} = beta;

  // A launch (COPY-6 to COPY-8): checked in launch cycle 1, drained in cycle T.
  typedef enum logic [1:0] {StIdle, StCheck, StRun, StDrained} state_e;
  state_e state_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= StIdle;
    end else begin
      unique case (state_q)
        StIdle: if (start) state_q <= StCheck;
        StCheck: state_q <= (error == '0) ? StRun : StIdle;
        StRun: if (finished) state_q <= StDrained;
        default: state_q <= StIdle;
      endcase
    end
  end
  assign busy = state_q != StIdle;
  assign running = state_q == StRun;
  assign run = running || state_q == StDrained;
  always_comb begin
    error = 4'd0;
    if (words == '0) error = 4'd1;
    else if ({in_base[11:0], out_base[11:0]} != '0) error = 4'd2;
  end

  axi_lite_regs #(.Words(BetaWords), .Counters(Blocks * 4)) u_regs (
    .clk_i, .rst_ni,
    .awvalid_i(s_awvalid_i), .awready_o(s_awready_o), .awaddr_i(s_awaddr_i),
    .wvalid_i(s_wvalid_i), .wready_o(s_wready_o), .wdata_i(s_wdata_i), .wstrb_i(s_wstrb_i),
    .bvalid_o(s_bvalid_o), .bready_i(s_bready_i), .bresp_o(s_bresp_o),
    .arvalid_i(s_arvalid_i), .arready_o(s_arready_o), .araddr_i(s_araddr_i),
    .rvalid_o(s_rvalid_o), .rready_i(s_rready_i), .rdata_o(s_rdata_o), .rresp_o(s_rresp_o),
    .start_o(start), .beta_o(beta), .busy_i(busy),
    .done_i(state_q == StDrained || (state_q == StCheck && error != '0)), .error_i(error),
    .bus_error_i(busy && ((in_rvalid_i && in_rresp_i[1]) || (out_bvalid_i && out_bresp_i[1]))),
    .cycles_i(cycles_q), .counters_i(counts)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      cycle <= '0;
      cycles_q <= '0;
    end else begin
      cycle <= running ? cycle + 64'd1 : '0;
      if (start) cycles_q <= '0;
      else if (finished) cycles_q <= cycle + 64'd1;
    end
  end

  activity_counters #(.Blocks(Blocks)) u_activity (
    .clk_i, .clear_i(start), .run_i(running), .activity_i(activity), .counts_o(counts)
  );

  // The reader's range (COPY-1), until its last address is sent.
  logic requested_q, next;
  always_ff @(posedge clk_i) requested_q <= run && (requested_q || next);

  logic beat_push, beat_full, beat_pop, beat_empty;
  logic [BeatBits-1:0] beat_in, beat_out;

  ddr_reader #(.Band(Band), .MaxBurstBeats(InMaxBurstBeats), .Outstanding(InOutstanding)) u_reader (
    .clk_i, .run_i(run), .base_beat_i('0), .floor_i(1'b0),
    .range_valid_i(!requested_q), .range_word_i(in_base[63:2]), .range_words_i(words), .range_next_o(next),
    .arvalid_o(in_arvalid_o), .arready_i(in_arready_i), .araddr_o(in_araddr_o), .arlen_o(in_arlen_o),
    .rvalid_i(in_rvalid_i), .rready_o(in_rready_o), .rdata_i(in_rdata_i), .rlast_i(in_rlast_i),
    .beat_full_i(beat_full), .beat_push_o(beat_push), .beat_data_o(beat_in), .activity_o(activity[0*2 +: 2])
  );
  assign in_arid_o = 1'b0;
  assign in_arsize_o = 3'($clog2(Band * 4));
  assign in_arburst_o = 2'b01;

  fifo #(.Width(BeatBits), .Depth(BeatDepth)) u_beat (
    .clk_i, .run_i(run),
    .push_i(beat_push), .data_i(beat_in), .full_o(beat_full),
    .pop_i(beat_pop), .data_o(beat_out), .empty_o(beat_empty)
  );

  // One run of WORDS words (COPY-2); its last response ends the launch (COPY-3).
  run_writer #(.Band(Band), .MaxBurstBeats(OutMaxBurstBeats), .Outstanding(OutOutstanding)) u_writer (
    .clk_i, .run_i(run), .first_word_i(out_base[63:2]), .runs_i(32'd1), .run_words_i(words), .pitch_i('0),
    .beat_empty_i(beat_empty), .beat_data_i(beat_out), .beat_pop_o(beat_pop),
    .awvalid_o(out_awvalid_o), .awready_i(out_awready_i), .awaddr_o(out_awaddr_o), .awlen_o(out_awlen_o),
    .wvalid_o(out_wvalid_o), .wready_i(out_wready_i), .wdata_o(out_wdata_o), .wstrb_o(out_wstrb_o), .wlast_o(out_wlast_o),
    .bvalid_i(out_bvalid_i), .bready_o(out_bready_o), .done_o(finished), .activity_o(activity[1*2 +: 2])
  );
  assign out_awid_o = 1'b0;
  assign out_awsize_o = 3'($clog2(Band * 4));
  assign out_awburst_o = 2'b01;

`ifndef SYNTHESIS
  if (Band < 2 || Band > 32 || (Band & (Band - 1)) != 0) begin : gen_no_band
    $error("copy_kernel: Band is 2, 4, 8, 16 or 32");
  end
`endif

endmodule
