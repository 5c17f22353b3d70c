// The FP32 units for the bench, each combinational and pipelined.
module fp_top (
  input  logic        clk_i,
  input  logic [31:0] a_i,
  input  logic [31:0] b_i,
  output logic [31:0] product_o,
  output logic [31:0] sum_o,
  output logic [31:0] product3_o,  // three cycles later
  output logic [31:0] sum2_o       // two cycles later
);

  fp32_mul #(.Stages(0)) u_mul (.clk_i, .en_i(1'b1), .a_i, .b_i, .z_o(product_o));
  fp32_add #(.Stages(0)) u_add (.clk_i, .en_i(1'b1), .a_i, .b_i, .z_o(sum_o));
  fp32_mul #(.Stages(3)) u_mul3 (.clk_i, .en_i(1'b1), .a_i, .b_i, .z_o(product3_o));
  fp32_add #(.Stages(2)) u_add2 (.clk_i, .en_i(1'b1), .a_i, .b_i, .z_o(sum2_o));

endmodule
