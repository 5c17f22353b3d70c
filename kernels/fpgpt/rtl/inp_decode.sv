// INP decode (DEC-1): takes one beat of a window and gives its words in the same cycle.
module inp_decode #(
  parameter int Band = 16,
  parameter int WordBits = 32,
  parameter int WordW = framework_pkg::WordAddrW
) (
  input  logic                                        clk_i,
  input  logic                                        run_i,
  // The current window.
  input  logic                                        range_valid_i,
  input  logic [WordW-1:0]                            range_word_i,
  input  logic [31:0]                                 range_words_i,
  output logic                                        range_next_o,
  input  logic                                        beat_empty_i,
  input  logic [Band*WordBits-1:0]                    beat_data_i,
  output logic                                        beat_pop_o,
  input  logic                                        word_full_i,
  output logic [Band*WordBits-1:0]                    word_data_o,
  output logic [$clog2(Band+1)-1:0]                   word_count_o,
  output logic                                        word_push_o,
  output logic [1:0]                                  activity_o
);

  logic move;
  assign move = run_i && range_valid_i && !beat_empty_i && !word_full_i;
  assign beat_pop_o = move;
  assign word_push_o = move;

  trim #(.Band(Band), .WordBits(WordBits), .WordW(WordW)) u_trim (
    .clk_i, .run_i,
    .range_word_i, .range_words_i, .range_next_o,
    .step_i(move), .beat_i(beat_data_i), .words_o(word_data_o), .count_o(word_count_o)
  );

  assign activity_o = fpgpt_pkg::activity(move, range_valid_i && word_full_i, range_valid_i);

endmodule
