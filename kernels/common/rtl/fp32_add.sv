// FP32 sum (NUM-1): round to nearest even, subnormal operands are zeros, results tiny after rounding are zeros, NaN is 7FC00000.
// Stages 0: combinational; 1: a register after the aligned sum; 2: also a register after the rounding. en_i enables both.
module fp32_add #(
  parameter int Stages = 0
) (
  input  logic        clk_i,
  input  logic        en_i,
  input  logic [31:0] a_i,
  input  logic [31:0] b_i,
  output logic [31:0] z_o
);

  typedef struct packed {
    logic               nan;
    logic               inf;
    logic               sign;       // of the larger operand
    logic               zero_sign;  // if the sum is zero
    logic [7:0]         exponent;   // of the larger operand
    logic [27:0]        sum;        // carry, 24 bits, guard, round, sticky
  } aligned_t;

  aligned_t aligned_d, aligned;

  // First half: order by magnitude, align the smaller operand, add or subtract.
  logic a_nan, b_nan, a_inf, b_inf, swap;
  logic [31:0] upper;
  logic [30:0] lower;
  logic [23:0] upper_mantissa, lower_mantissa;
  logic [7:0] distance;
  logic [49:0] shifted;
  logic [26:0] lower_aligned;
  assign a_nan = (a_i[30:23] == 8'hFF) && (a_i[22:0] != '0);
  assign b_nan = (b_i[30:23] == 8'hFF) && (b_i[22:0] != '0);
  assign a_inf = (a_i[30:23] == 8'hFF) && (a_i[22:0] == '0);
  assign b_inf = (b_i[30:23] == 8'hFF) && (b_i[22:0] == '0);
  assign swap = b_i[30:0] > a_i[30:0];
  assign upper = swap ? b_i : a_i;
  assign lower = swap ? a_i[30:0] : b_i[30:0];
  assign upper_mantissa = (upper[30:23] == 8'h00) ? 24'd0 : {1'b1, upper[22:0]};
  assign lower_mantissa = (lower[30:23] == 8'h00) ? 24'd0 : {1'b1, lower[22:0]};
  assign distance = upper[30:23] - lower[30:23];
  assign shifted = {lower_mantissa, 26'd0} >> distance;
  // Above 26 positions only the sticky bit remains.
  assign lower_aligned = (distance > 8'd26) ? {26'd0, lower_mantissa != '0} : {shifted[49:24], |shifted[23:0]};

  assign aligned_d.nan = a_nan || b_nan || (a_inf && b_inf && (a_i[31] != b_i[31]));
  assign aligned_d.inf = a_inf || b_inf;
  assign aligned_d.sign = upper[31];
  assign aligned_d.zero_sign = a_i[31] && b_i[31];
  assign aligned_d.exponent = upper[30:23];
  assign aligned_d.sum = (a_i[31] ^ b_i[31]) ? {1'b0, upper_mantissa, 3'd0} - {1'b0, lower_aligned}
                                             : {1'b0, upper_mantissa, 3'd0} + {1'b0, lower_aligned};

  // Second half: bring the leading one to bit 27, round at bit 4.
  logic [4:0] zeros;
  logic [27:0] normal;
  logic round_up;
  logic [23:0] rounded;
  logic signed [9:0] exponent;
  always_comb begin
    zeros = 5'd28;
    for (int i = 0; i < 28; i++) begin
      if (aligned.sum[i]) zeros = 5'd27 - 5'(i);
    end
  end
  assign normal = aligned.sum << zeros;
  assign round_up = normal[3] && ((|normal[2:0]) || normal[4]);
  assign rounded = {1'b0, normal[26:4]} + {23'd0, round_up};
  assign exponent = $signed({2'b00, aligned.exponent}) + 10'sd1 - $signed({5'd0, zeros}) + (rounded[23] ? 10'sd1 : 10'sd0);

  logic [31:0] z_d;
  always_comb begin
    if (aligned.nan) z_d = 32'h7FC00000;
    else if (aligned.inf) z_d = {aligned.sign, 8'hFF, 23'd0};
    else if (!normal[27]) z_d = {aligned.zero_sign, 31'd0};
    else if (exponent <= 10'sd0) z_d = {aligned.sign, 31'd0};
    else if (exponent >= 10'sd255) z_d = {aligned.sign, 8'hFF, 23'd0};
    else z_d = {aligned.sign, exponent[7:0], rounded[22:0]};
  end

  if (Stages == 0) begin : gen_comb
    logic unused_clocking;
    assign unused_clocking = clk_i ^ en_i;
    assign aligned = aligned_d;
  end else begin : gen_middle
    always_ff @(posedge clk_i) begin
      if (en_i) aligned <= aligned_d;
    end
  end

  if (Stages < 2) begin : gen_no_output
    assign z_o = z_d;
  end else begin : gen_output
    always_ff @(posedge clk_i) begin
      if (en_i) z_o <= z_d;
    end
  end

endmodule
