// OUT constructor for F and GI (OUT-1, 2, 4): two halves of Y maps. One half stores the rows of a Y-group in the
// array's order, row index fastest; the other outputs its maps one after another.
module out_constructor_fgi #(
  parameter int X = 4,
  parameter int Y = 4,
  parameter int OutWords = 16  // of both halves
) (
  input  logic                        clk_i,
  input  logic                        run_i,
  input  fpgpt_pkg::derived_t         derived_i,
  input  logic                        row_empty_i,
  input  logic [X*32-1:0]             row_data_i,
  output logic                        row_pop_o,
  input  logic                        group_full_i,
  output logic [X*32-1:0]             group_data_o,
  output logic [$clog2(X+1)-1:0]      group_count_o,
  output logic                        group_push_o,
  output logic [1:0]                  activity_o
);

  localparam int Rows = fpgpt_pkg::ram_depth(OutWords / (2 * X));  // rows of a half
  localparam int AddrW = framework_pkg::index_width(2 * Rows);
  localparam int CountW = $clog2(X + 1);

  // Write side: word s of map y is at y * S + s.
  logic [1:0] full_q;
  logic fill_half_q, fill_left_q;
  logic [31:0] y_q, s_q, fill_g_q, fill_b_q;
  logic [AddrW-1:0] waddr_q;
  logic take, last_y, last_s, last_fill_g, fill_last;
  assign take = run_i && !row_empty_i && fill_left_q && !full_q[fill_half_q];
  assign row_pop_o = take;
  assign last_y = y_q == 32'(Y - 1);
  assign last_s = s_q == derived_i.sets - 32'd1;
  assign last_fill_g = fill_g_q == derived_i.groups - 32'd1;
  assign fill_last = take && last_y && last_s;

  // Read side.
  logic give_half_q, give_half_d, give, map_end, last_map, last_g, half_end;
  logic [31:0] map_q, set_q, g_q;
  logic [AddrW-1:0] raddr_q, raddr_d;
  assign give = run_i && full_q[give_half_q] && !group_full_i;
  assign last_g = g_q == derived_i.groups - 32'd1;
  assign map_end = set_q == derived_i.sets - 32'd1;
  assign last_map = map_q == (last_g ? derived_i.last_rows : 32'(Y)) - 32'd1;
  assign half_end = give && map_end && last_map;
  assign group_push_o = give;
  assign group_count_o = map_end ? CountW'(derived_i.last_set_words) : CountW'(X);

  always_comb begin
    raddr_d = raddr_q;
    if (!run_i || half_end) raddr_d = '0;
    else if (give) raddr_d = raddr_q + AddrW'(1);
    give_half_d = run_i && (give_half_q ^ half_end);
  end

  always_ff @(posedge clk_i) begin
    raddr_q <= raddr_d;
    give_half_q <= give_half_d;
    if (!run_i) begin
      full_q <= '0;
      fill_half_q <= 1'b0;
      fill_left_q <= 1'b1;
      y_q <= '0;
      s_q <= '0;
      fill_g_q <= '0;
      fill_b_q <= '0;
      waddr_q <= '0;
      map_q <= '0;
      set_q <= '0;
      g_q <= '0;
    end else begin
      if (take) begin
        y_q <= last_y ? '0 : y_q + 32'd1;
        if (last_y) s_q <= last_s ? '0 : s_q + 32'd1;
        waddr_q <= !last_y ? waddr_q + AddrW'(derived_i.sets) : last_s ? '0 : AddrW'(s_q) + AddrW'(1);
      end
      if (fill_last) begin
        full_q[fill_half_q] <= 1'b1;
        fill_half_q <= !fill_half_q;
        fill_g_q <= last_fill_g ? '0 : fill_g_q + 32'd1;
        if (last_fill_g) fill_b_q <= fill_b_q + 32'd1;
        if (last_fill_g && fill_b_q == derived_i.passes - 32'd1) fill_left_q <= 1'b0;
      end
      if (give) begin
        set_q <= map_end ? '0 : set_q + 32'd1;
        if (map_end) map_q <= last_map ? '0 : map_q + 32'd1;
      end
      if (half_end) begin
        full_q[give_half_q] <= 1'b0;
        g_q <= last_g ? '0 : g_q + 32'd1;
      end
    end
  end

  logic [X*32-1:0] rdata;
  ram #(.Width(X * 32), .Depth(2 * Rows)) u_maps (
    .clk_i,
    .we_i(take), .waddr_i(waddr_q + (fill_half_q ? AddrW'(Rows) : '0)), .wdata_i(row_data_i),
    .raddr_i(raddr_d + (give_half_d ? AddrW'(Rows) : '0)), .rdata_o(rdata)
  );
  for (genvar x = 0; x < X; x++) begin : gen_lane
    assign group_data_o[x*32 +: 32] = (CountW'(x) < group_count_o) ? rdata[x*32 +: 32] : '0;
  end

  assign activity_o = fpgpt_pkg::activity(take || give, full_q[give_half_q], fill_left_q && !full_q[fill_half_q]);

endmodule
