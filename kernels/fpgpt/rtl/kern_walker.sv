// Walks over the ranges of KERN (section 3): F/GI one range, the whole tensor; GW one per (a, n), repeated for each n.
module kern_walker #(
  parameter int WordW = framework_pkg::WordAddrW
) (
  input  logic                                clk_i,
  input  logic                                run_i,    // low: stay at the first range
  input  fpgpt_pkg::beta_t                    beta_i,
  input  logic                                next_i,   // go to the next range
  output logic                                valid_o,  // there is a range
  output logic [WordW-1:0]                    word_o    // its first word
);


  logic valid_q;
  logic [31:0] a_q, n_q;
  logic [WordW-1:0] word_q;

  logic last_n, last_a;
  assign last_n = n_q == beta_i.n_inp - 32'd1;
  assign last_a = a_q == beta_i.a - 32'd1;

  always_ff @(posedge clk_i) begin
    if (!run_i) begin
      valid_q <= 1'b1;
      a_q <= '0;
      n_q <= '0;
      word_q <= beta_i.kern_first[WordW-1:0];
    end else if (next_i) begin
      n_q <= last_n ? '0 : n_q + 32'd1;
      if (last_n) begin
        a_q <= a_q + 32'd1;
        word_q <= word_q + WordW'(beta_i.kern_pitch_a);
      end
      if (beta_i.kind != fpgpt_pkg::KindGw || (last_n && last_a)) valid_q <= 1'b0;
    end
  end

  assign valid_o = valid_q;
  assign word_o = word_q;

endmodule
