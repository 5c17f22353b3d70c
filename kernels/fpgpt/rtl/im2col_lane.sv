// One lane of im2col (I2C-3): its current output, and the place of the output's sample in the line buffer. Everything
// is one step ahead: the *_next_o outputs hold for the next cycle, for which the line buffer is read now.
module im2col_lane #(
  parameter int Z = 4,
  parameter int ZChannel = 16,
  parameter int Rows = 4        // rows of Z words in a half of the line buffer
) (
  input  logic                                        clk_i,
  input  logic                                        run_i,         // low: stay at the first set
  input  fpgpt_pkg::beta_t                            beta_i,
  input  fpgpt_pkg::derived_t                         derived_i,
  input  fpgpt_pkg::lane_t                            first_i,       // the lane in set 0
  input  logic                                        step_i,        // go to the next set
  input  logic                                        rewind_i,      // with step_i: to the first one
  // The position of the next cycle, as quotients and remainders by the INP dilation; row_q * W_INP + col_q.
  input  logic [15:0]                                 row_q_i,
  input  logic [15:0]                                 row_r_i,
  input  logic [15:0]                                 col_q_i,
  input  logic [15:0]                                 col_r_i,
  input  logic [31:0]                                 addr_i,
  input  logic [31:0]                                 start_i,       // start(s) of the next cycle
  output logic                                        ok_next_o,     // there is a sample
  output logic [framework_pkg::index_width(Z)-1:0]        bank_next_o,
  output logic [framework_pkg::index_width(Rows)-1:0]     row_next_o
);

  localparam int BankW = framework_pkg::index_width(Z);
  localparam int RowW = framework_pkg::index_width(Rows);
  // Computes a div Z by multiplying with the reciprocal, exact for every a of AddrW bits.
  localparam int AddrW = $clog2(ZChannel + 1);
  localparam int Shift = AddrW + $clog2(Z);
  localparam logic [63:0] Reciprocal = ((64'd1 << Shift) + 64'(Z) - 64'd1) / 64'(Z);

  fpgpt_pkg::lane_t lane_q, lane_d;

  // The step to the next set.
  logic wrap;
  logic [16:0] out_col_sum, row_r_sum, col_r_sum;
  logic row_carry, col_carry;
  always_comb begin
    out_col_sum = 17'(lane_q.out_col) + 17'(derived_i.x_mod);
    wrap = out_col_sum >= 17'(beta_i.out_w);
    row_r_sum = 17'(lane_q.row_r) + (wrap ? 17'(derived_i.set_row_r1) : 17'(derived_i.set_row_r0));
    col_r_sum = 17'(lane_q.col_r) + (wrap ? 17'(derived_i.set_col_r1) : 17'(derived_i.set_col_r0));
    row_carry = row_r_sum >= 17'(beta_i.inp_dil_h);
    col_carry = col_r_sum >= 17'(beta_i.inp_dil_w);

    lane_d = lane_q;
    if (!run_i || (step_i && rewind_i)) begin
      lane_d = first_i;
    end else if (step_i) begin
      lane_d.out_col = 16'(out_col_sum - (wrap ? 17'(beta_i.out_w) : 17'd0));
      lane_d.out_row = lane_q.out_row + derived_i.x_div + 16'(wrap);
      lane_d.valid = lane_d.out_row < beta_i.out_h;
      lane_d.row_r = 16'(row_r_sum - (row_carry ? 17'(beta_i.inp_dil_h) : 17'd0));
      lane_d.col_r = 16'(col_r_sum - (col_carry ? 17'(beta_i.inp_dil_w) : 17'd0));
      lane_d.row_q = lane_q.row_q + (wrap ? derived_i.set_row_q1 : derived_i.set_row_q0) + 18'(row_carry);
      lane_d.col_q = lane_q.col_q + (wrap ? derived_i.set_col_q1 : derived_i.set_col_q0) + 18'(col_carry);
      lane_d.addr = lane_q.addr + (wrap ? derived_i.set_addr1 : derived_i.set_addr0)
                  + (row_carry ? 32'(beta_i.inp_w) : 32'd0) + 32'(col_carry);
    end
  end

  always_ff @(posedge clk_i) lane_q <= lane_d;

  // The sample at the position: stored if both remainders are zero and both quotients are in the map.
  logic [16:0] row_r, col_r;
  logic row_up, col_up;
  logic signed [17:0] row, col;
  logic [31:0] addr;
  always_comb begin
    row_r = 17'(lane_d.row_r) + 17'(row_r_i);
    col_r = 17'(lane_d.col_r) + 17'(col_r_i);
    row_up = row_r == 17'(beta_i.inp_dil_h);
    col_up = col_r == 17'(beta_i.inp_dil_w);
    row = lane_d.row_q + $signed({2'b00, row_q_i}) + 18'(row_up);
    col = lane_d.col_q + $signed({2'b00, col_q_i}) + 18'(col_up);
    ok_next_o = lane_d.valid && (row_r == '0 || row_up) && (col_r == '0 || col_up)
              && row >= 18'sd0 && row < $signed({2'b00, beta_i.inp_h})
              && col >= 18'sd0 && col < $signed({2'b00, beta_i.inp_w});
    addr = lane_d.addr + addr_i - start_i + (row_up ? 32'(beta_i.inp_w) : 32'd0) + 32'(col_up);
  end

  logic [63:0] scaled;
  logic [AddrW-1:0] quotient;
  assign scaled = 64'(addr[AddrW-1:0]) * Reciprocal;
  assign quotient = AddrW'(scaled >> Shift);
  assign row_next_o = RowW'(quotient);
  assign bank_next_o = BankW'(32'(addr[AddrW-1:0]) - 32'(quotient) * 32'(Z));

`ifndef SYNTHESIS
  // A sample is within the window.
  a_sample_in_window: assert property (@(posedge clk_i) run_i && ok_next_o |-> addr < derived_i.zch);
`endif

endmodule
