// Counts the windows of INP: passes, Y-groups, sets, channels (section 3).
module window_counter (
  input  logic                    clk_i,
  input  logic                    run_i,
  input  fpgpt_pkg::beta_t        beta_i,
  input  fpgpt_pkg::derived_t     derived_i,
  input  logic                    next_i,   // go to the next window
  output logic                    valid_o   // there is a window
);

  logic valid_q;
  logic [31:0] c_q, s_q, g_q, b_q;
  logic last_c, last_s, last_g, last_b;
  assign last_c = c_q == beta_i.c - 32'd1;
  assign last_s = s_q == derived_i.sets - 32'd1;
  assign last_g = g_q == derived_i.groups - 32'd1;
  assign last_b = b_q == derived_i.passes - 32'd1;

  always_ff @(posedge clk_i) begin
    if (!run_i) begin
      valid_q <= 1'b1;
      c_q <= '0;
      s_q <= '0;
      g_q <= '0;
      b_q <= '0;
    end else if (next_i) begin
      c_q <= last_c ? '0 : c_q + 32'd1;
      if (last_c) s_q <= last_s ? '0 : s_q + 32'd1;
      if (last_c && last_s) g_q <= last_g ? '0 : g_q + 32'd1;
      if (last_c && last_s && last_g) b_q <= b_q + 32'd1;
      if (last_c && last_s && last_g && last_b) valid_q <= 1'b0;
    end
  end

  assign valid_o = valid_q;

endmodule
