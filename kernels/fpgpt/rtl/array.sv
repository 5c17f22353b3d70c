// The array (ARR-1..6): X columns and Y rows of processing elements. Columns of INP shift down one row per array cycle, so
// row y is y array cycles later than row 0. The KERN values are skewed by the feeder or, with OverlapDrain, by the array.
//
// FP32: a product of array cycle t of its row is computed by t+3 and in its partial sum by t+5. The row of the last
// product then passes the final adders, shared by all rows (P >= Y keeps the rows apart): pairs by t+7, result by t+9
// (ARR-3). Fixed point: the product is in the sum, which is the result, by t+1.
module array #(
  parameter int X = 4,
  parameter int Y = 4,
  parameter int WordBits = 32,  // bits of an operand: 32 is FP32, up to 16 fixed point
  parameter bit OverlapDrain = 1'b0
) (
  input  logic                        clk_i,
  input  logic                        run_i,
  input  fpgpt_pkg::derived_t         derived_i,
  input  logic                        column_empty_i,
  input  logic [X*WordBits-1:0]       column_data_i,
  output logic                        column_pop_o,
  input  logic                        row_empty_i,
  input  logic [Y*WordBits-1:0]       row_data_i,
  output logic                        row_pop_o,
  input  logic                        out_full_i,
  output logic [X*32-1:0]             out_data_o,
  output logic                        out_push_o,
  output logic [1:0]                  activity_o
);

  localparam bit FixedPoint = WordBits <= 16;
  localparam int FinalCycles = FixedPoint ? 0 : 8;  // F
  localparam int Stages = FinalCycles + 1;          // from a row's product to its result

  // State of the array: product p of set s, or the tail after the last set.
  logic active_q, in_tail_q;
  logic [31:0] p_q, s_q, g_q, b_q, tail_q;
  logic last_p, last_s, last_g, last_b, round_sets_end, round_end;
  logic takes_column, takes_row, gives;
  logic advance /* verilator public_flat_rd */;  // an array cycle

  assign last_p = p_q == derived_i.p - 32'd1;
  assign last_s = s_q == derived_i.sets - 32'd1;
  assign last_g = g_q == derived_i.groups - 32'd1;
  assign last_b = b_q == derived_i.passes - 32'd1;
  assign round_sets_end = !in_tail_q && last_p && last_s && (!OverlapDrain || (last_g && last_b));

  // Array cycles of the tail: Y + F; with OverlapDrain the cycles until the rows of the last set are given.
  logic [31:0] tail_length;
  assign tail_length = OverlapDrain ? derived_i.m + 32'(Y + FinalCycles) - derived_i.p : 32'(Y + FinalCycles);
  assign round_end = in_tail_q && tail_q == tail_length - 32'd1;

  assign takes_column = active_q && !in_tail_q && p_q < derived_i.m;
  assign takes_row = OverlapDrain ? takes_column : active_q && (!in_tail_q || tail_q < 32'(Y));

  logic [Y-1:0] row_out;
  assign gives = |row_out;
  assign advance = run_i && active_q && !(gives && out_full_i) && !(takes_column && column_empty_i)
                && !(takes_row && row_empty_i);
  assign column_pop_o = advance && takes_column;
  assign row_pop_o = advance && takes_row;
  assign out_push_o = advance && gives;

  always_ff @(posedge clk_i) begin
    if (!run_i) begin
      active_q <= 1'b1;
      in_tail_q <= 1'b0;
      p_q <= '0;
      s_q <= '0;
      g_q <= '0;
      b_q <= '0;
      tail_q <= '0;
    end else if (advance) begin
      p_q <= (in_tail_q || last_p) ? '0 : p_q + 32'd1;
      if (!in_tail_q && last_p) begin
        s_q <= last_s ? '0 : s_q + 32'd1;
        if (last_s) g_q <= last_g ? '0 : g_q + 32'd1;
        if (last_s && last_g) b_q <= last_b ? '0 : b_q + 32'd1;
      end
      in_tail_q <= round_sets_end || (in_tail_q && !round_end);
      tail_q <= (in_tail_q && !round_end) ? tail_q + 32'd1 : '0;
      // Both counters are zero again only in the tail of the last round.
      if (round_end && g_q == '0 && b_q == '0) active_q <= 1'b0;
    end
  end

  // True if the product of d array cycles ago in row 0 (in row y at stage d - y) was the last of its set.
  localparam int Delays = Y + Stages;  // at most Y - 1 + Stages ago
  logic [Delays-1:1] last_q;
  always_ff @(posedge clk_i) begin
    if (!run_i) last_q <= '0;
    else if (advance) last_q <= (Delays-1)'({last_q, takes_column && p_q == derived_i.m - 32'd1});
  end
  for (genvar y = 0; y < Y; y++) begin : gen_out
    assign row_out[y] = last_q[y+Stages];
  end

  // Operands of row y: the column of y array cycles ago, and the KERN value (also y array cycles old if the feeder does not skew).
  logic [X*WordBits-1:0] column [Y];
  logic [WordBits-1:0] kern [Y];
  for (genvar y = 0; y < Y; y++) begin : gen_row
    if (y == 0) begin : gen_first
      assign column[0] = column_data_i;
    end else begin : gen_below
      logic [X*WordBits-1:0] column_q;
      always_ff @(posedge clk_i) begin
        if (advance) column_q <= column[y-1];
      end
      assign column[y] = column_q;
    end

    if (y == 0 || !OverlapDrain) begin : gen_straight
      assign kern[y] = row_data_i[y*WordBits +: WordBits];
    end else begin : gen_skew
      logic [WordBits-1:0] kern_q [y];
      always_ff @(posedge clk_i) begin
        if (advance) begin
          kern_q[0] <= row_data_i[y*WordBits +: WordBits];
          for (int d = 1; d < y; d++) kern_q[d] <= kern_q[d-1];
        end
      end
      assign kern[y] = kern_q[y-1];
    end
  end

  if (FixedPoint) begin : gen_fixed_point
    // Control of row y: it has a product in this array cycle; the product is the first of its sum.
    logic [Y-1:0] product, first;
    logic [Y:1] product_q, first_q;
    assign product[0] = takes_column;
    assign first[0] = p_q == '0;
    always_ff @(posedge clk_i) begin
      if (!run_i) product_q <= '0;
      else if (advance) product_q <= Y'({product_q, product[0]});
      if (advance) first_q <= Y'({first_q, first[0]});
    end
    for (genvar y = 1; y < Y; y++) begin : gen_control
      assign product[y] = product_q[y];
      assign first[y] = first_q[y];
    end
    logic unused_last;
    assign unused_last = product_q[Y] ^ first_q[Y];

    logic [X*32-1:0] sums [Y];
    for (genvar y = 0; y < Y; y++) begin : gen_row
      for (genvar x = 0; x < X; x++) begin : gen_pe
        pe_fxp #(.WordBits(WordBits)) u_pe (
          .clk_i, .add_i(advance && product[y]), .first_i(first[y]),
          .inp_i(column[y][x*WordBits +: WordBits]), .kern_i(kern[y]), .sum_o(sums[y][x*32 +: 32])
        );
      end
    end
    // P >= Y keeps the rows apart.
    always_comb begin
      out_data_o = '0;
      for (int y = 0; y < Y; y++) begin
        if (row_out[y]) out_data_o = out_data_o | sums[y];
      end
    end
  end else begin : gen_fp32
    // Control of the product of d array cycles ago: whether it exists, whether it is the first of its partial sum, and which sum that is.
    localparam int Writes = Y + 4;  // at most Y - 1 + 4 ago
    logic [Writes-1:1] product_q, partial0_q, partial1_q;
    logic [Writes-2:1] first_q;
    always_ff @(posedge clk_i) begin
      if (!run_i) begin
        product_q <= '0;
      end else if (advance) begin
        product_q <= {product_q[Writes-2:1], takes_column};
        first_q <= {first_q[Writes-3:1], p_q < 32'd4};
        partial0_q <= {partial0_q[Writes-2:1], p_q[0]};
        partial1_q <= {partial1_q[Writes-2:1], p_q[1]};
      end
    end

    logic [X*128-1:0] partials [Y];
    logic [Y-1:0] row_done;
    for (genvar y = 0; y < Y; y++) begin : gen_row
      for (genvar x = 0; x < X; x++) begin : gen_pe
        pe u_pe (
          .clk_i, .en_i(advance),
          .inp_i(column[y][x*32 +: 32]), .kern_i(kern[y]),
          .add_select_i({partial1_q[y+3], partial0_q[y+3]}), .add_first_i(first_q[y+3]),
          .write_i(product_q[y+4]), .write_select_i({partial1_q[y+4], partial0_q[y+4]}),
          .partials_o(partials[y][x*128 +: 128])
        );
      end
      assign row_done[y] = last_q[y+5];
    end

    // The final adders: (p0 + p1) + (p2 + p3); partial sums without a product are +0.
    logic [2:0] count;
    assign count = (derived_i.m < 32'd4) ? derived_i.m[2:0] : 3'd4;
    for (genvar x = 0; x < X; x++) begin : gen_final
      logic [127:0] chosen;
      logic [31:0] pair0, pair1;
      always_comb begin
        chosen = '0;
        for (int y = 0; y < Y; y++) begin
          if (row_done[y]) chosen = chosen | partials[y][x*128 +: 128];
        end
        for (int k = 0; k < 4; k++) begin
          if (3'(k) >= count) chosen[k*32 +: 32] = '0;
        end
      end
      fp32_add #(.Stages(2)) u_pair0 (.clk_i, .en_i(advance), .a_i(chosen[31:0]), .b_i(chosen[63:32]), .z_o(pair0));
      fp32_add #(.Stages(2)) u_pair1 (.clk_i, .en_i(advance), .a_i(chosen[95:64]), .b_i(chosen[127:96]), .z_o(pair1));
      fp32_add #(.Stages(2)) u_total (.clk_i, .en_i(advance), .a_i(pair0), .b_i(pair1), .z_o(out_data_o[x*32 +: 32]));
    end
  end

  assign activity_o = fpgpt_pkg::activity(advance, active_q && gives && out_full_i, active_q);

`ifndef SYNTHESIS
  // At most one row is given per array cycle; the final adders of FP32 also take one row at a time.
  a_one_row_at_a_time: assert property (@(posedge clk_i) run_i |-> $onehot0(row_out));
`endif

endmodule
