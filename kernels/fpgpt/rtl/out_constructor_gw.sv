// OUT constructor for GW (OUT-3, 4): holds the whole tensor. It stores the rows of A = 0 and adds those of the other A;
// after the last row it outputs everything. The first token may be given in the cycle after the last row was taken, and
// that row may have been added to the token's word: so the addition takes one cycle.
module out_constructor_gw #(
  parameter int X = 4,
  parameter int Y = 4,
  parameter int OutWords = 16,
  parameter bit FixedPoint = 1'b0
) (
  input  logic                        clk_i,
  input  logic                        run_i,
  input  fpgpt_pkg::beta_t            beta_i,
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

  localparam int Rows = fpgpt_pkg::ram_depth(OutWords / X);
  localparam int AddrW = framework_pkg::index_width(Rows);
  localparam int CountW = $clog2(X + 1);

  // Write side, in the order a, n, g, s, y: token s of map n of image k is at (k * N_INP + n) * S + s.
  logic full_q, done_q;
  logic [31:0] y_q, s_q, g_q, n_q, a_q, map_step_q;
  logic [AddrW-1:0] addr_q, addr_d, set_addr_q, group_addr_q, map_addr_q;
  logic take, keep, last_y, last_s, last_g, last_n, fill_last;
  assign take = run_i && !row_empty_i && !full_q && !done_q;
  assign row_pop_o = take;
  assign last_y = y_q == 32'(Y - 1);
  assign last_s = s_q == derived_i.sets - 32'd1;
  assign last_g = g_q == derived_i.groups - 32'd1;
  assign last_n = n_q == beta_i.n_inp - 32'd1;
  assign fill_last = take && last_y && last_s && last_g && last_n && a_q == beta_i.a - 32'd1;
  assign keep = take && !(last_g && y_q >= derived_i.last_rows);

  // Words between the maps of one channel in consecutive images.
  always_ff @(posedge clk_i) map_step_q <= beta_i.n_inp * derived_i.sets;
  logic [31:0] group_step_q;
  always_ff @(posedge clk_i) group_step_q <= 32'(Y) * map_step_q;

  // Read side.
  logic give, map_end, last;
  logic [31:0] set_q, maps_left_q, total_q;
  always_ff @(posedge clk_i) total_q <= derived_i.maps * derived_i.images;
  assign give = run_i && full_q && !group_full_i;
  assign map_end = set_q == derived_i.sets - 32'd1;
  assign last = give && map_end && maps_left_q == 32'd1;
  assign group_push_o = give;
  assign group_count_o = map_end ? CountW'(derived_i.last_set_words) : CountW'(X);

  // One address serves both sides, because writing ends before reading begins.
  always_comb begin
    addr_d = addr_q;
    if (!run_i || fill_last || last) addr_d = '0;
    else if (give) addr_d = addr_q + AddrW'(1);
    else if (take && !last_y) addr_d = addr_q + AddrW'(map_step_q);
    else if (take && !last_s) addr_d = set_addr_q + AddrW'(1);
    else if (take && !last_g) addr_d = group_addr_q + AddrW'(group_step_q);
    else if (take && !last_n) addr_d = map_addr_q + AddrW'(derived_i.sets);
    else if (take) addr_d = '0;
  end

  always_ff @(posedge clk_i) begin
    addr_q <= addr_d;
    if (!run_i) begin
      full_q <= 1'b0;
      done_q <= 1'b0;
      y_q <= '0;
      s_q <= '0;
      g_q <= '0;
      n_q <= '0;
      a_q <= '0;
      set_addr_q <= '0;
      group_addr_q <= '0;
      map_addr_q <= '0;
      set_q <= '0;
      maps_left_q <= total_q;
    end else begin
      if (take) begin
        y_q <= last_y ? '0 : y_q + 32'd1;
        if (last_y) begin
          set_addr_q <= addr_d;
          s_q <= last_s ? '0 : s_q + 32'd1;
          if (last_s) begin
            group_addr_q <= addr_d;
            g_q <= last_g ? '0 : g_q + 32'd1;
            if (last_g) begin
              map_addr_q <= addr_d;
              n_q <= last_n ? '0 : n_q + 32'd1;
              if (last_n) a_q <= a_q + 32'd1;
            end
          end
        end
      end
      if (fill_last) full_q <= 1'b1;
      if (give) begin
        set_q <= map_end ? '0 : set_q + 32'd1;
        if (map_end) maps_left_q <= maps_left_q - 32'd1;
      end
      if (last) begin
        full_q <= 1'b0;
        done_q <= 1'b1;
      end
    end
  end

  logic [X*32-1:0] rdata, sums;
  ram #(.Width(X * 32), .Depth(Rows)) u_tensor (
    .clk_i,
    .we_i(keep), .waddr_i(addr_q), .wdata_i((a_q == '0) ? row_data_i : sums),
    .raddr_i(addr_d), .rdata_o(rdata)
  );
  for (genvar x = 0; x < X; x++) begin : gen_lane
    if (FixedPoint) begin : gen_fixed_point
      assign sums[x*32 +: 32] = rdata[x*32 +: 32] + row_data_i[x*32 +: 32];  // NUM-7
    end else begin : gen_fp32
      fp32_add #(.Stages(0)) u_add (
        .clk_i, .en_i(1'b1), .a_i(rdata[x*32 +: 32]), .b_i(row_data_i[x*32 +: 32]), .z_o(sums[x*32 +: 32])
      );
    end
    assign group_data_o[x*32 +: 32] = (CountW'(x) < group_count_o) ? rdata[x*32 +: 32] : '0;
  end

  assign activity_o = fpgpt_pkg::activity(take || give, full_q, !full_q && !done_q);

endmodule
