// Walks over the kern_row tokens in order: passes, Y-groups, and within a Y-group the tokens of KERN-7 (skewed) or
// KERN-8. Outputs for lane 0 whether it carries a word (KERN-9), and which. The words of a kernel are visited in the
// order channels, rows, columns, each once per set. *_next outputs hold for the next cycle.
module kern_walk #(
  parameter int Y = 4,
  parameter bit Skewed = 1'b1
) (
  input  logic                    clk_i,
  input  logic                    run_i,          // low: stay at the first token
  input  fpgpt_pkg::beta_t        beta_i,
  input  fpgpt_pkg::derived_t     derived_i,
  input  logic                    step_i,         // go to the next token
  output logic                    valid_o,        // there is a token
  output logic                    group_last_o,   // the token is the last of its Y-group
  output logic                    pass_last_o,    // the Y-group is also the last of its pass
  output logic                    carries_next_o, // lane 0 carries a word
  output logic [31:0]             c_next_o,       // channel of the word
  output logic [31:0]             word_next_o,    // place of the word in the map
  output logic                    word_step_o,    // with step_i: lane 0 goes to the next word of the kernel
  output logic                    set_step_o      // with step_i: lane 0 returns to the first word
);

  logic valid_q;
  logic [31:0] b_q, g_q, s_q, p_q, tail_q;
  logic in_tail_q;                                     // in the Y tokens after the last set
  logic [31:0] c_q, c_d, i_q, j_q, i_d, j_d, word_q, word_d;
  logic [15:0] i_r_q, j_r_q, i_r_d, j_r_d;             // i, j mod the KERN dilation
  logic product_q, product_d;                          // p < M, not in the tail

  logic last_p, last_m, last_s, last_j, last_i;
  assign last_m = p_q == derived_i.m - 32'd1;
  assign last_p = Skewed ? p_q == derived_i.p - 32'd1 : last_m;
  assign last_s = s_q == derived_i.sets - 32'd1;
  assign last_j = j_q == derived_i.wk - 32'd1;
  assign last_i = i_q == derived_i.hk - 32'd1;

  logic carries, last_word, set_end, group_end;
  assign carries = product_q && i_r_q == '0 && j_r_q == '0;
  assign last_word = word_q == derived_i.kern_map - 32'd1;
  assign set_end = !in_tail_q && last_p;
  assign group_end = Skewed ? (in_tail_q && tail_q == 32'(Y - 1)) : (set_end && last_s);
  assign group_last_o = group_end;
  assign pass_last_o = g_q == derived_i.groups - 32'd1;
  assign valid_o = valid_q;
  assign word_step_o = carries;
  assign set_step_o = set_end;

  always_comb begin
    i_d = i_q;
    j_d = j_q;
    i_r_d = i_r_q;
    j_r_d = j_r_q;
    c_d = c_q;
    word_d = word_q;
    product_d = product_q;
    if (!run_i || (step_i && (set_end || group_end))) begin
      i_d = '0;
      j_d = '0;
      i_r_d = '0;
      j_r_d = '0;
      c_d = '0;
      word_d = '0;
      product_d = !(run_i && Skewed && set_end && last_s);
    end else if (step_i) begin
      if (last_m) product_d = 1'b0;
      if (product_q) begin
        j_d = last_j ? '0 : j_q + 32'd1;
        j_r_d = (last_j || j_r_q == beta_i.kern_dil_w - 16'd1) ? '0 : j_r_q + 16'd1;
        if (last_j) begin
          i_d = last_i ? '0 : i_q + 32'd1;
          i_r_d = (last_i || i_r_q == beta_i.kern_dil_h - 16'd1) ? '0 : i_r_q + 16'd1;
        end
      end
      if (carries) begin
        word_d = last_word ? '0 : word_q + 32'd1;
        if (last_word) c_d = c_q + 32'd1;
      end
    end
  end

  assign carries_next_o = product_d && i_r_d == '0 && j_r_d == '0;
  assign c_next_o = c_d;
  assign word_next_o = word_d;

  always_ff @(posedge clk_i) begin
    i_q <= i_d;
    j_q <= j_d;
    i_r_q <= i_r_d;
    j_r_q <= j_r_d;
    c_q <= c_d;
    word_q <= word_d;
    product_q <= product_d;
    if (!run_i) begin
      valid_q <= 1'b1;
      b_q <= '0;
      g_q <= '0;
      s_q <= '0;
      p_q <= '0;
      tail_q <= '0;
      in_tail_q <= 1'b0;
    end else if (step_i) begin
      p_q <= (set_end || in_tail_q) ? '0 : p_q + 32'd1;
      if (set_end) s_q <= last_s ? '0 : s_q + 32'd1;
      tail_q <= in_tail_q ? tail_q + 32'd1 : '0;
      in_tail_q <= Skewed && ((set_end && last_s) || (in_tail_q && !group_end));
      if (group_end) begin
        g_q <= pass_last_o ? '0 : g_q + 32'd1;
        if (pass_last_o) b_q <= b_q + 32'd1;
        if (pass_last_o && b_q == derived_i.passes - 32'd1) valid_q <= 1'b0;
      end
    end
  end

endmodule
