// Walks over the windows of INP in loop order (section 3) and outputs the first word of the current one. It has its own
// RAM for the table of start(s), because reader and decode walk independently.
module inp_walker #(
  parameter int MaxSets = 16,
  parameter int WordW = framework_pkg::WordAddrW
) (
  input  logic                                           clk_i,
  input  logic                                           run_i,    // low: stay at the first window
  input  fpgpt_pkg::beta_t                               beta_i,
  input  fpgpt_pkg::derived_t                            derived_i,
  input  logic                                           table_we_i,
  input  logic [framework_pkg::index_width(MaxSets)-1:0]     table_addr_i,
  input  logic [31:0]                                    table_data_i,
  input  logic                                           next_i,   // go to the next window
  output logic                                           valid_o,  // there is a window
  output logic [WordW-1:0]                               word_o    // its first word
);

  localparam int SetW = framework_pkg::index_width(MaxSets);

  logic valid_q;
  logic [31:0] a_q, n_q, g_q, s_q, s_d, c_q;
  logic [WordW-1:0] base_a_q, base_n_q;  // first words of image a, and of image (a, n)
  logic [31:0] channel_q;          // c * pitch_c
  logic [31:0] start;

  logic last_c, last_s, last_g, last_n, last_a;
  assign last_c = c_q == beta_i.c - 32'd1;
  assign last_s = s_q == derived_i.sets - 32'd1;
  assign last_g = g_q == derived_i.groups - 32'd1;
  assign last_n = n_q == beta_i.n_inp - 32'd1;
  assign last_a = a_q == beta_i.a - 32'd1;

  always_comb begin
    s_d = s_q;
    if (!run_i) s_d = '0;
    else if (next_i && last_c) s_d = last_s ? '0 : s_q + 32'd1;
  end

  always_ff @(posedge clk_i) begin
    s_q <= s_d;
    if (!run_i) begin
      valid_q <= 1'b1;
      a_q <= '0;
      n_q <= '0;
      g_q <= '0;
      c_q <= '0;
      channel_q <= '0;
      base_a_q <= beta_i.inp_first[WordW-1:0];
      base_n_q <= beta_i.inp_first[WordW-1:0];
    end else if (next_i) begin
      c_q <= last_c ? '0 : c_q + 32'd1;
      channel_q <= last_c ? '0 : channel_q + beta_i.inp_pitch_c;
      if (last_c && last_s) begin
        g_q <= last_g ? '0 : g_q + 32'd1;
        if (last_g) begin
          n_q <= last_n ? '0 : n_q + 32'd1;
          base_n_q <= base_n_q + WordW'(beta_i.inp_pitch_n);
          if (last_n) begin
            a_q <= a_q + 32'd1;
            base_a_q <= base_a_q + WordW'(beta_i.inp_pitch_a);
            base_n_q <= base_a_q + WordW'(beta_i.inp_pitch_a);
            if (last_a) valid_q <= 1'b0;
          end
        end
      end
    end
  end

  ram #(.Width(32), .Depth(MaxSets)) u_start (
    .clk_i,
    .we_i(table_we_i), .waddr_i(table_addr_i), .wdata_i(table_data_i),
    .raddr_i(s_d[SetW-1:0]), .rdata_o(start)
  );

  assign valid_o = valid_q;
  assign word_o = base_n_q + WordW'(channel_q) + WordW'(start);

endmodule
