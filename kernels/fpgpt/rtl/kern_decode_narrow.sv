// KERN decode for F and GI (KERN-1): outputs the words of the range one by one.
module kern_decode_narrow #(
  parameter int Band = 16,
  parameter int WordBits = 32,
  parameter int WordW = framework_pkg::WordAddrW
) (
  input  logic                                        clk_i,
  input  logic                                        run_i,
  // The current range.
  input  logic                                        range_valid_i,
  input  logic [WordW-1:0]                            range_word_i,
  input  logic [31:0]                                 range_words_i,
  output logic                                        range_next_o,
  input  logic                                        beat_empty_i,
  input  logic [Band*WordBits-1:0]                    beat_data_i,
  output logic                                        beat_pop_o,
  input  logic                                        word_full_i,
  output logic [WordBits-1:0]                         word_data_o,
  output logic                                        word_push_o,
  output logic [1:0]                                  activity_o
);

  localparam int CountW = $clog2(Band + 1);

  logic [31:0] left_q;  // words left to output
  logic [Band*WordBits-1:0] words;
  logic [CountW-1:0] count;

  always_ff @(posedge clk_i) begin
    if (!run_i) left_q <= range_words_i;
    else if (word_push_o) left_q <= left_q - 32'd1;
  end

  trim #(.Band(Band), .WordBits(WordBits), .WordW(WordW)) u_trim (
    .clk_i, .run_i,
    .range_word_i, .range_words_i, .range_next_o,
    .step_i(beat_pop_o), .beat_i(beat_data_i), .words_o(words), .count_o(count)
  );

  regroup #(.InLanes(Band), .OutLanes(1), .WordBits(WordBits)) u_regroup (
    .clk_i, .run_i, .need_i(left_q != '0),
    .in_empty_i(beat_empty_i || !range_valid_i), .in_words_i(words), .in_count_i(count), .take_o(beat_pop_o),
    .out_full_i(word_full_i), .out_words_o(word_data_o), .give_o(word_push_o), .activity_o
  );

endmodule
