// A fill (BAR-2): takes one beat per cycle if a half is free, and pushes the tile with the last of its Beats beats.
module tile_fill #(
  parameter int Beats = 4
) (
  input  logic                                          clk_i,
  input  logic                                          run_i,
  input  logic [31:0]                                   rt_i,
  input  logic [31:0]                                   ct_i,
  input  logic [31:0]                                   k_i,
  input  logic                                          beat_empty_i,
  output logic                                          beat_pop_o,   // the beat is written to the half
  input  logic                                          tile_full_i,
  output logic [framework_pkg::index_width(Beats)-1:0]     index_o,      // index of the beat in its tile
  output logic                                          tile_push_o,
  output logic [1:0]                                    activity_o
);

  localparam int IndexW = framework_pkg::index_width(Beats);

  logic left;  // tiles are left
  logic [IndexW-1:0] index_q;
  tile_counter u_tiles (
    .clk_i, .run_i, .rt_i, .ct_i, .k_i, .next_i(tile_push_o), .valid_o(left), .first_k_o(), .last_k_o(), .last_j_o()
  );

  assign beat_pop_o = run_i && left && !beat_empty_i && !tile_full_i;
  assign index_o = index_q;
  assign tile_push_o = beat_pop_o && index_q == IndexW'(Beats - 1);

  always_ff @(posedge clk_i) begin
    if (!run_i || tile_push_o) index_q <= '0;
    else if (beat_pop_o) index_q <= index_q + IndexW'(1);
  end

  assign activity_o = framework_pkg::activity(beat_pop_o, left && tile_full_i, left);

endmodule
