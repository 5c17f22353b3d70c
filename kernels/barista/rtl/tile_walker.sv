// Ranges of a reader (BAR-1), one per tile of Words words. A: tile (i, k), each row of tiles CT times. B (OfB): tile
// (j, k), all tiles RT times.
module tile_walker #(
  parameter int Words = 16,     // whole beats
  parameter bit OfB = 1'b0
) (
  input  logic                                clk_i,
  input  logic                                run_i,
  input  logic [31:0]                         rt_i,
  input  logic [31:0]                         ct_i,
  input  logic [31:0]                         k_i,
  input  logic [framework_pkg::WordAddrW-1:0]    base_i,
  input  logic                                next_i,
  output logic                                valid_o,
  output logic [framework_pkg::WordAddrW-1:0]    word_o
);

  localparam int WordAddrW = framework_pkg::WordAddrW;

  logic last_k, last_j;
  logic [WordAddrW-1:0] word_q, after, back_q;  // back_q: start of the tiles that are fetched again
  assign word_o = word_q;
  assign after = word_q + WordAddrW'(Words);

  tile_counter u_tiles (
    .clk_i, .run_i, .rt_i, .ct_i, .k_i, .next_i, .valid_o, .first_k_o(), .last_k_o(last_k), .last_j_o(last_j)
  );

  always_ff @(posedge clk_i) begin
    if (!run_i) begin
      word_q <= base_i;
      back_q <= base_i;
    end else if (next_i) begin
      if (!last_k) begin
        word_q <= after;
      end else if (OfB) begin
        word_q <= last_j ? back_q : after;
      end else begin
        word_q <= last_j ? after : back_q;
        if (last_j) back_q <= after;
      end
    end
  end

endmodule
