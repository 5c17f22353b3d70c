// Counts the tiles of a GEMM in the order of BAR-1: for i in RT, j in CT, k in K.
module tile_counter (
  input  logic          clk_i,
  input  logic          run_i,
  input  logic [31:0]   rt_i,
  input  logic [31:0]   ct_i,
  input  logic [31:0]   k_i,
  input  logic          next_i,
  output logic          valid_o,    // there is a tile
  output logic          first_k_o,
  output logic          last_k_o,
  output logic          last_j_o
);

  logic valid_q;
  logic [31:0] i_q, j_q, k_q;
  logic last_i;
  assign valid_o = valid_q;
  assign first_k_o = k_q == '0;
  assign last_k_o = k_q == k_i - 32'd1;
  assign last_j_o = j_q == ct_i - 32'd1;
  assign last_i = i_q == rt_i - 32'd1;

  always_ff @(posedge clk_i) begin
    if (!run_i) begin
      valid_q <= 1'b1;
      i_q <= '0;
      j_q <= '0;
      k_q <= '0;
    end else if (next_i) begin
      k_q <= last_k_o ? '0 : k_q + 32'd1;
      if (last_k_o) j_q <= last_j_o ? '0 : j_q + 32'd1;
      if (last_k_o && last_j_o) i_q <= i_q + 32'd1;
      if (last_k_o && last_j_o && last_i) valid_q <= 1'b0;
    end
  end

endmodule
