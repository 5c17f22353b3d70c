// A launch (BLC-1 to BLC-4): requests the beat of RT, CT and K on port a, stores the counts, and rejects an invalid
// GEMM. Cycle 0 is the third cycle after the one that takes the beat.
module gemm_launch #(
  parameter int Tr = 2,
  parameter int Tc = 2
) (
  input  logic          clk_i,
  input  logic          rst_ni,
  input  logic          start_i,
  input  logic          aligned_i,      // A, B and C are page-aligned
  input  logic          finished_i,     // the last response is taken
  // The parameter beat.
  output logic          arvalid_o,
  input  logic          arready_i,
  input  logic          rvalid_i,
  output logic          rready_o,
  input  logic [95:0]   rdata_i,        // first three words of the beat
  input  logic          rerror_i,
  // To and from the kernel.
  output logic          busy_o,
  output logic          running_o,      // cycles 0 to T-1
  output logic          run_o,          // also T, in which the GEMM is drained
  output logic          refused_o,      // for one cycle, with error_o
  output logic          done_o,         // for one cycle: in T
  output logic [3:0]    error_o,
  output logic [31:0]   rt_o,
  output logic [31:0]   ct_o,
  output logic [31:0]   k_o,
  output logic [31:0]   words_o,        // words of C, mod 2^32; 1 until they are known, in cycle 2
  output logic          sized_o         // high from cycle 3 on
);

  typedef enum logic [2:0] {StIdle, StAsk, StWait, StStore, StSettle, StRun, StDrained} state_e;
  state_e state_q;
  logic failed_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= StIdle;
    end else begin
      unique case (state_q)
        StIdle: if (start_i) state_q <= StAsk;
        StAsk: if (arready_i) state_q <= StWait;
        StWait: if (rvalid_i) state_q <= StStore;
        StStore: state_q <= (error_o == '0) ? StSettle : StIdle;
        StSettle: state_q <= StRun;
        StRun: if (finished_i) state_q <= StDrained;
        default: state_q <= StIdle;
      endcase
    end
  end

  assign arvalid_o = state_q == StAsk;
  assign rready_o = state_q == StWait;
  assign busy_o = state_q != StIdle;
  assign running_o = state_q == StRun;
  assign run_o = running_o || state_q == StDrained;
  assign refused_o = state_q == StStore && error_o != '0;
  assign done_o = state_q == StDrained;

  always_ff @(posedge clk_i) begin
    if (rready_o && rvalid_i) begin
      {k_o, ct_o, rt_o} <= rdata_i;
      failed_q <= rerror_i;
    end
  end
  always_comb begin
    error_o = 4'd0;
    if (failed_q) error_o = 4'd3;
    else if (rt_o == '0 || ct_o == '0 || k_o == '0) error_o = 4'd1;
    else if (!aligned_i) error_o = 4'd2;
  end

  // RT*CT*Tr*Tc, at most one product of 16 by 16 bits per step; known in cycle 2. The earliest row of C is in its FIFO in cycle 6.
  localparam logic [31:0] TileWords = 32'(Tr * Tc);
  logic [31:0] low_q, cross0_q, cross1_q, tiles_q, words_low_q, words_high0_q, words_high1_q, words_q;
  logic [2:0] settled_q;
  always_ff @(posedge clk_i) begin
    low_q <= 32'(rt_o[15:0]) * 32'(ct_o[15:0]);
    cross0_q <= 32'(rt_o[31:16]) * 32'(ct_o[15:0]);
    cross1_q <= 32'(rt_o[15:0]) * 32'(ct_o[31:16]);
    tiles_q <= low_q + {cross0_q[15:0] + cross1_q[15:0], 16'd0};
    words_low_q <= 32'(tiles_q[15:0]) * 32'(TileWords[15:0]);
    words_high0_q <= 32'(tiles_q[31:16]) * 32'(TileWords[15:0]);
    words_high1_q <= 32'(tiles_q[15:0]) * 32'(TileWords[31:16]);
    words_q <= words_low_q + {words_high0_q[15:0] + words_high1_q[15:0], 16'd0};
    settled_q <= run_o ? {settled_q[1:0], 1'b1} : '0;
  end
  assign words_o = settled_q[1] ? words_q : 32'd1;
  assign sized_o = run_o && settled_q[2];

  logic unused_upper;
  assign unused_upper = ^{cross0_q[31:16], cross1_q[31:16], words_high0_q[31:16], words_high1_q[31:16]};

endmodule
