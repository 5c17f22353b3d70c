// Double buffer of tiles, which behaves as a FIFO of two tokens (section 3): full when two tiles have been pushed; the
// half being filled counts as a free place. A tile has Lines lines (rows of A, columns of B) of Products words; each
// line has its own memories. In memory word p of line u is at u*Products + p, or with Interleaved (B) at p*Lines + u.
//
// The reader selects the product of line 0 in this cycle. Line u outputs the product selected u cycles ago, as a skewed
// mesh needs. A beat written in cycle t can be read from t+1 on.
module tile_buffer #(
  parameter int Lines = 2,
  parameter int Products = 4,
  parameter bit Interleaved = 1'b0,
  parameter int Band = 4
) (
  input  logic                                                                      clk_i,
  input  logic                                                                      run_i,
  // Write side: beat index_i of the tile.
  input  logic                                                                      we_i,
  input  logic [framework_pkg::index_width((Lines*Products+Band-1)/Band)-1:0]          index_i,
  input  logic [Band*32-1:0]                                                        data_i /* verilator public_flat_rd */,
  input  logic                                                                      push_i /* verilator public_flat_rd */,
  output logic                                                                      full_o /* verilator public_flat_rd */,
  // Read side.
  input  logic                                                                      pop_i /* verilator public_flat_rd */,
  output logic                                                                      empty_o /* verilator public_flat_rd */,
  input  logic [framework_pkg::index_width(Products)-1:0]                              product_i,
  output logic [Lines*32-1:0]                                                       words_o
);

  localparam int Beats = (Lines * Products + Band - 1) / Band;
  localparam int IndexW = framework_pkg::index_width(Beats);
  localparam int ProductW = framework_pkg::index_width(Products);

  logic [1:0] count_q /* verilator public_flat_rd */;
  logic fill_half_q, read_half_q;
  assign full_o = count_q == 2'd2;
  assign empty_o = count_q == 2'd0;

  always_ff @(posedge clk_i) begin
    if (!run_i) begin
      count_q <= '0;
      fill_half_q <= 1'b0;
      read_half_q <= 1'b0;
    end else begin
      if (push_i) fill_half_q <= !fill_half_q;
      if (pop_i) read_half_q <= !read_half_q;
      if (push_i && !pop_i) count_q <= count_q + 2'd1;
      if (pop_i && !push_i) count_q <= count_q - 2'd1;
    end
  end

  logic [Lines*ProductW-1:0] product;
  for (genvar u = 0; u < Lines; u++) begin : gen_skew
    if (u == 0) begin : gen_first
      assign product[ProductW-1:0] = product_i;
    end else begin : gen_next
      logic [ProductW-1:0] product_q;
      always_ff @(posedge clk_i) product_q <= product[(u-1)*ProductW +: ProductW];
      assign product[u*ProductW +: ProductW] = product_q;
    end
  end

  if (!Interleaved) begin : gen_rows
    // Each line stores the complete beats that hold words of it.
    localparam int LaneW = $clog2(Band);
    for (genvar u = 0; u < Lines; u++) begin : gen_line
      localparam int First = u * Products / Band;
      localparam int Last = (u * Products + Products - 1) / Band;
      localparam int Lead = u * Products % Band;    // lane of the line's first word
      localparam int Depth = Last - First + 1;
      localparam int AddrW = framework_pkg::index_width(2 * Depth);
      logic [Band*32-1:0] mem [2 * Depth];
      logic [Band*32-1:0] beat;
      logic [IndexW+1:0] at;                        // index of the written beat among them
      logic [31:0] place;                           // index of the word, from lane 0 of the first beat
      assign at = {2'b00, index_i} - (IndexW + 2)'(First);
      assign place = 32'(product[u*ProductW +: ProductW]) + 32'(Lead);
      always_ff @(posedge clk_i) begin
        if (we_i && at < (IndexW + 2)'(Depth)) mem[AddrW'(at) + (fill_half_q ? AddrW'(Depth) : '0)] <= data_i;
      end
      assign beat = mem[AddrW'(place >> LaneW) + (read_half_q ? AddrW'(Depth) : '0)];
      assign words_o[u*32 +: 32] = beat[{place[LaneW-1:0], 5'd0} +: 32];
    end
  end else begin : gen_columns
    // Each line stores the words that a beat holds of it, up to Each, in one entry. Column and product of a beat's first word:
    localparam int Each = (Band + Lines - 1) / Lines;
    localparam int Step = Band % Lines;             // columns from the first word of a beat to that of the next
    localparam int ColumnW = $clog2(2 * Lines + 1);
    logic [ColumnW-1:0] column;
    logic [ProductW:0] first;
    logic wraps;
    if (Step == 0) begin : gen_aligned
      assign column = '0;
      assign wraps = 1'b1;
    end else begin : gen_shifted
      logic [ColumnW-1:0] column_q, sum;
      assign sum = column_q + ColumnW'(Step);
      assign wraps = sum >= ColumnW'(Lines);
      always_ff @(posedge clk_i) begin
        if (!run_i || push_i) column_q <= '0;
        else if (we_i) column_q <= wraps ? sum - ColumnW'(Lines) : sum;
      end
      assign column = column_q;
    end
    if (Each > 1) begin : gen_from_beat
      logic unused_place;
      assign unused_place = ^{wraps, first};
      assign first = '0;
    end else begin : gen_from_product
      logic [ProductW:0] first_q;
      always_ff @(posedge clk_i) begin
        if (!run_i || push_i) first_q <= '0;
        else if (we_i && wraps) first_q <= first_q + (ProductW + 1)'(1);
      end
      assign first = first_q;
    end
    for (genvar u = 0; u < Lines; u++) begin : gen_line
      // Lane of the beat's first word of this line; outside the beat if there is none.
      logic behind;
      logic [ColumnW-1:0] lane;
      assign behind = ColumnW'(u) < column;
      assign lane = ColumnW'(behind ? u + Lines : u) - column;
      logic [Each*32-1:0] taken;
      for (genvar n = 0; n < Each; n++) begin : gen_word
        assign taken[n*32 +: 32] = 32'(data_i >> {32'(lane) + 32'(n * Lines), 5'd0});
      end
      if (Each > 1) begin : gen_by_beat
        localparam int LaneW = $clog2(Band);
        localparam int AddrW = framework_pkg::index_width(2 * Beats);
        logic [Each*32-1:0] mem [2 * Beats];
        logic [Each*32-1:0] group;
        logic [31:0] place, which;
        assign place = 32'(product[u*ProductW +: ProductW]) * 32'(Lines) + 32'(u);
        always_comb begin
          which = '0;
          for (int n = 1; n < Each; n++) begin
            if (32'(place[LaneW-1:0]) >= 32'(n * Lines)) which = 32'(n);
          end
        end
        always_ff @(posedge clk_i) begin
          if (we_i) mem[AddrW'(index_i) + (fill_half_q ? AddrW'(Beats) : '0)] <= taken;
        end
        assign group = mem[AddrW'(place >> LaneW) + (read_half_q ? AddrW'(Beats) : '0)];
        assign words_o[u*32 +: 32] = 32'(group >> {which, 5'd0});
      end else begin : gen_by_product
        localparam int AddrW = framework_pkg::index_width(2 * Products);
        logic [31:0] mem [2 * Products];
        logic [ProductW:0] at;
        assign at = first + (ProductW + 1)'(behind);
        always_ff @(posedge clk_i) begin
          if (we_i && 32'(lane) < 32'(Band) && 32'(at) < 32'(Products)) begin
            mem[AddrW'(at) + (fill_half_q ? AddrW'(Products) : '0)] <= taken;
          end
        end
        assign words_o[u*32 +: 32] = mem[AddrW'(product[u*ProductW +: ProductW]) + (read_half_q ? AddrW'(Products) : '0)];
      end
    end
  end

`ifndef SYNTHESIS
  // A tile is pushed only if there is room.
  a_no_push_when_full: assert property (@(posedge clk_i) run_i && (push_i || we_i) |-> !full_o);
  // A tile is popped only if there is one.
  a_no_pop_when_empty: assert property (@(posedge clk_i) run_i && pop_i |-> !empty_o);
  // A tile is pushed with its last beat.
  a_push_with_last_beat: assert property (@(posedge clk_i) run_i && push_i |-> we_i && index_i == IndexW'(Beats - 1));
`endif

endmodule
