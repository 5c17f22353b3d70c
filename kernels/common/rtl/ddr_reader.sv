// Reads ranges of words from memory in bursts of beats (RD-1..6). A walker supplies the ranges. Beats that hold words
// of a range are pushed; beats read only to reach the floor are discarded.
module ddr_reader #(
  parameter int Band = 16,          // words of a beat
  parameter int BusBytes = Band * 4,
  parameter int WordW = framework_pkg::WordAddrW,
  parameter bit FromBase = 1'b0,      // words are counted from base_beat_i, not from address 0
  parameter int MaxBurstBeats = 64,
  parameter int Outstanding = 8,
  parameter int FloorBeats = 0  // minimum beats of a range, if floor_i
) (
  input  logic                              clk_i,
  input  logic                              run_i,
  input  logic                              floor_i,
  input  logic [63-$clog2(BusBytes):0]      base_beat_i,
  // The current range.
  input  logic                              range_valid_i,
  input  logic [WordW-1:0]                  range_word_i,
  input  logic [31:0]                       range_words_i,
  output logic                              range_next_o,
  // AXI4 read channels.
  output logic                              arvalid_o,
  input  logic                              arready_i,
  output logic [63:0]                       araddr_o,
  output logic [7:0]                        arlen_o,
  input  logic                              rvalid_i,
  output logic                              rready_o,
  input  logic [BusBytes*8-1:0]             rdata_i,
  input  logic                              rlast_i,
  // The beats.
  input  logic                              beat_full_i,
  output logic                              beat_push_o,
  output logic [BusBytes*8-1:0]             beat_data_o,
  output logic [1:0]                        activity_o
);

  localparam int LaneW = $clog2(Band);
  localparam int ByteW = $clog2(BusBytes);
  localparam int BeatW = 64 - ByteW;
  localparam int PageBeats = 4096 / BusBytes;   // beats of a 4 KB page
  localparam int PageW = $clog2(PageBeats);
  localparam int OpenW = $clog2(Outstanding + 1);

  // Address side: the rest of the current range, taken from the walker when a range begins.
  logic within_q;
  logic [BeatW-1:0] beat_q, beat;
  logic [31:0] left_q, left, useful_left_q, useful_left;
  logic [31:0] range_useful;
  logic [31:0] to_page, length, useful;
  logic [BeatW-1:0] first_beat;
  logic [LaneW-1:0] first_lane;

  // Beats from that of the first word to that of the last.
  if (Band == 1 << LaneW) begin : gen_cut
    assign first_beat = BeatW'(range_word_i[WordW-1:LaneW]);
    assign first_lane = range_word_i[LaneW-1:0];
    assign range_useful = ((range_words_i + 32'(first_lane) - 32'd1) >> LaneW) + 32'd1;
  end else begin : gen_divide
    logic [WordW-LaneW:0] range_beat;
    logic [33-LaneW:0] last_beat;
    logic [LaneW-1:0] last_lane;
    beat_place #(.Band(Band), .WordW(WordW)) u_first (.word_i(range_word_i), .beat_o(range_beat), .lane_o(first_lane));
    beat_place #(.Band(Band), .WordW(33)) u_last (
      .word_i(33'(range_words_i) + 33'(first_lane) - 33'd1), .beat_o(last_beat), .lane_o(last_lane)
    );
    assign first_beat = BeatW'(range_beat);
    assign range_useful = 32'(last_beat) + 32'd1;
    logic unused_last_lane;
    assign unused_last_lane = ^last_lane;
  end

  always_comb begin
    beat = beat_q;
    left = left_q;
    useful_left = useful_left_q;
    if (!within_q) begin
      beat = FromBase ? base_beat_i + first_beat : first_beat;
      useful_left = range_useful;
      left = (floor_i && range_useful < 32'(FloorBeats)) ? 32'(FloorBeats) : range_useful;
    end
    to_page = 32'(PageBeats) - 32'(beat[PageW-1:0]);
    length = left;
    if (length > 32'(MaxBurstBeats)) length = 32'(MaxBurstBeats);
    if (length > to_page) length = to_page;
    useful = (useful_left < length) ? useful_left : length;
  end

  logic [OpenW-1:0] open_q;
  logic sent;
  assign arvalid_o = run_i && range_valid_i && open_q < OpenW'(Outstanding);
  assign araddr_o = {beat, {ByteW{1'b0}}};
  assign arlen_o = 8'(length - 32'd1);
  assign sent = arvalid_o && arready_i;
  assign range_next_o = sent && length == left;

  always_ff @(posedge clk_i) begin
    if (!run_i) begin
      within_q <= 1'b0;
    end else if (sent) begin
      within_q <= length != left;
      beat_q <= beat + BeatW'(length);
      left_q <= left - length;
      useful_left_q <= useful_left - useful;
    end
  end

  // Data side: length and useful beats of the open bursts, in order.
  logic bursts_empty, bursts_full, taken, last_taken, is_useful;
  logic [8:0] burst_useful, burst_index_q;
  assign is_useful = burst_index_q < burst_useful;
  assign rready_o = !is_useful || !beat_full_i;
  assign taken = rvalid_i && rready_o && !bursts_empty;
  assign last_taken = taken && rlast_i;
  assign beat_push_o = taken && is_useful;
  assign beat_data_o = rdata_i;

  fifo #(.Width(9), .Depth(Outstanding)) u_bursts (
    .clk_i, .run_i,
    .push_i(sent), .data_i(9'(useful)), .full_o(bursts_full),
    .pop_i(last_taken), .data_o(burst_useful), .empty_o(bursts_empty)
  );

  always_ff @(posedge clk_i) begin
    if (!run_i) begin
      open_q <= '0;
      burst_index_q <= '0;
    end else begin
      if (sent && !last_taken) open_q <= open_q + OpenW'(1);
      if (!sent && last_taken) open_q <= open_q - OpenW'(1);
      if (taken) burst_index_q <= rlast_i ? '0 : burst_index_q + 9'd1;
    end
  end

  assign activity_o = framework_pkg::activity(sent || taken, rvalid_i && is_useful && beat_full_i,
                                          range_valid_i || open_q != '0);

`ifndef SYNTHESIS
  // The memory answers only open bursts.
  a_beats_of_open_bursts: assert property (@(posedge clk_i) run_i && rvalid_i |-> !bursts_empty);
  // The FIFO has room for the description of every burst that may be open.
  a_room_for_open_bursts: assert property (@(posedge clk_i) run_i && sent |-> !bursts_full);
  // An offered address stays until it is accepted.
  a_address_stays: assert property (@(posedge clk_i) run_i && arvalid_o && !arready_i
                                    |=> arvalid_o && $stable(araddr_o) && $stable(arlen_o));
  // A burst stays within its 4 KB page.
  a_burst_within_page: assert property (@(posedge clk_i) run_i && arvalid_o |-> length <= to_page && length != '0);
`endif

endmodule
