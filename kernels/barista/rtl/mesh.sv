// The mesh (BAR-3 to BAR-6): Tr by Tc elements. Words of A move right, words of B down, one element per cycle. So the
// element in row r and column c multiplies product p of a tile in mesh cycle p + r + c.
//
// The pipelines of the element in row 0 and column 0 are as long as the cycles of the contract allow for S1 (barista_pkg). The first
// partial sum is not added to +0: no partial sum is -0, because each starts with +0.
module mesh #(
  parameter int Tr = 2,
  parameter int Tc = 2,
  parameter int Tp = 4,
  parameter int S1 = 2
) (
  input  logic                                      clk_i,
  input  logic                                      run_i,
  input  logic [31:0]                               rt_i,
  input  logic [31:0]                               ct_i,
  input  logic [31:0]                               k_i,
  // The tiles; product_o is the product of row 0 and column 0 in this cycle.
  input  logic                                      a_empty_i,
  input  logic [Tr*32-1:0]                          a_words_i,
  input  logic                                      b_empty_i,
  input  logic [Tc*32-1:0]                          b_words_i,
  output logic                                      tiles_pop_o,
  output logic [framework_pkg::index_width(Tp)-1:0]    product_o,
  input  logic                                      c_full_i,
  output logic [Tr*Tc*32-1:0]                       c_data_o,
  output logic                                      c_push_o,
  output logic [1:0]                                activity_o
);

  localparam int MeshCycles = Tp + Tr + Tc - 2;
  localparam int FinalCycles = S1 * S1;
  localparam int CountW = framework_pkg::index_width((MeshCycles > FinalCycles) ? MeshCycles : FinalCycles);
  localparam int Partials = barista_pkg::partials(Tp, S1);
  localparam int SelectW = framework_pkg::index_width(Partials);
  localparam int Pipelines = barista_pkg::pipelines(Tr, Tc, Tp, S1);
  localparam int Mul = Pipelines / 4;
  localparam int Add = Pipelines % 4;

  // State of the mesh: a mesh cycle of a tile, or a cycle of the final adds.
  logic left, first_k, last_k;
  logic in_final_q, multiplies, last_cycle, last_final;
  logic [CountW-1:0] count_q;
  tile_counter u_tiles (
    .clk_i, .run_i, .rt_i, .ct_i, .k_i, .next_i((tiles_pop_o && !last_k) || c_push_o), .valid_o(left),
    .first_k_o(first_k), .last_k_o(last_k), .last_j_o()
  );

  assign multiplies = run_i && left && !in_final_q && (count_q != '0 || (!a_empty_i && !b_empty_i));
  assign last_cycle = count_q == CountW'(MeshCycles - 1);
  assign last_final = count_q == CountW'(FinalCycles - 1);
  assign tiles_pop_o = multiplies && last_cycle;
  assign c_push_o = run_i && in_final_q && last_final && !c_full_i;
  assign product_o = count_q[framework_pkg::index_width(Tp)-1:0];

  always_ff @(posedge clk_i) begin
    if (!run_i) begin
      in_final_q <= 1'b0;
      count_q <= '0;
    end else if (in_final_q) begin
      if (c_push_o) begin
        in_final_q <= 1'b0;
        count_q <= '0;
      end else if (!last_final) begin
        count_q <= count_q + CountW'(1);
      end
    end else if (multiplies) begin
      in_final_q <= last_cycle && last_k;
      count_q <= last_cycle ? '0 : count_q + CountW'(1);
    end
  end

  assign activity_o = framework_pkg::activity(multiplies || (in_final_q && !(last_final && c_full_i)), in_final_q, left);

  // Control of the product of d cycles ago in row 0 and column 0: whether it exists, whether it is the first of its
  // partial sum, and the number of the sum. The element in row r and column c is r + c cycles later.
  localparam int Ago = Tr + Tc - 2 + Mul + Add;
  logic [Ago:0] product_d, first_d;
  logic [SelectW-1:0] select_d [Ago+1];
  logic [SelectW-1:0] select_q;
  assign product_d[0] = multiplies && count_q < CountW'(Tp);
  assign first_d[0] = first_k && count_q < CountW'(Partials);
  assign select_d[0] = select_q;
  always_ff @(posedge clk_i) begin
    if (!product_d[0] || select_q == SelectW'(Partials - 1)) select_q <= '0;
    else select_q <= select_q + SelectW'(1);
  end
  for (genvar d = 1; d <= Ago; d++) begin : gen_ago
    logic product_q, first_q;
    logic [SelectW-1:0] select_ago_q;
    always_ff @(posedge clk_i) begin
      product_q <= run_i && product_d[d-1];
      first_q <= first_d[d-1];
      select_ago_q <= select_d[d-1];
    end
    assign product_d[d] = product_q;
    assign first_d[d] = first_q;
    assign select_d[d] = select_ago_q;
  end

  // The final adds start after the last product has reached its partial sum: one add every Add + 1 cycles.
  localparam int PhaseW = framework_pkg::index_width(Add + 1);
  logic final_add, final_write;
  logic [SelectW-1:0] final_select_q;
  logic [PhaseW-1:0] phase_q;
  logic added_q;
  assign final_add = in_final_q && 32'(count_q) + 32'd1 > 32'(Mul + Add);
  assign final_write = final_add && !added_q && phase_q == PhaseW'(Add);
  always_ff @(posedge clk_i) begin
    if (!in_final_q || c_push_o) begin
      phase_q <= '0;
      final_select_q <= SelectW'((Partials > 1) ? 1 : 0);
      added_q <= Partials == 1;
    end else if (final_add) begin
      phase_q <= (phase_q == PhaseW'(Add)) ? '0 : phase_q + PhaseW'(1);
      if (final_write) begin
        final_select_q <= final_select_q + SelectW'(1);
        added_q <= final_select_q == SelectW'(Partials - 1);
      end
    end
  end

  logic [31:0] a_word [Tr][Tc];
  logic [31:0] b_word [Tr][Tc];
  for (genvar r = 0; r < Tr; r++) begin : gen_row
    for (genvar c = 0; c < Tc; c++) begin : gen_column
      if (c == 0) begin : gen_a
        assign a_word[r][c] = a_words_i[r*32 +: 32];
      end else begin : gen_a_moves
        logic [31:0] a_q;
        always_ff @(posedge clk_i) a_q <= a_word[r][c-1];
        assign a_word[r][c] = a_q;
      end
      if (r == 0) begin : gen_b
        assign b_word[r][c] = b_words_i[c*32 +: 32];
      end else begin : gen_b_moves
        logic [31:0] b_q;
        always_ff @(posedge clk_i) b_q <= b_word[r-1][c];
        assign b_word[r][c] = b_q;
      end
      mesh_pe #(.Partials(Partials), .Mul(Mul), .Add(Add)) u_pe (
        .clk_i, .a_i(a_word[r][c]), .b_i(b_word[r][c]),
        .add_select_i(select_d[r+c+Mul]), .add_first_i(first_d[r+c+Mul]),
        .write_i(product_d[r+c+Mul+Add] || final_write),
        .write_select_i(final_add ? SelectW'(0) : select_d[r+c+Mul+Add]),
        .final_i(final_add), .final_select_i(final_select_q), .result_o(c_data_o[(r*Tc+c)*32 +: 32])
      );
    end
  end

`ifndef SYNTHESIS
  // No product is in the pipeline when the final adds begin, and every pushed tile is completely added up.
  for (genvar d = 0; d <= Ago; d++) begin : gen_no_product
    a_no_product: assert property (@(posedge clk_i) run_i && final_add |-> !product_d[d]);
  end
  a_all_added: assert property (@(posedge clk_i) run_i && c_push_o |-> final_add && added_q);
`endif

endmodule
