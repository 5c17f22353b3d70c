// INP construct (CON-1): regroups a window into groups of Z words, the last with the remainder. Windows are not mixed.
module inp_construct #(
  parameter int Band = 16,
  parameter int WordBits = 32,
  parameter int Z = 4
) (
  input  logic                              clk_i,
  input  logic                              run_i,
  input  fpgpt_pkg::beta_t                  beta_i,
  input  fpgpt_pkg::derived_t               derived_i,
  input  logic                              word_empty_i,
  input  logic [Band*WordBits-1:0]          word_data_i,
  input  logic [$clog2(Band+1)-1:0]         word_count_i,
  output logic                              word_pop_o,
  input  logic                              group_full_i,
  output logic [Z*WordBits-1:0]             group_data_o,
  output logic                              group_push_o,
  output logic [1:0]                        activity_o
);

  localparam int NeedW = $clog2(Z + 1);

  logic [31:0] left_q;     // words of the window left to output
  logic windows_left;
  logic [NeedW-1:0] need;
  logic give, window_done;

  assign need = !windows_left ? '0 : (left_q < 32'(Z)) ? NeedW'(left_q) : NeedW'(Z);
  assign window_done = give && left_q <= 32'(Z);

  always_ff @(posedge clk_i) begin
    if (!run_i || window_done) left_q <= derived_i.zch;
    else if (give) left_q <= left_q - 32'(Z);
  end

  window_counter u_windows (.clk_i, .run_i, .beta_i, .derived_i, .next_i(window_done), .valid_o(windows_left));

  regroup #(.InLanes(Band), .OutLanes(Z), .WordBits(WordBits)) u_regroup (
    .clk_i, .run_i, .need_i(need),
    .in_empty_i(word_empty_i), .in_words_i(word_data_i), .in_count_i(word_count_i), .take_o(word_pop_o),
    .out_full_i(group_full_i), .out_words_o(group_data_o), .give_o(give), .activity_o
  );
  assign group_push_o = give;

endmodule
