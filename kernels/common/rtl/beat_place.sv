// Place of a word (PCK-1): the beat floor(word / Band), and the lane in it.
module beat_place #(
  parameter int Band = 16,   // words of a beat
  parameter int WordW = 62,  // bits of a word's address; at most 48 if Band is no power of two
  localparam int LaneW = $clog2(Band),
  localparam int BeatW = WordW - LaneW + ((Band == 1 << LaneW) ? 0 : 1)
) (
  input  logic [WordW-1:0]  word_i,
  output logic [BeatW-1:0]  beat_o,
  output logic [LaneW-1:0]  lane_o
);

  if (Band == 1 << LaneW) begin : gen_cut
    assign beat_o = word_i[WordW-1:LaneW];
    assign lane_o = word_i[LaneW-1:0];
  end else begin : gen_divide
    // Multiplies by the reciprocal, rounded up: exact for every word of WordW bits, because Reciprocal * Band exceeds
    // 2^Shift by less than 2^LaneW.
    localparam int Shift = WordW + LaneW;
    localparam logic [63:0] Reciprocal = ((64'd1 << Shift) + 64'(Band) - 64'd1) / 64'(Band);
    localparam int ProductW = 2 * WordW + 1;
    logic [ProductW-1:0] product;
    assign product = ProductW'(word_i) * ProductW'(Reciprocal);
    assign beat_o = product[Shift +: BeatW];
    assign lane_o = LaneW'(word_i - WordW'(beat_o) * WordW'(Band));
    logic unused_fraction;
    assign unused_fraction = ^product[Shift-1:0];
  end

endmodule
