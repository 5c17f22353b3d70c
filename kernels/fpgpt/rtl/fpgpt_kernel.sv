// The FPGPT kernel: registers, precompute, and the blocks of CONTRACT.md between three AXI4 masters (INP read, KERN read, OUT write).
//
//   INP reader -> u_inp_beat -> decode -> u_inp_word -> construct -> u_inp_group -> im2col -> u_inp_column -+
//   KERN reader -> u_kern_beat -> decode -> u_kern_word -> feeder -> u_kern_row --------------------------> array -> u_out_row
//   -> constructor -> u_out_group -> encode -> u_out_beat -> OUT writer
//
// Tokens with fewer words than lanes have the number of words above the lanes (u_inp_word, u_kern_word, u_out_group). Co-simulation reads
// push_i, data_i, full_o, pop_i, data_o, empty_o of each u_<fifo>, the AXI channels (ports of this module), `running` (cycles 0 to T-1,
// numbered by `cycle`), `busy` (from the cycle after the start until done can be read), and u_array.advance (array cycles).
module fpgpt_kernel #(
  // alpha
  parameter int X = 4,
  parameter int Y = 1,
  parameter int Z = 6,
  parameter int Band = 16,              // bus width in words of 32 bits: a power of two, 2 to 32
  parameter int WordBits = 32,          // number format: 32 is FP32, 4 to 16 fixed point
  parameter int LaneBits = 32,          // L, bits of a lane of INP and KERN in memory
  parameter int ZChannel = 64,
  parameter int KRange = 64,
  parameter int KernWords = 256,
  parameter int OutWords = 256,
  parameter int MaxSets = 64,           // entries of the table of start(s)
  parameter bit HasFgi = 1'b1,          // variant: both on is `both`
  parameter bit HasGw = 1'b1,
  // Profile: all off is `hls`, all on is `rtl`.
  parameter bit ExactBursts = 1'b1,
  parameter bit OverlapDrain = 1'b1,
  parameter bit WideKernLoad = 1'b1,
  parameter bit EarlyKernFeed = 1'b1,
  parameter bit PackedGwSets = 1'b1,
  // FIFO depths
  parameter int InpBeatDepth = 4,
  parameter int InpWordDepth = 2,
  parameter int InpGroupDepth = 2,
  parameter int InpColumnDepth = 2,
  parameter int KernBeatDepth = 4,
  parameter int KernWordDepth = 2,
  parameter int KernRowDepth = 2,
  parameter int OutRowDepth = 2,
  parameter int OutGroupDepth = 2,
  parameter int OutBeatDepth = 4,
  // Memory ports; bursts of at most 256 beats
  parameter int InpMaxBurstBeats = 64,
  parameter int InpOutstanding = 8,
  parameter int KernMaxBurstBeats = 64,
  parameter int KernOutstanding = 8,
  parameter int OutMaxBurstBeats = 64,
  parameter int OutOutstanding = 8
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
  // AXI4 master, INP
  output logic                  inp_arvalid_o /* verilator public_flat_rd */,
  input  logic                  inp_arready_i /* verilator public_flat_rd */,
  output logic                  inp_arid_o,
  output logic [63:0]           inp_araddr_o /* verilator public_flat_rd */,
  output logic [7:0]            inp_arlen_o /* verilator public_flat_rd */,
  output logic [2:0]            inp_arsize_o,
  output logic [1:0]            inp_arburst_o,
  input  logic                  inp_rvalid_i /* verilator public_flat_rd */,
  output logic                  inp_rready_o /* verilator public_flat_rd */,
  input  logic                  inp_rid_i,
  input  logic [Band*32-1:0]    inp_rdata_i /* verilator public_flat_rd */,
  input  logic [1:0]            inp_rresp_i,
  input  logic                  inp_rlast_i /* verilator public_flat_rd */,
  // AXI4 master, KERN
  output logic                  kern_arvalid_o /* verilator public_flat_rd */,
  input  logic                  kern_arready_i /* verilator public_flat_rd */,
  output logic                  kern_arid_o,
  output logic [63:0]           kern_araddr_o /* verilator public_flat_rd */,
  output logic [7:0]            kern_arlen_o /* verilator public_flat_rd */,
  output logic [2:0]            kern_arsize_o,
  output logic [1:0]            kern_arburst_o,
  input  logic                  kern_rvalid_i /* verilator public_flat_rd */,
  output logic                  kern_rready_o /* verilator public_flat_rd */,
  input  logic                  kern_rid_i,
  input  logic [Band*32-1:0]    kern_rdata_i /* verilator public_flat_rd */,
  input  logic [1:0]            kern_rresp_i,
  input  logic                  kern_rlast_i /* verilator public_flat_rd */,
  // AXI4 master, OUT
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

  localparam int SetW = framework_pkg::index_width(MaxSets);
  localparam int LaneIndexW = framework_pkg::index_width(X);
  localparam bit FixedPoint = WordBits <= 16;
  localparam int FinalCycles = FixedPoint ? 0 : 8;  // F
  localparam int BusBits = Band * 32;
  localparam int BusBytes = Band * 4;
  localparam int ByteW = $clog2(BusBytes);
  localparam int OutLaneW = $clog2(Band);
  localparam int InBand = BusBits / LaneBits;       // BAND of INP and KERN; OUT's is Band
  localparam int BeatBits = InBand * WordBits;      // bits of the words in a beat of INP or KERN
  localparam int BandCountW = $clog2(InBand + 1);
  // FP32 words are counted from address 0, fixed-point words from the base beat: 32 bits of FIRST plus an offset below 2^32.
  localparam int WordW = FixedPoint ? 34 : framework_pkg::WordAddrW;
  localparam int GroupCountW = $clog2(X + 1);
  localparam int FgiLanes = (HasFgi && WideKernLoad) ? InBand : 1;
  localparam int FgiCountW = $clog2(FgiLanes + 1);
  localparam int KernLanes = !HasGw ? FgiLanes : !HasFgi ? Y : (FgiLanes > Y) ? FgiLanes : Y;
  localparam int KernBits = KernLanes * WordBits;
  localparam int Blocks = 11;
  localparam int BetaWords = FixedPoint ? 32 : 30;

  // Registers, precompute, and the state of the kernel. `cycle` is 0 in the first cycle in which a block may act.
  typedef enum logic [2:0] {StIdle, StPrecompute, StSettle, StRun, StDrain} state_e;
  state_e state_q;
  logic [1:0] settle_q;
  logic start, precomputed, finished, run, inp_idle, kern_idle;
  logic [3:0] error;
  logic [63:0] cycle /* verilator public_flat_rd */;
  logic running /* verilator public_flat_rd */;
  logic busy /* verilator public_flat_rd */;
  logic [63:0] cycles_q;
  logic [BetaWords*32-1:0] beta_words;
  fpgpt_pkg::beta_t beta;
  fpgpt_pkg::derived_t derived;
  logic table_we, lanes_clear, lane_we;
  logic [SetW-1:0] table_addr;
  logic [31:0] table_data;
  logic [LaneIndexW-1:0] lane_index;
  fpgpt_pkg::lane_t lane;
  logic [Blocks*2-1:0] activity;
  logic [Blocks*4*32-1:0] counts;
  logic is_gw;

  // running: cycles 0 to T-1. Beats to be discarded may still be in flight after that; the readers take them.
  logic drained;
  assign running = state_q == StRun;
  assign busy = state_q != StIdle;
  assign run = running || state_q == StDrain;
  assign drained = inp_idle && kern_idle;
  assign is_gw = beta.kind == fpgpt_pkg::KindGw;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= StIdle;
      settle_q <= '0;
      cycle <= '0;
      cycles_q <= '0;
    end else begin
      unique case (state_q)
        StIdle: if (start) begin
          state_q <= StPrecompute;
          cycles_q <= '0;
        end
        StPrecompute: if (precomputed) state_q <= (error == '0) ? StSettle : StIdle;
        // Values that blocks derive from beta in their own registers, and the first reads of their tables, need a few cycles.
        StSettle: begin
          settle_q <= settle_q + 2'd1;
          if (settle_q == 2'd3) state_q <= StRun;
        end
        StRun: if (finished) begin
          state_q <= StDrain;
          cycles_q <= cycle + 64'd1;
        end
        default: if (drained) state_q <= StIdle;
      endcase
      cycle <= running ? cycle + 64'd1 : '0;
    end
  end

  axi_lite_regs #(.Words(BetaWords), .Counters(Blocks * 4)) u_regs (
    .clk_i, .rst_ni,
    .awvalid_i(s_awvalid_i), .awready_o(s_awready_o), .awaddr_i(s_awaddr_i),
    .wvalid_i(s_wvalid_i), .wready_o(s_wready_o), .wdata_i(s_wdata_i), .wstrb_i(s_wstrb_i),
    .bvalid_o(s_bvalid_o), .bready_i(s_bready_i), .bresp_o(s_bresp_o),
    .arvalid_i(s_arvalid_i), .arready_o(s_arready_o), .araddr_i(s_araddr_i),
    .rvalid_o(s_rvalid_o), .rready_i(s_rready_i), .rdata_o(s_rdata_o), .rresp_o(s_rresp_o),
    .start_o(start), .beta_o(beta_words), .busy_i(busy),
    .done_i((state_q == StDrain && drained) || (precomputed && error != '0)), .error_i(run ? 4'd0 : error),
    .bus_error_i(run && ((inp_rvalid_i && inp_rresp_i[1]) || (kern_rvalid_i && kern_rresp_i[1])
                         || (out_bvalid_i && out_bresp_i[1]))),
    .cycles_i(cycles_q), .counters_i(counts)
  );

  beta_registers #(.Words(BetaWords), .FixedPoint(FixedPoint), .BusBytes(BusBytes)) u_beta (.words_i(beta_words), .beta_o(beta));

  precompute #(
    .X(X), .Y(Y), .Z(Z), .ZChannel(ZChannel), .KRange(KRange), .KernWords(KernWords), .OutWords(OutWords), .MaxSets(MaxSets),
    .FinalCycles(FinalCycles), .PackedGwSets(PackedGwSets), .HasFgi(HasFgi), .HasGw(HasGw)
  ) u_precompute (
    .clk_i, .rst_ni, .start_i(start), .beta_i(beta),
    .done_o(precomputed), .error_o(error), .derived_o(derived),
    .table_we_o(table_we), .table_addr_o(table_addr), .table_data_o(table_data),
    .lanes_clear_o(lanes_clear), .lane_we_o(lane_we), .lane_index_o(lane_index), .lane_o(lane)
  );

  activity_counters #(.Blocks(Blocks)) u_activity (
    .clk_i, .clear_i(start), .run_i(running), .activity_i(activity), .counts_o(counts)
  );

  // Reader, decode, construct and im2col of INP.
  assign inp_idle = activity[0*2 +: 2] == framework_pkg::ActIdle;
  assign kern_idle = activity[4*2 +: 2] == framework_pkg::ActIdle;
  logic inp_read_valid, inp_read_next, inp_cut_valid, inp_cut_next;
  logic [WordW-1:0] inp_read_word, inp_cut_word;
  logic [BusBits-1:0] inp_read_beat;
  logic inp_beat_push, inp_beat_full, inp_beat_pop, inp_beat_empty;
  logic [BeatBits-1:0] inp_beat_in, inp_beat_out;
  logic inp_word_push, inp_word_full, inp_word_pop, inp_word_empty;
  logic [BandCountW+BeatBits-1:0] inp_word_in, inp_word_out;
  logic inp_group_push, inp_group_full, inp_group_pop, inp_group_empty;
  logic [Z*WordBits-1:0] inp_group_in, inp_group_out;
  logic inp_column_push, inp_column_full, inp_column_pop, inp_column_empty;
  logic [X*WordBits-1:0] inp_column_in, inp_column_out;

  inp_walker #(.MaxSets(MaxSets), .WordW(WordW)) u_inp_read_walker (
    .clk_i, .run_i(run), .beta_i(beta), .derived_i(derived),
    .table_we_i(table_we), .table_addr_i(table_addr), .table_data_i(table_data),
    .next_i(inp_read_next), .valid_o(inp_read_valid), .word_o(inp_read_word)
  );

  ddr_reader #(
    .Band(InBand), .BusBytes(BusBytes), .WordW(WordW), .FromBase(FixedPoint), .MaxBurstBeats(InpMaxBurstBeats), .Outstanding(InpOutstanding),
    .FloorBeats(fpgpt_pkg::gamma_burst(ZChannel, InBand))
  ) u_inp_reader (
    .clk_i, .run_i(run), .floor_i(!ExactBursts), .base_beat_i(beta.inp_beat[63-ByteW:0]),
    .range_valid_i(inp_read_valid), .range_word_i(inp_read_word), .range_words_i(derived.zch), .range_next_o(inp_read_next),
    .arvalid_o(inp_arvalid_o), .arready_i(inp_arready_i), .araddr_o(inp_araddr_o), .arlen_o(inp_arlen_o),
    .rvalid_i(inp_rvalid_i), .rready_o(inp_rready_o), .rdata_i(inp_rdata_i), .rlast_i(inp_rlast_i),
    .beat_full_i(inp_beat_full), .beat_push_o(inp_beat_push), .beat_data_o(inp_read_beat), .activity_o(activity[0*2 +: 2])
  );
  for (genvar i = 0; i < InBand; i++) begin : gen_inp_lane
    assign inp_beat_in[i*WordBits +: WordBits] = inp_read_beat[i*LaneBits +: WordBits];
  end
  if (InBand * WordBits < BusBits) begin : gen_inp_rest
    logic unused_bits;
    assign unused_bits = ^inp_read_beat;
  end
  assign inp_arid_o = 1'b0;
  assign inp_arsize_o = 3'(ByteW);
  assign inp_arburst_o = 2'b01;

  fifo #(.Width(BeatBits), .Depth(InpBeatDepth)) u_inp_beat (
    .clk_i, .run_i(run),
    .push_i(inp_beat_push), .data_i(inp_beat_in), .full_o(inp_beat_full),
    .pop_i(inp_beat_pop), .data_o(inp_beat_out), .empty_o(inp_beat_empty)
  );

  inp_walker #(.MaxSets(MaxSets), .WordW(WordW)) u_inp_decode_walker (
    .clk_i, .run_i(run), .beta_i(beta), .derived_i(derived),
    .table_we_i(table_we), .table_addr_i(table_addr), .table_data_i(table_data),
    .next_i(inp_cut_next), .valid_o(inp_cut_valid), .word_o(inp_cut_word)
  );

  inp_decode #(.Band(InBand), .WordBits(WordBits), .WordW(WordW)) u_inp_decode (
    .clk_i, .run_i(run),
    .range_valid_i(inp_cut_valid), .range_word_i(inp_cut_word), .range_words_i(derived.zch), .range_next_o(inp_cut_next),
    .beat_empty_i(inp_beat_empty), .beat_data_i(inp_beat_out), .beat_pop_o(inp_beat_pop),
    .word_full_i(inp_word_full), .word_data_o(inp_word_in[BeatBits-1:0]),
    .word_count_o(inp_word_in[BeatBits +: BandCountW]), .word_push_o(inp_word_push), .activity_o(activity[1*2 +: 2])
  );

  fifo #(.Width(BandCountW + BeatBits), .Depth(InpWordDepth)) u_inp_word (
    .clk_i, .run_i(run),
    .push_i(inp_word_push), .data_i(inp_word_in), .full_o(inp_word_full),
    .pop_i(inp_word_pop), .data_o(inp_word_out), .empty_o(inp_word_empty)
  );

  inp_construct #(.Band(InBand), .WordBits(WordBits), .Z(Z)) u_inp_construct (
    .clk_i, .run_i(run), .beta_i(beta), .derived_i(derived),
    .word_empty_i(inp_word_empty), .word_data_i(inp_word_out[BeatBits-1:0]),
    .word_count_i(inp_word_out[BeatBits +: BandCountW]), .word_pop_o(inp_word_pop),
    .group_full_i(inp_group_full), .group_data_o(inp_group_in), .group_push_o(inp_group_push), .activity_o(activity[2*2 +: 2])
  );

  fifo #(.Width(Z * WordBits), .Depth(InpGroupDepth)) u_inp_group (
    .clk_i, .run_i(run),
    .push_i(inp_group_push), .data_i(inp_group_in), .full_o(inp_group_full),
    .pop_i(inp_group_pop), .data_o(inp_group_out), .empty_o(inp_group_empty)
  );

  im2col #(.X(X), .WordBits(WordBits), .Z(Z), .ZChannel(ZChannel), .MaxSets(MaxSets)) u_im2col (
    .clk_i, .run_i(run), .beta_i(beta), .derived_i(derived),
    .table_we_i(table_we), .table_addr_i(table_addr), .table_data_i(table_data),
    .lanes_clear_i(lanes_clear), .lane_we_i(lane_we), .lane_index_i(lane_index), .lane_i(lane),
    .group_empty_i(inp_group_empty), .group_data_i(inp_group_out), .group_pop_o(inp_group_pop),
    .column_full_i(inp_column_full), .column_data_o(inp_column_in), .column_push_o(inp_column_push),
    .activity_o(activity[3*2 +: 2])
  );

  fifo #(.Width(X * WordBits), .Depth(InpColumnDepth)) u_inp_column (
    .clk_i, .run_i(run),
    .push_i(inp_column_push), .data_i(inp_column_in), .full_o(inp_column_full),
    .pop_i(inp_column_pop), .data_o(inp_column_out), .empty_o(inp_column_empty)
  );

  // Reader, decode and feeder of KERN.
  logic kern_read_valid, kern_read_next, kern_cut_valid, kern_cut_next;
  logic [WordW-1:0] kern_read_word, kern_cut_word;
  logic [BusBits-1:0] kern_read_beat;
  logic kern_beat_push, kern_beat_full, kern_beat_pop, kern_beat_empty;
  logic [BeatBits-1:0] kern_beat_in, kern_beat_out;
  logic kern_word_push, kern_word_full, kern_word_pop, kern_word_empty;
  logic [FgiCountW+KernBits-1:0] kern_word_in, kern_word_out;
  logic kern_row_push, kern_row_full, kern_row_pop, kern_row_empty;
  logic [Y*WordBits-1:0] kern_row_in, kern_row_out;

  kern_walker #(.WordW(WordW)) u_kern_read_walker (
    .clk_i, .run_i(run), .beta_i(beta), .next_i(kern_read_next), .valid_o(kern_read_valid), .word_o(kern_read_word)
  );

  ddr_reader #(
    .Band(InBand), .BusBytes(BusBytes), .WordW(WordW), .FromBase(FixedPoint), .MaxBurstBeats(KernMaxBurstBeats), .Outstanding(KernOutstanding),
    .FloorBeats(fpgpt_pkg::gamma_burst(KRange, InBand))
  ) u_kern_reader (
    .clk_i, .run_i(run), .floor_i(!ExactBursts && is_gw), .base_beat_i(beta.kern_beat[63-ByteW:0]),
    .range_valid_i(kern_read_valid), .range_word_i(kern_read_word), .range_words_i(derived.kern_range),
    .range_next_o(kern_read_next),
    .arvalid_o(kern_arvalid_o), .arready_i(kern_arready_i), .araddr_o(kern_araddr_o), .arlen_o(kern_arlen_o),
    .rvalid_i(kern_rvalid_i), .rready_o(kern_rready_o), .rdata_i(kern_rdata_i), .rlast_i(kern_rlast_i),
    .beat_full_i(kern_beat_full), .beat_push_o(kern_beat_push), .beat_data_o(kern_read_beat), .activity_o(activity[4*2 +: 2])
  );
  for (genvar i = 0; i < InBand; i++) begin : gen_kern_lane
    assign kern_beat_in[i*WordBits +: WordBits] = kern_read_beat[i*LaneBits +: WordBits];
  end
  if (InBand * WordBits < BusBits) begin : gen_kern_rest
    logic unused_bits;
    assign unused_bits = ^kern_read_beat;
  end
  assign kern_arid_o = 1'b0;
  assign kern_arsize_o = 3'(ByteW);
  assign kern_arburst_o = 2'b01;

  fifo #(.Width(BeatBits), .Depth(KernBeatDepth)) u_kern_beat (
    .clk_i, .run_i(run),
    .push_i(kern_beat_push), .data_i(kern_beat_in), .full_o(kern_beat_full),
    .pop_i(kern_beat_pop), .data_o(kern_beat_out), .empty_o(kern_beat_empty)
  );

  kern_walker #(.WordW(WordW)) u_kern_decode_walker (
    .clk_i, .run_i(run), .beta_i(beta), .next_i(kern_cut_next), .valid_o(kern_cut_valid), .word_o(kern_cut_word)
  );

  fifo #(.Width(FgiCountW + KernBits), .Depth(KernWordDepth)) u_kern_word (
    .clk_i, .run_i(run),
    .push_i(kern_word_push), .data_i(kern_word_in), .full_o(kern_word_full),
    .pop_i(kern_word_pop), .data_o(kern_word_out), .empty_o(kern_word_empty)
  );

  fifo #(.Width(Y * WordBits), .Depth(KernRowDepth)) u_kern_row (
    .clk_i, .run_i(run),
    .push_i(kern_row_push), .data_i(kern_row_in), .full_o(kern_row_full),
    .pop_i(kern_row_pop), .data_o(kern_row_out), .empty_o(kern_row_empty)
  );

  // Decode and feeder of each variant; with both variants, the kind of the convolution selects.
  logic fgi_next, fgi_beat_pop, fgi_word_push, fgi_word_pop, fgi_row_push;
  logic [FgiLanes*WordBits-1:0] fgi_word;
  logic [FgiCountW-1:0] fgi_count;
  logic [Y*WordBits-1:0] fgi_row;
  logic [1:0] fgi_decode_activity, fgi_feeder_activity;
  logic gw_next, gw_beat_pop, gw_word_push, gw_word_pop, gw_row_push;
  logic [KernBits-1:0] gw_word;
  logic [Y*WordBits-1:0] gw_row;
  logic [1:0] gw_decode_activity, gw_feeder_activity;

  if (HasFgi) begin : gen_kern_fgi
    if (WideKernLoad) begin : gen_wide
      kern_decode_wide #(.Band(InBand), .WordBits(WordBits), .WordW(WordW)) u_kern_decode (
        .clk_i, .run_i(run && !is_gw),
        .range_valid_i(kern_cut_valid), .range_word_i(kern_cut_word), .range_words_i(derived.kern_range), .range_next_o(fgi_next),
        .beat_empty_i(kern_beat_empty), .beat_data_i(kern_beat_out), .beat_pop_o(fgi_beat_pop),
        .word_full_i(kern_word_full), .word_data_o(fgi_word), .word_count_o(fgi_count), .word_push_o(fgi_word_push),
        .activity_o(fgi_decode_activity)
      );
    end else begin : gen_narrow
      kern_decode_narrow #(.Band(InBand), .WordBits(WordBits), .WordW(WordW)) u_kern_decode (
        .clk_i, .run_i(run && !is_gw),
        .range_valid_i(kern_cut_valid), .range_word_i(kern_cut_word), .range_words_i(derived.kern_range), .range_next_o(fgi_next),
        .beat_empty_i(kern_beat_empty), .beat_data_i(kern_beat_out), .beat_pop_o(fgi_beat_pop),
        .word_full_i(kern_word_full), .word_data_o(fgi_word), .word_push_o(fgi_word_push),
        .activity_o(fgi_decode_activity)
      );
      assign fgi_count = FgiCountW'(1);
    end

    kern_feeder_fgi #(
      .Y(Y), .Band(InBand), .WordBits(WordBits), .KernWords(KernWords),
      .WideKernLoad(WideKernLoad), .EarlyKernFeed(EarlyKernFeed), .Skewed(!OverlapDrain)
    ) u_kern_feeder (
      .clk_i, .run_i(run && !is_gw), .beta_i(beta), .derived_i(derived),
      .word_empty_i(kern_word_empty), .word_data_i(kern_word_out[FgiLanes*WordBits-1:0]),
      .word_count_i(kern_word_out[KernBits +: FgiCountW]), .word_pop_o(fgi_word_pop),
      .row_full_i(kern_row_full), .row_data_o(fgi_row), .row_push_o(fgi_row_push), .activity_o(fgi_feeder_activity)
    );
  end else begin : gen_no_kern_fgi
    assign {fgi_next, fgi_beat_pop, fgi_word_push, fgi_word_pop, fgi_row_push} = '0;
    assign fgi_word = '0;
    assign fgi_count = '0;
    assign fgi_row = '0;
    assign {fgi_decode_activity, fgi_feeder_activity} = '0;
  end

  if (HasGw) begin : gen_kern_gw
    logic [Y*WordBits-1:0] words;
    kern_decode_gw #(.Band(InBand), .WordBits(WordBits), .WordW(WordW), .Y(Y)) u_kern_decode (
      .clk_i, .run_i(run && is_gw), .beta_i(beta), .derived_i(derived),
      .range_valid_i(kern_cut_valid), .range_word_i(kern_cut_word), .range_words_i(derived.kern_range), .range_next_o(gw_next),
      .beat_empty_i(kern_beat_empty), .beat_data_i(kern_beat_out), .beat_pop_o(gw_beat_pop),
      .word_full_i(kern_word_full), .word_data_o(words), .word_push_o(gw_word_push), .activity_o(gw_decode_activity)
    );
    assign gw_word = KernBits'(words);

    kern_feeder_gw #(.Y(Y), .WordBits(WordBits), .KernWords(KernWords), .Skewed(!OverlapDrain)) u_kern_feeder (
      .clk_i, .run_i(run && is_gw), .beta_i(beta), .derived_i(derived),
      .word_empty_i(kern_word_empty), .word_data_i(kern_word_out[Y*WordBits-1:0]), .word_pop_o(gw_word_pop),
      .row_full_i(kern_row_full), .row_data_o(gw_row), .row_push_o(gw_row_push), .activity_o(gw_feeder_activity)
    );
  end else begin : gen_no_kern_gw
    assign {gw_next, gw_beat_pop, gw_word_push, gw_word_pop, gw_row_push} = '0;
    assign gw_word = '0;
    assign gw_row = '0;
    assign {gw_decode_activity, gw_feeder_activity} = '0;
  end

  assign kern_cut_next = is_gw ? gw_next : fgi_next;
  assign kern_beat_pop = is_gw ? gw_beat_pop : fgi_beat_pop;
  assign kern_word_push = is_gw ? gw_word_push : fgi_word_push;
  assign kern_word_in = is_gw ? {FgiCountW'(0), gw_word} : {fgi_count, KernBits'(fgi_word)};
  assign kern_word_pop = is_gw ? gw_word_pop : fgi_word_pop;
  assign kern_row_push = is_gw ? gw_row_push : fgi_row_push;
  assign kern_row_in = is_gw ? gw_row : fgi_row;
  assign activity[5*2 +: 2] = is_gw ? gw_decode_activity : fgi_decode_activity;
  assign activity[6*2 +: 2] = is_gw ? gw_feeder_activity : fgi_feeder_activity;

  // The array, and constructor, encode and writer of OUT.
  logic out_row_push, out_row_full, out_row_pop, out_row_empty;
  logic [X*32-1:0] out_row_in, out_row_out;
  logic out_group_push, out_group_full, out_group_pop, out_group_empty;
  logic [GroupCountW+X*32-1:0] out_group_in, out_group_out;
  logic out_beat_push, out_beat_full, out_beat_pop, out_beat_empty;
  logic [BusBits-1:0] out_beat_in, out_beat_out;

  array #(.X(X), .Y(Y), .WordBits(WordBits), .OverlapDrain(OverlapDrain)) u_array (
    .clk_i, .run_i(run), .derived_i(derived),
    .column_empty_i(inp_column_empty), .column_data_i(inp_column_out), .column_pop_o(inp_column_pop),
    .row_empty_i(kern_row_empty), .row_data_i(kern_row_out), .row_pop_o(kern_row_pop),
    .out_full_i(out_row_full), .out_data_o(out_row_in), .out_push_o(out_row_push), .activity_o(activity[7*2 +: 2])
  );

  fifo #(.Width(X * 32), .Depth(OutRowDepth)) u_out_row (
    .clk_i, .run_i(run),
    .push_i(out_row_push), .data_i(out_row_in), .full_o(out_row_full),
    .pop_i(out_row_pop), .data_o(out_row_out), .empty_o(out_row_empty)
  );

  logic fgi_out_row_pop, fgi_group_push, gw_out_row_pop, gw_group_push;
  logic [GroupCountW+X*32-1:0] fgi_group, gw_group;
  logic [1:0] fgi_constructor_activity, gw_constructor_activity;

  if (HasFgi) begin : gen_out_fgi
    out_constructor_fgi #(.X(X), .Y(Y), .OutWords(OutWords)) u_out_constructor (
      .clk_i, .run_i(run && !is_gw), .derived_i(derived),
      .row_empty_i(out_row_empty), .row_data_i(out_row_out), .row_pop_o(fgi_out_row_pop),
      .group_full_i(out_group_full), .group_data_o(fgi_group[X*32-1:0]), .group_count_o(fgi_group[X*32 +: GroupCountW]),
      .group_push_o(fgi_group_push), .activity_o(fgi_constructor_activity)
    );
  end else begin : gen_no_out_fgi
    assign {fgi_out_row_pop, fgi_group_push} = '0;
    assign fgi_group = '0;
    assign fgi_constructor_activity = '0;
  end

  if (HasGw) begin : gen_out_gw
    out_constructor_gw #(.X(X), .Y(Y), .OutWords(OutWords), .FixedPoint(FixedPoint)) u_out_constructor (
      .clk_i, .run_i(run && is_gw), .beta_i(beta), .derived_i(derived),
      .row_empty_i(out_row_empty), .row_data_i(out_row_out), .row_pop_o(gw_out_row_pop),
      .group_full_i(out_group_full), .group_data_o(gw_group[X*32-1:0]), .group_count_o(gw_group[X*32 +: GroupCountW]),
      .group_push_o(gw_group_push), .activity_o(gw_constructor_activity)
    );
  end else begin : gen_no_out_gw
    assign {gw_out_row_pop, gw_group_push} = '0;
    assign gw_group = '0;
    assign gw_constructor_activity = '0;
  end

  assign out_row_pop = is_gw ? gw_out_row_pop : fgi_out_row_pop;
  assign out_group_push = is_gw ? gw_group_push : fgi_group_push;
  assign out_group_in = is_gw ? gw_group : fgi_group;
  assign activity[8*2 +: 2] = is_gw ? gw_constructor_activity : fgi_constructor_activity;

  fifo #(.Width(GroupCountW + X * 32), .Depth(OutGroupDepth)) u_out_group (
    .clk_i, .run_i(run),
    .push_i(out_group_push), .data_i(out_group_in), .full_o(out_group_full),
    .pop_i(out_group_pop), .data_o(out_group_out), .empty_o(out_group_empty)
  );

  encode #(.InLanes(X), .Band(Band)) u_out_encode (
    .clk_i, .run_i(run), .first_lane_i(beta.out_base[OutLaneW+1:2]), .runs_i(derived.runs), .run_words_i(derived.run_words),
    .pitch_lane_i(beta.out_pitch_n[OutLaneW-1:0]),
    .group_empty_i(out_group_empty), .group_data_i(out_group_out[X*32-1:0]),
    .group_count_i(out_group_out[X*32 +: GroupCountW]), .group_pop_o(out_group_pop),
    .beat_full_i(out_beat_full), .beat_data_o(out_beat_in), .beat_push_o(out_beat_push), .activity_o(activity[9*2 +: 2])
  );

  fifo #(.Width(BusBits), .Depth(OutBeatDepth)) u_out_beat (
    .clk_i, .run_i(run),
    .push_i(out_beat_push), .data_i(out_beat_in), .full_o(out_beat_full),
    .pop_i(out_beat_pop), .data_o(out_beat_out), .empty_o(out_beat_empty)
  );

  run_writer #(.Band(Band), .MaxBurstBeats(OutMaxBurstBeats), .Outstanding(OutOutstanding)) u_out_writer (
    .clk_i, .run_i(run), .first_word_i(beta.out_base[63:2]), .runs_i(derived.runs), .run_words_i(derived.run_words),
    .pitch_i(beta.out_pitch_n),
    .beat_empty_i(out_beat_empty), .beat_data_i(out_beat_out), .beat_pop_o(out_beat_pop),
    .awvalid_o(out_awvalid_o), .awready_i(out_awready_i), .awaddr_o(out_awaddr_o), .awlen_o(out_awlen_o),
    .wvalid_o(out_wvalid_o), .wready_i(out_wready_i), .wdata_o(out_wdata_o), .wstrb_o(out_wstrb_o), .wlast_o(out_wlast_o),
    .bvalid_i(out_bvalid_i), .bready_o(out_bready_o), .done_o(finished), .activity_o(activity[10*2 +: 2])
  );
  assign out_awid_o = 1'b0;
  assign out_awsize_o = 3'(ByteW);
  assign out_awburst_o = 2'b01;

endmodule
