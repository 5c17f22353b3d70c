// KERN decode for GW (KERN-3): a range is N_KERN runs of C*H*W words, each regrouped into groups of Y words with a
// shorter last one. Groups never span kernels, but beats do.
module kern_decode_gw #(
  parameter int Band = 16,
  parameter int WordBits = 32,
  parameter int WordW = framework_pkg::WordAddrW,
  parameter int Y = 4
) (
  input  logic                                        clk_i,
  input  logic                                        run_i,
  input  fpgpt_pkg::beta_t                            beta_i,
  input  fpgpt_pkg::derived_t                         derived_i,
  // The current range.
  input  logic                                        range_valid_i,
  input  logic [WordW-1:0]                            range_word_i,
  input  logic [31:0]                                 range_words_i,
  output logic                                        range_next_o,
  input  logic                                        beat_empty_i,
  input  logic [Band*WordBits-1:0]                    beat_data_i,
  output logic                                        beat_pop_o,
  input  logic                                        word_full_i,
  output logic [Y*WordBits-1:0]                       word_data_o,
  output logic                                        word_push_o,
  output logic [1:0]                                  activity_o
);

  localparam int CountW = $clog2(Band + 1);
  localparam int NeedW = $clog2(Y + 1);

  logic runs_left_q;
  logic [31:0] left_q, kernel_q, pass_q;  // words of the kernel left to output; kernel within the range; range
  logic [Band*WordBits-1:0] words;
  logic [CountW-1:0] count;
  logic kernel_done, last_kernel, last_pass;

  assign kernel_done = word_push_o && left_q <= 32'(Y);
  assign last_kernel = kernel_q == beta_i.n_kern - 32'd1;
  assign last_pass = pass_q == derived_i.passes - 32'd1;

  always_ff @(posedge clk_i) begin
    if (!run_i) begin
      runs_left_q <= 1'b1;
      left_q <= derived_i.kern_words;
      kernel_q <= '0;
      pass_q <= '0;
    end else if (word_push_o) begin
      left_q <= kernel_done ? derived_i.kern_words : left_q - 32'(Y);
      if (kernel_done) begin
        kernel_q <= last_kernel ? '0 : kernel_q + 32'd1;
        if (last_kernel) pass_q <= pass_q + 32'd1;
        if (last_kernel && last_pass) runs_left_q <= 1'b0;
      end
    end
  end

  trim #(.Band(Band), .WordBits(WordBits), .WordW(WordW)) u_trim (
    .clk_i, .run_i,
    .range_word_i, .range_words_i, .range_next_o,
    .step_i(beat_pop_o), .beat_i(beat_data_i), .words_o(words), .count_o(count)
  );

  regroup #(.InLanes(Band), .OutLanes(Y), .WordBits(WordBits)) u_regroup (
    .clk_i, .run_i, .need_i(!runs_left_q ? '0 : (left_q < 32'(Y)) ? NeedW'(left_q) : NeedW'(Y)),
    .in_empty_i(beat_empty_i || !range_valid_i), .in_words_i(words), .in_count_i(count), .take_o(beat_pop_o),
    .out_full_i(word_full_i), .out_words_o(word_data_o), .give_o(word_push_o), .activity_o
  );

endmodule
