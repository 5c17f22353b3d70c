// The drain (BAR-7): outputs a tile of C row by row and pops it with the last row.
module drain #(
  parameter int Tr = 2,
  parameter int Tc = 2
) (
  input  logic                    clk_i,
  input  logic                    run_i,
  input  logic [31:0]             rt_i,
  input  logic [31:0]             ct_i,
  input  logic                    tile_empty_i,
  input  logic [Tr*Tc*32-1:0]     tile_data_i,
  output logic                    tile_pop_o,
  input  logic                    row_full_i,
  output logic [Tc*32-1:0]        row_data_o,
  output logic                    row_push_o,
  output logic [1:0]              activity_o
);

  localparam int RowW = framework_pkg::index_width(Tr);

  logic left;  // tiles are left
  logic [RowW-1:0] row_q;
  tile_counter u_tiles (
    .clk_i, .run_i, .rt_i, .ct_i, .k_i(32'd1), .next_i(tile_pop_o), .valid_o(left), .first_k_o(), .last_k_o(), .last_j_o()
  );

  assign row_push_o = run_i && !tile_empty_i && !row_full_i;
  assign tile_pop_o = row_push_o && row_q == RowW'(Tr - 1);
  always_comb begin
    row_data_o = tile_data_i[Tc*32-1:0];
    for (int r = 1; r < Tr; r++) begin
      if (row_q == RowW'(r)) row_data_o = tile_data_i[r*Tc*32 +: Tc*32];
    end
  end

  always_ff @(posedge clk_i) begin
    if (!run_i || tile_pop_o) row_q <= '0;
    else if (row_push_o) row_q <= row_q + RowW'(1);
  end

  assign activity_o = framework_pkg::activity(row_push_o, !tile_empty_i, left);

endmodule
