// One element of the array: a multiplier, an adder and four partial sums (NUM-1, NUM-2). Operands of array cycle t: product at t+3,
// in its partial sum from t+5. Products of one partial sum are four cycles apart, so the two-cycle adder always finds the sum ready.
module pe (
  input  logic          clk_i,
  input  logic          en_i,          // an array cycle
  input  logic [31:0]   inp_i,
  input  logic [31:0]   kern_i,
  // For the product of three array cycles ago: its partial sum, and whether it is the first of the sum.
  input  logic [1:0]    add_select_i,
  input  logic          add_first_i,
  // For the product of four array cycles ago: whether it exists, and its partial sum.
  input  logic          write_i,
  input  logic [1:0]    write_select_i,
  output logic [127:0]  partials_o
);

  logic [31:0] partial_q [4];
  logic [31:0] product, sum;

  fp32_mul #(.Stages(3)) u_mul (.clk_i, .en_i, .a_i(inp_i), .b_i(kern_i), .z_o(product));
  fp32_add #(.Stages(1)) u_add (
    .clk_i, .en_i, .a_i(add_first_i ? 32'd0 : partial_q[add_select_i]), .b_i(product), .z_o(sum)
  );

  always_ff @(posedge clk_i) begin
    if (en_i && write_i) partial_q[write_select_i] <= sum;
  end

  assign partials_o = {partial_q[3], partial_q[2], partial_q[1], partial_q[0]};

endmodule
