// Cuts a range's words out of its beats (DEC-1): the first beat loses its leading words, the last its trailing ones. Gives the
// words of the beat at the input from lane 0 on, other lanes zero, and how many they are.
module trim #(
  parameter int Band = 16
) (
  input  logic                              clk_i,
  input  logic                              run_i,
  // The current range.
  input  logic [framework_pkg::WordAddrW-1:0]   range_word_i,
  input  logic [31:0]                       range_words_i,
  output logic                              range_next_o,
  // The beat at hand; step_i: it is taken.
  input  logic                              step_i,
  input  logic [Band*32-1:0]                beat_i,
  output logic [Band*32-1:0]                words_o,
  output logic [$clog2(Band+1)-1:0]         count_o
);

  localparam int LaneW = $clog2(Band);
  localparam int CountW = $clog2(Band + 1);

  logic within_q;
  logic [31:0] left_q, left, room;
  logic [LaneW-1:0] leading;
  logic [Band*32-1:0] shifted;

  assign leading = within_q ? '0 : range_word_i[LaneW-1:0];
  assign left = within_q ? left_q : range_words_i;
  assign room = 32'(Band) - 32'(leading);
  assign count_o = (left < room) ? CountW'(left) : CountW'(room);
  assign shifted = beat_i >> {leading, 5'd0};
  for (genvar i = 0; i < Band; i++) begin : gen_lane
    assign words_o[i*32 +: 32] = (CountW'(i) < count_o) ? shifted[i*32 +: 32] : '0;
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

  logic unused_upper_address;
  assign unused_upper_address = ^range_word_i[framework_pkg::WordAddrW-1:LaneW];

endmodule
