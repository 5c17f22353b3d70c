// The Barista kernel: registers, launch, and the blocks of CONTRACT.md between three AXI4 masters (A read, B read, C write).
//
//   A reader -> u_a_beat -> fill -> u_a_tile -+
//   B reader -> u_b_beat -> fill -> u_b_tile -+-> mesh -> u_c_tile -> drain -> u_c_row -> encode -> u_c_beat -> C writer
//
// Interface for co-simulation: each u_<fifo> has push_i, data_i, full_o, pop_i and empty_o. data_i of u_a_tile and u_b_tile is the beat
// being written, with push_i the last of the tile; that of u_c_tile is the whole tile, row by row. The AXI channels are the ports of this
// module. `running` is high in cycles 0 to T-1, numbered by `cycle`; `busy` is high from the cycle after the start until done can be read.
module barista_kernel #(
  // alpha
  parameter int Tr = 2,
  parameter int Tc = 2,
  parameter int Tp = 4,
  parameter int S1 = 2,
  parameter int Band = 4,               // a power of two, 4 to 32: one beat holds RT, CT and K
  // FIFO depths
  parameter int ABeatDepth = 32,
  parameter int BBeatDepth = 32,
  parameter int CRowDepth = 4,
  parameter int CBeatDepth = 32,
  // Memory ports; bursts of at most 256 beats
  parameter int AMaxBurstBeats = 64,
  parameter int AOutstanding = 16,
  parameter int BMaxBurstBeats = 64,
  parameter int BOutstanding = 16,
  parameter int CMaxBurstBeats = 64,
  parameter int COutstanding = 16
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
  // AXI4 master: A, and the parameter beat of a launch
  output logic                  a_arvalid_o /* verilator public_flat_rd */,
  input  logic                  a_arready_i /* verilator public_flat_rd */,
  output logic                  a_arid_o,
  output logic [63:0]           a_araddr_o /* verilator public_flat_rd */,
  output logic [7:0]            a_arlen_o /* verilator public_flat_rd */,
  output logic [2:0]            a_arsize_o,
  output logic [1:0]            a_arburst_o,
  input  logic                  a_rvalid_i /* verilator public_flat_rd */,
  output logic                  a_rready_o /* verilator public_flat_rd */,
  input  logic                  a_rid_i,
  input  logic [Band*32-1:0]    a_rdata_i /* verilator public_flat_rd */,
  input  logic [1:0]            a_rresp_i,
  input  logic                  a_rlast_i /* verilator public_flat_rd */,
  // AXI4 master, B
  output logic                  b_arvalid_o /* verilator public_flat_rd */,
  input  logic                  b_arready_i /* verilator public_flat_rd */,
  output logic                  b_arid_o,
  output logic [63:0]           b_araddr_o /* verilator public_flat_rd */,
  output logic [7:0]            b_arlen_o /* verilator public_flat_rd */,
  output logic [2:0]            b_arsize_o,
  output logic [1:0]            b_arburst_o,
  input  logic                  b_rvalid_i /* verilator public_flat_rd */,
  output logic                  b_rready_o /* verilator public_flat_rd */,
  input  logic                  b_rid_i,
  input  logic [Band*32-1:0]    b_rdata_i /* verilator public_flat_rd */,
  input  logic [1:0]            b_rresp_i,
  input  logic                  b_rlast_i /* verilator public_flat_rd */,
  // AXI4 master, C
  output logic                  c_awvalid_o /* verilator public_flat_rd */,
  input  logic                  c_awready_i /* verilator public_flat_rd */,
  output logic                  c_awid_o,
  output logic [63:0]           c_awaddr_o /* verilator public_flat_rd */,
  output logic [7:0]            c_awlen_o /* verilator public_flat_rd */,
  output logic [2:0]            c_awsize_o,
  output logic [1:0]            c_awburst_o,
  output logic                  c_wvalid_o /* verilator public_flat_rd */,
  input  logic                  c_wready_i /* verilator public_flat_rd */,
  output logic [Band*32-1:0]    c_wdata_o /* verilator public_flat_rd */,
  output logic [Band*4-1:0]     c_wstrb_o /* verilator public_flat_rd */,
  output logic                  c_wlast_o /* verilator public_flat_rd */,
  input  logic                  c_bvalid_i /* verilator public_flat_rd */,
  output logic                  c_bready_o /* verilator public_flat_rd */,
  input  logic                  c_bid_i,
  input  logic [1:0]            c_bresp_i
);

  localparam int BeatBits = Band * 32;
  localparam int LaneW = $clog2(Band);
  localparam int ABeats = barista_pkg::ceil_div(Tr * Tp, Band);  // LA
  localparam int BBeats = barista_pkg::ceil_div(Tp * Tc, Band);  // LB
  localparam int Blocks = 8;
  localparam int BetaWords = 8;

  logic start, refused, done, finished, run;
  logic running /* verilator public_flat_rd */;
  logic busy /* verilator public_flat_rd */;
  logic [63:0] cycle /* verilator public_flat_rd */;
  logic [63:0] cycles_q;
  logic [3:0] error;
  logic [BetaWords*32-1:0] beta;
  logic [63:0] a_base, b_base, params_base, c_base;
  logic [31:0] rt, ct, k, c_words;
  logic sized;
  logic launch_arvalid, launch_rready;
  logic reader_arvalid, reader_rready;
  logic [63:0] reader_araddr;
  logic [7:0] reader_arlen;
  logic [Blocks*2-1:0] activity;
  logic [Blocks*4*32-1:0] counts;
  assign {c_base, params_base, b_base, a_base} = beta;

  axi_lite_regs #(.Words(BetaWords), .Counters(Blocks * 4)) u_regs (
    .clk_i, .rst_ni,
    .awvalid_i(s_awvalid_i), .awready_o(s_awready_o), .awaddr_i(s_awaddr_i),
    .wvalid_i(s_wvalid_i), .wready_o(s_wready_o), .wdata_i(s_wdata_i), .wstrb_i(s_wstrb_i),
    .bvalid_o(s_bvalid_o), .bready_i(s_bready_i), .bresp_o(s_bresp_o),
    .arvalid_i(s_arvalid_i), .arready_o(s_arready_o), .araddr_i(s_araddr_i),
    .rvalid_o(s_rvalid_o), .rready_i(s_rready_i), .rdata_o(s_rdata_o), .rresp_o(s_rresp_o),
    .start_o(start), .beta_o(beta), .busy_i(busy), .done_i(done || refused), .error_i(run ? 4'd0 : error),
    .bus_error_i(busy && ((a_rvalid_i && a_rresp_i[1]) || (b_rvalid_i && b_rresp_i[1]) || (c_bvalid_i && c_bresp_i[1]))),
    .cycles_i(cycles_q), .counters_i(counts)
  );

  gemm_launch #(.Tr(Tr), .Tc(Tc)) u_launch (
    .clk_i, .rst_ni, .start_i(start), .aligned_i({a_base[11:0], b_base[11:0], c_base[11:0]} == '0), .finished_i(finished),
    .arvalid_o(launch_arvalid), .arready_i(a_arready_i), .rvalid_i(a_rvalid_i), .rready_o(launch_rready),
    .rdata_i(a_rdata_i[95:0]), .rerror_i(a_rresp_i[1]),
    .busy_o(busy), .running_o(running), .run_o(run), .refused_o(refused), .done_o(done), .error_o(error),
    .rt_o(rt), .ct_o(ct), .k_o(k), .words_o(c_words), .sized_o(sized)
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

  // Readers, fills and tile buffers of A and B.
  logic a_valid, a_next;
  logic [framework_pkg::WordAddrW-1:0] a_word;
  logic a_beat_push, a_beat_full, a_beat_pop, a_beat_empty;
  logic [BeatBits-1:0] a_beat_in, a_beat_out;
  logic a_tile_push, a_tile_full, a_tile_empty;
  logic [framework_pkg::index_width(ABeats)-1:0] a_index;
  logic [Tr*32-1:0] a_words;
  logic b_valid, b_next;
  logic [framework_pkg::WordAddrW-1:0] b_word;
  logic b_beat_push, b_beat_full, b_beat_pop, b_beat_empty;
  logic [BeatBits-1:0] b_beat_in, b_beat_out;
  logic b_tile_push, b_tile_full, b_tile_empty;
  logic [framework_pkg::index_width(BBeats)-1:0] b_index;
  logic [Tc*32-1:0] b_words;
  logic tiles_pop;
  logic [framework_pkg::index_width(Tp)-1:0] product;

  tile_walker #(.Words(ABeats * Band), .OfB(1'b0)) u_a_walker (
    .clk_i, .run_i(run), .rt_i(rt), .ct_i(ct), .k_i(k), .base_i(a_base[63:2]),
    .next_i(a_next), .valid_o(a_valid), .word_o(a_word)
  );

  ddr_reader #(.Band(Band), .MaxBurstBeats(AMaxBurstBeats), .Outstanding(AOutstanding)) u_a_reader (
    .clk_i, .run_i(run), .base_beat_i('0), .floor_i(1'b0),
    .range_valid_i(a_valid), .range_word_i(a_word), .range_words_i(32'(ABeats * Band)), .range_next_o(a_next),
    .arvalid_o(reader_arvalid), .arready_i(a_arready_i && run), .araddr_o(reader_araddr), .arlen_o(reader_arlen),
    .rvalid_i(a_rvalid_i && run), .rready_o(reader_rready), .rdata_i(a_rdata_i), .rlast_i(a_rlast_i),
    .beat_full_i(a_beat_full), .beat_push_o(a_beat_push), .beat_data_o(a_beat_in), .activity_o(activity[0*2 +: 2])
  );
  assign a_arvalid_o = run ? reader_arvalid : launch_arvalid;
  assign a_araddr_o = run ? reader_araddr : {params_base[63:LaneW+2], {(LaneW + 2){1'b0}}};
  assign a_arlen_o = run ? reader_arlen : 8'd0;
  assign a_rready_o = run ? reader_rready : launch_rready;
  assign a_arid_o = 1'b0;
  assign a_arsize_o = 3'($clog2(Band * 4));
  assign a_arburst_o = 2'b01;

  fifo #(.Width(BeatBits), .Depth(ABeatDepth)) u_a_beat (
    .clk_i, .run_i(run),
    .push_i(a_beat_push), .data_i(a_beat_in), .full_o(a_beat_full),
    .pop_i(a_beat_pop), .data_o(a_beat_out), .empty_o(a_beat_empty)
  );

  tile_fill #(.Beats(ABeats)) u_a_fill (
    .clk_i, .run_i(run), .rt_i(rt), .ct_i(ct), .k_i(k),
    .beat_empty_i(a_beat_empty), .beat_pop_o(a_beat_pop), .tile_full_i(a_tile_full), .index_o(a_index),
    .tile_push_o(a_tile_push), .activity_o(activity[1*2 +: 2])
  );

  tile_buffer #(.Lines(Tr), .Products(Tp), .Interleaved(1'b0), .Band(Band)) u_a_tile (
    .clk_i, .run_i(run),
    .we_i(a_beat_pop), .index_i(a_index), .data_i(a_beat_out), .push_i(a_tile_push), .full_o(a_tile_full),
    .pop_i(tiles_pop), .empty_o(a_tile_empty), .product_i(product), .words_o(a_words)
  );

  tile_walker #(.Words(BBeats * Band), .OfB(1'b1)) u_b_walker (
    .clk_i, .run_i(run), .rt_i(rt), .ct_i(ct), .k_i(k), .base_i(b_base[63:2]),
    .next_i(b_next), .valid_o(b_valid), .word_o(b_word)
  );

  ddr_reader #(.Band(Band), .MaxBurstBeats(BMaxBurstBeats), .Outstanding(BOutstanding)) u_b_reader (
    .clk_i, .run_i(run), .base_beat_i('0), .floor_i(1'b0),
    .range_valid_i(b_valid), .range_word_i(b_word), .range_words_i(32'(BBeats * Band)), .range_next_o(b_next),
    .arvalid_o(b_arvalid_o), .arready_i(b_arready_i), .araddr_o(b_araddr_o), .arlen_o(b_arlen_o),
    .rvalid_i(b_rvalid_i), .rready_o(b_rready_o), .rdata_i(b_rdata_i), .rlast_i(b_rlast_i),
    .beat_full_i(b_beat_full), .beat_push_o(b_beat_push), .beat_data_o(b_beat_in), .activity_o(activity[2*2 +: 2])
  );
  assign b_arid_o = 1'b0;
  assign b_arsize_o = 3'($clog2(Band * 4));
  assign b_arburst_o = 2'b01;

  fifo #(.Width(BeatBits), .Depth(BBeatDepth)) u_b_beat (
    .clk_i, .run_i(run),
    .push_i(b_beat_push), .data_i(b_beat_in), .full_o(b_beat_full),
    .pop_i(b_beat_pop), .data_o(b_beat_out), .empty_o(b_beat_empty)
  );

  tile_fill #(.Beats(BBeats)) u_b_fill (
    .clk_i, .run_i(run), .rt_i(rt), .ct_i(ct), .k_i(k),
    .beat_empty_i(b_beat_empty), .beat_pop_o(b_beat_pop), .tile_full_i(b_tile_full), .index_o(b_index),
    .tile_push_o(b_tile_push), .activity_o(activity[3*2 +: 2])
  );

  tile_buffer #(.Lines(Tc), .Products(Tp), .Interleaved(1'b1), .Band(Band)) u_b_tile (
    .clk_i, .run_i(run),
    .we_i(b_beat_pop), .index_i(b_index), .data_i(b_beat_out), .push_i(b_tile_push), .full_o(b_tile_full),
    .pop_i(tiles_pop), .empty_o(b_tile_empty), .product_i(product), .words_o(b_words)
  );

  // Mesh, drain, encode and writer of C.
  logic c_tile_push, c_tile_full, c_tile_pop, c_tile_empty;
  logic [Tr*Tc*32-1:0] c_tile_in, c_tile_out;
  logic c_row_push, c_row_full, c_row_pop, c_row_empty;
  logic [Tc*32-1:0] c_row_in, c_row_out;
  logic c_beat_push, c_beat_full, c_beat_pop, c_beat_empty;
  logic [BeatBits-1:0] c_beat_in, c_beat_out;

  mesh #(.Tr(Tr), .Tc(Tc), .Tp(Tp), .S1(S1)) u_mesh (
    .clk_i, .run_i(run), .rt_i(rt), .ct_i(ct), .k_i(k),
    .a_empty_i(a_tile_empty), .a_words_i(a_words), .b_empty_i(b_tile_empty), .b_words_i(b_words),
    .tiles_pop_o(tiles_pop), .product_o(product),
    .c_full_i(c_tile_full), .c_data_o(c_tile_in), .c_push_o(c_tile_push), .activity_o(activity[4*2 +: 2])
  );

  fifo #(.Width(Tr * Tc * 32), .Depth(1)) u_c_tile (
    .clk_i, .run_i(run),
    .push_i(c_tile_push), .data_i(c_tile_in), .full_o(c_tile_full),
    .pop_i(c_tile_pop), .data_o(c_tile_out), .empty_o(c_tile_empty)
  );

  drain #(.Tr(Tr), .Tc(Tc)) u_drain (
    .clk_i, .run_i(run), .rt_i(rt), .ct_i(ct),
    .tile_empty_i(c_tile_empty), .tile_data_i(c_tile_out), .tile_pop_o(c_tile_pop),
    .row_full_i(c_row_full), .row_data_o(c_row_in), .row_push_o(c_row_push), .activity_o(activity[5*2 +: 2])
  );

  fifo #(.Width(Tc * 32), .Depth(CRowDepth)) u_c_row (
    .clk_i, .run_i(run),
    .push_i(c_row_push), .data_i(c_row_in), .full_o(c_row_full),
    .pop_i(c_row_pop), .data_o(c_row_out), .empty_o(c_row_empty)
  );

  // One dense run (BAR-8, BAR-9). Its length is known before its first row.
  encode #(.InLanes(Tc), .Band(Band)) u_encode (
    .clk_i, .run_i(sized), .first_lane_i('0), .runs_i(32'd1), .run_words_i(c_words), .pitch_lane_i('0),
    .group_empty_i(c_row_empty), .group_data_i(c_row_out), .group_count_i(($clog2(Tc + 1))'(Tc)), .group_pop_o(c_row_pop),
    .beat_full_i(c_beat_full), .beat_data_o(c_beat_in), .beat_push_o(c_beat_push), .activity_o(activity[6*2 +: 2])
  );

  fifo #(.Width(BeatBits), .Depth(CBeatDepth)) u_c_beat (
    .clk_i, .run_i(run),
    .push_i(c_beat_push), .data_i(c_beat_in), .full_o(c_beat_full),
    .pop_i(c_beat_pop), .data_o(c_beat_out), .empty_o(c_beat_empty)
  );

  run_writer #(.Band(Band), .MaxBurstBeats(CMaxBurstBeats), .Outstanding(COutstanding)) u_c_writer (
    .clk_i, .run_i(sized), .first_word_i(c_base[63:2]), .runs_i(32'd1), .run_words_i(c_words), .pitch_i('0),
    .beat_empty_i(c_beat_empty), .beat_data_i(c_beat_out), .beat_pop_o(c_beat_pop),
    .awvalid_o(c_awvalid_o), .awready_i(c_awready_i), .awaddr_o(c_awaddr_o), .awlen_o(c_awlen_o),
    .wvalid_o(c_wvalid_o), .wready_i(c_wready_i), .wdata_o(c_wdata_o), .wstrb_o(c_wstrb_o), .wlast_o(c_wlast_o),
    .bvalid_i(c_bvalid_i), .bready_o(c_bready_o), .done_o(finished), .activity_o(activity[7*2 +: 2])
  );
  assign c_awid_o = 1'b0;
  assign c_awsize_o = 3'($clog2(Band * 4));
  assign c_awburst_o = 2'b01;

`ifndef SYNTHESIS
  if (Tr < 1 || Tc < 1 || Tp < 1 || S1 < 1) begin : gen_no_kernel
    $error("barista_kernel: Tr, Tc, Tp and S1 are at least 1");
  end
  if (Band < 4 || Band > 32 || (Band & (Band - 1)) != 0) begin : gen_no_band
    $error("barista_kernel: Band is 4, 8, 16 or 32");
  end
`endif

endmodule
