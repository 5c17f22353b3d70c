// Extracts the words of a range from its beats (DEC-1): drops leading words of the first beat and trailing words of the
// last. Outputs the words of the input beat from lane 0 on, other lanes zero, and their number.
module trim #(
  parameter int Band = 16,
  parameter int WordBits = 32,
  parameter int WordW = framework_pkg::WordAddrW
) (
  input  logic                              clk_i,
  input  logic                              run_i,
  // The current range.
  input  logic [WordW-1:0]                  range_word_i,
  input  logic [31:0]                       range_words_i,
  output logic                              range_next_o,
  // The current beat; step_i: it is taken.
  input  logic                              step_i,
  input  logic [Band*WordBits-1:0]          beat_i,
  output logic [Band*WordBits-1:0]          words_o,
  output logic [$clog2(Band+1)-1:0]         count_o
);

  localparam int LaneW = $clog2(Band);
  localparam int CountW = $clog2(Band + 1);

  logic within_q;
  logic [31:0] left_q, left, room;
  localparam int BeatW = WordW - LaneW + ((Band == 1 << LaneW) ? 0 : 1);
  logic [BeatW-1:0] beat;
  logic [LaneW-1:0] first_lane, leading;
  logic [Band*WordBits-1:0] shifted;

  beat_place #(.Band(Band), .WordW(WordW)) u_first (.word_i(range_word_i), .beat_o(beat), .lane_o(first_lane));
  assign leading = within_q ? '0 : first_lane;
  assign left = within_q ? left_q : range_words_i;
  assign room = 32'(Band) - 32'(leading);
  assign count_o = (left < room) ? CountW'(left) : CountW'(room);
  localparam int PitchW = $clog2(WordBits);
  if (WordBits == 1 << PitchW) begin : gen_dense
    assign shifted = beat_i >> {leading, {PitchW{1'b0}}};
  end else begin : gen_lanes
    lane_shift #(.Lanes(Band), .WordBits(WordBits), .CountW(LaneW), .Down(1'b1)) u_shift (
      .words_i(beat_i), .count_i(leading), .words_o(shifted)
    );
  end
  for (genvar i = 0; i < Band; i++) begin : gen_lane
    assign words_o[i*WordBits +: WordBits] = (CountW'(i) < count_o) ? shifted[i*WordBits +: WordBits] : '0;
  end

  assign range_next_o = step_i && left <= room;

  always_ff @(posedge clk_i) begin
    if (!run_i) begin
      within_q <= 1'b0;
    end else if (step_i) begin
      within_q <= left > room;
      left_q <= left - 32'(count_o);
    end
  end

  logic unused_beat;
  assign unused_beat = ^beat;

endmodule
