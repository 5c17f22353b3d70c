// One fixed-point element of the array: a multiplier and one 32-bit sum (NUM-5, NUM-6). The sum includes the product of
// an array cycle from the next cycle on.
module pe_fxp #(
  parameter int WordBits = 8
) (
  input  logic                        clk_i,
  input  logic                        add_i,    // an array cycle with a product
  input  logic                        first_i,  // the product is the first of its sum
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
