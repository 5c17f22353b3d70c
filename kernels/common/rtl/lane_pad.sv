// Pads each lane of WordBits bits with zeros to a power of two of bits, and the number of lanes to a power of two. Then
// {count, zeros} is the bit position of a lane for selects and shifts. Only wires.
module lane_pad #(
  parameter int Lanes = 4,
  parameter int WordBits = 32,
  localparam int Pitch = 1 << $clog2(WordBits),
  localparam int AllLanes = 1 << framework_pkg::index_width(Lanes)
) (
  input  logic [Lanes*WordBits-1:0]   words_i,
  output logic [AllLanes*Pitch-1:0]   padded_o
);

  for (genvar i = 0; i < AllLanes; i++) begin : gen_lane
    if (i < Lanes) begin : gen_word
      assign padded_o[i*Pitch +: Pitch] = Pitch'(words_i[i*WordBits +: WordBits]);
    end else begin : gen_none
      assign padded_o[i*Pitch +: Pitch] = '0;
    end
  end

endmodule
