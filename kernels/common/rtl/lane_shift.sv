// Shifts words whose bits are no power of two by whole lanes, up or (Down) towards lane 0; vacated lanes are zero. If
// the bits are a power of two, a shift by {count, zeros} does the same.
module lane_shift #(
  parameter int Lanes = 16,
  parameter int WordBits = 12,
  parameter int CountW = 4,
  parameter bit Down = 1'b0,
  localparam int PitchW = $clog2(WordBits),
  localparam int Pitch = 1 << PitchW
) (
  input  logic [Lanes*WordBits-1:0]   words_i,
  input  logic [CountW-1:0]           count_i,
  output logic [Lanes*WordBits-1:0]   words_o
);

  logic [(Pitch<<framework_pkg::index_width(Lanes))-1:0] padded, shifted;
  lane_pad #(.Lanes(Lanes), .WordBits(WordBits)) u_pad (.words_i, .padded_o(padded));
  assign shifted = Down ? padded >> {count_i, {PitchW{1'b0}}} : padded << {count_i, {PitchW{1'b0}}};
  for (genvar i = 0; i < Lanes; i++) begin : gen_lane
    assign words_o[i*WordBits +: WordBits] = shifted[i*Pitch +: WordBits];
  end
  logic unused_padding;
  assign unused_padding = ^shifted;

endmodule
