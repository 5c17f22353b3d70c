// One element of the array in fixed point: a multiplier and one sum of 32 bits (NUM-5, NUM-6). The product of an array cycle is in
// the sum from the next on.
module pe_fxp #(
  parameter int WordBits = 8
) (
  input  logic                        clk_i,
  input  logic                        add_i,    // an array cycle that has a product
  input  logic                        first_i,  // the first of its sum
  input  logic signed [WordBits-1:0]  inp_i,
  input  logic signed [WordBits-1:0]  kern_i,
  output logic [31:0]                 sum_o
);

  logic signed [2*WordBits-1:0] product;
  logic [31:0] sum_q;
  assign product = inp_i * kern_i;

  always_ff @(posedge clk_i) begin
    if (add_i) sum_q <= (first_i ? 32'd0 : sum_q) + 32'(product);
  end

  assign sum_o = sum_q;

endmodule
