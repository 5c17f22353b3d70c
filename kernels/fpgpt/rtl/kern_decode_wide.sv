// KERN decode for F and GI with wide_kern_load (KERN-2): as DEC-1, the words of a beat in one token.
module kern_decode_wide #(
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
  output logic [Band*WordBits-1:0]                    word_data_o,
  output logic [$clog2(Band+1)-1:0]                   word_count_o,
  output logic                                        word_push_o,
  output logic [1:0]                                  activity_o
);

  inp_decode #(.Band(Band), .WordBits(WordBits), .WordW(WordW)) u_decode (
    .clk_i, .run_i,
    .range_valid_i, .range_word_i, .range_words_i, .range_next_o,
    .beat_empty_i, .beat_data_i, .beat_pop_o,
    .word_full_i, .word_data_o, .word_count_o, .word_push_o, .activity_o
  );

endmodule
