// FP32 product (NUM-1): round to nearest even, subnormal operands are zeros, results tiny after rounding are zeros, NaN is
// 7FC00000. Stages 0: combinational; 3: registers after the operands, the mantissa product and the rounding, enabled by en_i.
module fp32_mul #(
  parameter int Stages = 0
) (
  input  logic        clk_i,
  input  logic        en_i,
  input  logic [31:0] a_i,
  input  logic [31:0] b_i,
  output logic [31:0] z_o
);

  typedef struct packed {
    logic               sign;
    logic               nan;
    logic               inf;
    logic               zero;
    logic signed [9:0]  exponent;
    logic [47:0]        mantissa;
  } product_t;

  logic [31:0] a, b;
  product_t product_d, product;
  logic [31:0] z_d;

  logic a_zero, b_zero, a_inf, b_inf, a_nan, b_nan;
  assign a_zero = a[30:23] == 8'h00;
  assign b_zero = b[30:23] == 8'h00;
  assign a_inf = (a[30:23] == 8'hFF) && (a[22:0] == '0);
  assign b_inf = (b[30:23] == 8'hFF) && (b[22:0] == '0);
  assign a_nan = (a[30:23] == 8'hFF) && (a[22:0] != '0);
  assign b_nan = (b[30:23] == 8'hFF) && (b[22:0] != '0);

  assign product_d.sign = a[31] ^ b[31];
  assign product_d.nan = a_nan || b_nan || (a_inf && b_zero) || (b_inf && a_zero);
  assign product_d.inf = a_inf || b_inf;
  assign product_d.zero = a_zero || b_zero;
  assign product_d.exponent = $signed({2'b00, a[30:23]}) + $signed({2'b00, b[30:23]}) - 10'sd127;
  assign product_d.mantissa = {24'd0, 1'b1, a[22:0]} * {24'd0, 1'b1, b[22:0]};

  // The product is in [1, 4): moves its leading one to bit 47, then rounds at bit 24.
  logic [46:0] fraction;
  logic signed [9:0] exponent, rounded_exponent;
  logic round_up;
  logic [23:0] rounded;
  assign fraction = product.mantissa[47] ? product.mantissa[46:0] : {product.mantissa[45:0], 1'b0};
  assign exponent = product.exponent + (product.mantissa[47] ? 10'sd1 : 10'sd0);
  assign round_up = fraction[23] && ((|fraction[22:0]) || fraction[24]);
  assign rounded = {1'b0, fraction[46:24]} + {23'd0, round_up};
  assign rounded_exponent = exponent + (rounded[23] ? 10'sd1 : 10'sd0);

  always_comb begin
    if (product.nan) z_d = 32'h7FC00000;
    else if (product.inf) z_d = {product.sign, 8'hFF, 23'd0};
    else if (product.zero || rounded_exponent <= 10'sd0) z_d = {product.sign, 31'd0};
    else if (rounded_exponent >= 10'sd255) z_d = {product.sign, 8'hFF, 23'd0};
    else z_d = {product.sign, rounded_exponent[7:0], rounded[22:0]};
  end

  if (Stages == 0) begin : gen_comb
    logic unused_clocking;
    assign unused_clocking = clk_i ^ en_i;
    assign a = a_i;
    assign b = b_i;
    assign product = product_d;
    assign z_o = z_d;
  end else begin : gen_pipe
    always_ff @(posedge clk_i) begin
      if (en_i) begin
        a <= a_i;
        b <= b_i;
        product <= product_d;
        z_o <= z_d;
      end
    end
  end

endmodule
