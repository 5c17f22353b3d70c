// Shifts words by whole lanes, up or (Down) towards lane 0; lanes that nothing is shifted into are zero.
module lane_shift #(
  parameter int Lanes = 16,
  parameter int WordBits = 32,
  parameter int CountW = 4,
  parameter bit Down = 1'b0
) (
  input  logic [Lanes*WordBits-1:0]   words_i,
  input  logic [CountW-1:0]           count_i,
  output logic [Lanes*WordBits-1:0]   words_o
);

  localparam int PitchW = $clog2(WordBits);
  if (WordBits == 1 << PitchW) begin : gen_dense
    if (Down) begin : gen_down
      assign words_o = words_i >> {count_i, {PitchW{1'b0}}};
    end else begin : gen_up
      assign words_o = words_i << {count_i, {PitchW{1'b0}}};
    end
  end else begin : gen_padded
    localparam int Pitch = 1 << PitchW;
    logic [(Pitch<<framework_pkg::index_width(Lanes))-1:0] padded, shifted;
    lane_pad #(.Lanes(Lanes), .WordBits(WordBits)) u_pad (.words_i, .padded_o(padded));
    if (Down) begin : gen_down
      assign shifted = padded >> {count_i, {PitchW{1'b0}}};
    end else begin : gen_up
      assign shifted = padded << {count_i, {PitchW{1'b0}}};
    end
    for (genvar i = 0; i < Lanes; i++) begin : gen_lane
      assign words_o[i*WordBits +: WordBits] = shifted[i*Pitch +: WordBits];
    end
    logic unused_padding;
    assign unused_padding = ^shifted;
  end

endmodule
