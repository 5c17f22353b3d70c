// Writes the beats of dense runs of words in bursts (WR-1..4). The runs have equal lengths and their first words a constant pitch. A burst
// opens when its first beat is there and its predecessor has sent all beats and its address. The run inputs may change until run_i rises.
module run_writer #(
  parameter int Band = 16,
  parameter int MaxBurstBeats = 64,
  parameter int Outstanding = 8
) (
  input  logic                        clk_i,
  input  logic                        run_i,
  input  logic [framework_pkg::WordAddrW-1:0] first_word_i,  // first word of the first run
  input  logic [31:0]                 runs_i,
  input  logic [31:0]                 run_words_i,
  input  logic [31:0]                 pitch_i,     // words
  input  logic                        beat_empty_i,
  input  logic [Band*32-1:0]          beat_data_i,
  output logic                        beat_pop_o,
  // AXI4 write channels.
  output logic                        awvalid_o,
  input  logic                        awready_i,
  output logic [63:0]                 awaddr_o,
  output logic [7:0]                  awlen_o,
  output logic                        wvalid_o,
  input  logic                        wready_i,
  output logic [Band*32-1:0]          wdata_o,
  output logic [Band*4-1:0]           wstrb_o,
  output logic                        wlast_o,
  input  logic                        bvalid_i,
  output logic                        bready_o,
  output logic                        done_o,      // the last response is taken in this cycle
  output logic [1:0]                  activity_o
);

  localparam int LaneW = $clog2(Band);
  localparam int BeatW = framework_pkg::WordAddrW - LaneW;
  localparam int PageBeats = 4096 / (Band * 4);
  localparam int PageW = $clog2(PageBeats);
  localparam int OpenW = $clog2(Outstanding + 1);
  localparam int WordAddrW = framework_pkg::WordAddrW;

  // The current run.
  logic [31:0] runs_q, words_left_q;    // runs left to send; words left to send of the run
  logic [WordAddrW-1:0] run_word_q;               // first word of the run
  logic [BeatW-1:0] beat_q;             // next beat of the run
  logic [LaneW-1:0] lane_q;             // lane of its first word
  logic [31:0] room, beat_words, beats_left;
  assign room = 32'(Band) - 32'(lane_q);
  assign beat_words = (words_left_q < room) ? words_left_q : room;
  assign beats_left = (words_left_q + 32'(lane_q) + 32'(Band - 1)) >> LaneW;

  // The current burst. Its address and first beat are offered from the cycle in which it opens.
  logic address_waits_q, data_open_q;
  logic [BeatW-1:0] address_beat_q;
  logic [7:0] address_length_q;
  logic [31:0] beats_q;                 // beats of the burst left to send
  logic [OpenW-1:0] open_q;             // bursts without a response
  logic [31:0] to_page, length, beats;
  logic open, in_burst, sent, run_end, response;

  always_comb begin
    to_page = 32'(PageBeats) - 32'(beat_q[PageW-1:0]);
    length = beats_left;
    if (length > 32'(MaxBurstBeats)) length = 32'(MaxBurstBeats);
    if (length > to_page) length = to_page;
  end

  assign open = run_i && !beat_empty_i && !data_open_q && !address_waits_q && open_q < OpenW'(Outstanding);
  assign in_burst = open || data_open_q;
  assign beats = data_open_q ? beats_q : length;

  assign awvalid_o = open || address_waits_q;
  assign awaddr_o = {open ? beat_q : address_beat_q, {(LaneW + 2){1'b0}}};
  assign awlen_o = open ? 8'(length - 32'd1) : address_length_q;

  assign wvalid_o = in_burst && !beat_empty_i;
  assign wdata_o = beat_data_i;
  assign wlast_o = beats == 32'd1;
  for (genvar i = 0; i < Band; i++) begin : gen_strobe
    assign wstrb_o[i*4 +: 4] = {4{32'(i) >= 32'(lane_q) && 32'(i) < 32'(lane_q) + beat_words}};
  end
  assign sent = wvalid_o && wready_i;
  assign beat_pop_o = sent;
  assign run_end = sent && words_left_q == beat_words;

  assign bready_o = 1'b1;
  assign response = run_i && bvalid_i;
  assign done_o = response && runs_q == '0 && open_q == OpenW'(1);

  always_ff @(posedge clk_i) begin
    if (!run_i) begin
      runs_q <= runs_i;
      words_left_q <= run_words_i;
      run_word_q <= first_word_i;
      beat_q <= first_word_i[WordAddrW-1:LaneW];
      lane_q <= first_word_i[LaneW-1:0];
      address_waits_q <= 1'b0;
      data_open_q <= 1'b0;
      open_q <= '0;
    end else begin
      address_waits_q <= awvalid_o && !awready_i;
      if (open) begin
        address_beat_q <= beat_q;
        address_length_q <= 8'(length - 32'd1);
      end
      if (in_burst) begin
        data_open_q <= !(sent && wlast_o);
        beats_q <= sent ? beats - 32'd1 : beats;
      end
      if (run_end) begin
        runs_q <= runs_q - 32'd1;
        words_left_q <= run_words_i;
        run_word_q <= run_word_q + WordAddrW'(pitch_i);
        {beat_q, lane_q} <= run_word_q + WordAddrW'(pitch_i);
      end else if (sent) begin
        words_left_q <= words_left_q - beat_words;
        beat_q <= beat_q + BeatW'(1);
        lane_q <= '0;
      end
      if (open && !response) open_q <= open_q + OpenW'(1);
      if (!open && response) open_q <= open_q - OpenW'(1);
    end
  end

  assign activity_o = framework_pkg::activity(sent || (awvalid_o && awready_i) || response,
                                          wvalid_o || awvalid_o || !beat_empty_i,
                                          runs_q != '0 || open_q != '0);

`ifndef SYNTHESIS
  // An offered address stays until it is accepted.
  a_address_stays: assert property (@(posedge clk_i) run_i && awvalid_o && !awready_i
                                    |=> awvalid_o && $stable(awaddr_o) && $stable(awlen_o));
  // An offered beat stays until it is accepted.
  a_beat_stays: assert property (@(posedge clk_i) run_i && wvalid_o && !wready_i
                                 |=> wvalid_o && $stable(wdata_o) && $stable(wstrb_o) && $stable(wlast_o));
  // A burst stays within its 4 KB page.
  a_burst_within_page: assert property (@(posedge clk_i) run_i && open |-> length <= to_page && length != '0);
  // A burst ends at the end of its run at the latest.
  a_run_ends_with_burst: assert property (@(posedge clk_i) run_i && run_end |-> wlast_o);
  // Responses arrive only for open bursts.
  a_response_to_open_burst: assert property (@(posedge clk_i) run_i && bvalid_i |-> open_q != '0 || open);
`endif

endmodule
