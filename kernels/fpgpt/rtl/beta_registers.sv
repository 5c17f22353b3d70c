// Decodes the register words of beta, from 0x20 on (REGISTERS.md).
module beta_registers #(
  parameter int Words = 30,
  parameter bit FixedPoint = 1'b0,  // bases count beats; INP_FIRST and KERN_FIRST exist
  parameter int BusBytes = 64
) (
  input  logic [Words*32-1:0]   words_i,
  output fpgpt_pkg::beta_t      beta_o
);

  logic [31:0] word [Words];
  for (genvar w = 0; w < Words; w++) begin : gen_word
    assign word[w] = words_i[w*32 +: 32];
  end

  assign beta_o.kind = word[0][1:0];
  assign beta_o.a = word[1];
  assign beta_o.n_inp = word[2];
  assign beta_o.n_kern = word[3];
  assign beta_o.c = word[4];
  assign beta_o.inp_h = word[5][15:0];
  assign beta_o.inp_w = word[6][15:0];
  assign beta_o.kern_h = word[7][15:0];
  assign beta_o.kern_w = word[8][15:0];
  assign beta_o.out_h = word[9][15:0];
  assign beta_o.out_w = word[10][15:0];
  assign beta_o.stride_h = word[11][15:0];
  assign beta_o.stride_w = word[12][15:0];
  assign beta_o.pad_h = word[13][15:0];
  assign beta_o.pad_w = word[14][15:0];
  assign beta_o.inp_dil_h = word[15][15:0];
  assign beta_o.inp_dil_w = word[16][15:0];
  assign beta_o.kern_dil_h = word[17][15:0];
  assign beta_o.kern_dil_w = word[18][15:0];
  if (FixedPoint) begin : gen_fixed_point
    assign beta_o.inp_first = 62'(word[30]);
    assign beta_o.inp_beat = {word[20], word[19]} / 64'(BusBytes);
    assign beta_o.kern_first = 62'(word[31]);
    assign beta_o.kern_beat = {word[22], word[21]} / 64'(BusBytes);
  end else begin : gen_fp32
    assign beta_o.inp_first = {word[20], word[19][31:2]};
    assign beta_o.inp_beat = '0;
    assign beta_o.kern_first = {word[22], word[21][31:2]};
    assign beta_o.kern_beat = '0;
  end
  assign beta_o.out_base = {word[24], word[23]};
  assign beta_o.inp_pitch_a = word[25];
  assign beta_o.inp_pitch_n = word[26];
  assign beta_o.inp_pitch_c = word[27];
  assign beta_o.kern_pitch_a = word[28];
  assign beta_o.out_pitch_n = word[29];

endmodule
