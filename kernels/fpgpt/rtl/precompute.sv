// Before cycle 0: derives the values of section 2 from beta, fills the table of start(s), finds Zch, sets up the im2col lanes, and checks
// that the convolution fits. One multiplier and one divider execute a list of steps; then a sweep visits one output of a map per cycle.
module precompute #(
  parameter int X = 4,
  parameter int Y = 4,
  parameter int Z = 4,
  parameter int ZChannel = 16,
  parameter int KRange = 16,
  parameter int KernWords = 16,
  parameter int OutWords = 16,
  parameter int MaxSets = 16,
  parameter int FinalCycles = 8,  // F
  parameter bit PackedGwSets = 1'b0,
  parameter bit HasFgi = 1'b1,
  parameter bit HasGw = 1'b1
) (
  input  logic                                           clk_i,
  input  logic                                           rst_ni,
  input  logic                                           start_i,
  input  fpgpt_pkg::beta_t                               beta_i,
  output logic                                           done_o,   // for one cycle
  output logic [3:0]                                     error_o,  // with done_o: number of the violated limit, 0 if none
  output fpgpt_pkg::derived_t                            derived_o,
  output logic                                           table_we_o,
  output logic [framework_pkg::index_width(MaxSets)-1:0]     table_addr_o,
  output logic [31:0]                                    table_data_o,
  output logic                                           lanes_clear_o,
  output logic                                           lane_we_o,
  output logic [framework_pkg::index_width(X)-1:0]           lane_index_o,
  output fpgpt_pkg::lane_t                               lane_o
);

  // Capacity of the buffers (section 2). F/GI: words of a row's kernels, and X-sets of a half; GW: words of a kernel, and X-sets.
  localparam int FgiKernWords = KernWords / Y;
  localparam int FgiOutRows = OutWords / (2 * X);
  localparam int GwKernWords = KernWords / (2 * Y);
  localparam int GwOutRows = OutWords / X;
  localparam int MinSpacing = (Y > FinalCycles) ? Y : FinalCycles;  // minimum distance of sets: P is at least this

  typedef enum logic [2:0] {StIdle, StFetch, StDivide, StStore, StSweep, StCheck, StDone} state_e;
  state_e state_q;
  logic [5:0] step_q;

  localparam logic [5:0] StepSweep = 6'd33;  // the sweep follows the step before this one
  localparam logic [5:0] StepLast = 6'd33;

  fpgpt_pkg::derived_t d_q;
  logic [3:0] error_q;
  assign derived_o = d_q;

  logic is_gw;
  assign is_gw = beta_i.kind == fpgpt_pkg::KindGw;

  // Constants of the sweep: quotients and remainders by the INP dilation.
  logic signed [17:0] row_first_q, col_first_q;                       // coordinate of the first output
  logic [15:0] row_first_r_q, col_first_r_q;
  logic [15:0] row_window_q, row_window_r_q, col_window_q, col_window_r_q;  // extent of the window
  logic [15:0] row_stride_q, row_stride_r_q, col_stride_q, col_stride_r_q;  // stride
  logic [31:0] row_step0_q, row_step1_q, col_step0_q, align_m_q, hw_out_q, last_group_q, area_q;
  logic signed [31:0] col_step1_q;
  logic [31:0] kern_need_q, out_need_q;
  logic kern_wide_q, range_wide_q, out_wide_q;  // kern_words, kern_range and out_need exceed 32 bits

  // The list of steps: operation and operands.
  logic divide;
  logic signed [31:0] op_a, op_b;
  always_comb begin
    divide = 1'b0;
    op_a = '0;
    op_b = 32'sd1;
    unique case (step_q)
      6'd0: begin op_a = 32'(beta_i.kern_dil_h); op_b = 32'(beta_i.kern_h) - 32'd1; end
      6'd1: begin op_a = 32'(beta_i.kern_dil_w); op_b = 32'(beta_i.kern_w) - 32'd1; end
      6'd2: begin op_a = d_q.hk; op_b = d_q.wk; end
      6'd3: begin op_a = area_q; op_b = beta_i.c; end
      6'd4: begin op_a = 32'(beta_i.out_h); op_b = 32'(beta_i.out_w); end
      6'd5: begin divide = 1'b1; op_a = hw_out_q + 32'(X - 1); op_b = 32'(X); end
      6'd6: begin divide = 1'b1; op_a = beta_i.n_kern + 32'(Y - 1); op_b = 32'(Y); end
      6'd7: begin op_a = beta_i.a; op_b = beta_i.n_inp; end
      6'd8: begin op_a = 32'(beta_i.kern_h); op_b = 32'(beta_i.kern_w); end
      6'd9: begin op_a = d_q.kern_map; op_b = beta_i.c; end
      6'd10: begin op_a = d_q.kern_words; op_b = beta_i.n_kern; end
      6'd11: begin divide = 1'b1; op_a = d_q.kern_words + 32'(Y - 1); op_b = 32'(Y); end
      6'd12: begin divide = 1'b1; op_a = d_q.m + 32'(Y - 1); op_b = 32'(Y); end
      6'd13: begin op_a = align_m_q; op_b = 32'(Y); end
      6'd14: begin divide = 1'b1; op_a = 32'sd0 - 32'(beta_i.pad_h); op_b = 32'(beta_i.inp_dil_h); end
      6'd15: begin divide = 1'b1; op_a = 32'sd0 - 32'(beta_i.pad_w); op_b = 32'(beta_i.inp_dil_w); end
      6'd16: begin divide = 1'b1; op_a = d_q.hk - 32'd1; op_b = 32'(beta_i.inp_dil_h); end
      6'd17: begin divide = 1'b1; op_a = d_q.wk - 32'd1; op_b = 32'(beta_i.inp_dil_w); end
      6'd18: begin divide = 1'b1; op_a = 32'(beta_i.stride_h); op_b = 32'(beta_i.inp_dil_h); end
      6'd19: begin divide = 1'b1; op_a = 32'(beta_i.stride_w); op_b = 32'(beta_i.inp_dil_w); end
      6'd20: begin divide = 1'b1; op_a = 32'(X); op_b = 32'(beta_i.out_w); end
      6'd21: begin op_a = 32'(beta_i.stride_h); op_b = 32'(d_q.x_div); end
      6'd22: begin op_a = 32'(beta_i.stride_w); op_b = 32'(d_q.x_mod); end
      6'd23: begin op_a = 32'(beta_i.stride_w); op_b = 32'(d_q.x_mod) - 32'(beta_i.out_w); end
      6'd24: begin divide = 1'b1; op_a = row_step0_q; op_b = 32'(beta_i.inp_dil_h); end
      6'd25: begin divide = 1'b1; op_a = row_step1_q; op_b = 32'(beta_i.inp_dil_h); end
      6'd26: begin divide = 1'b1; op_a = col_step0_q; op_b = 32'(beta_i.inp_dil_w); end
      6'd27: begin divide = 1'b1; op_a = col_step1_q; op_b = 32'(beta_i.inp_dil_w); end
      6'd28: begin op_a = hw_out_q; op_b = d_q.maps; end
      6'd29: begin op_a = d_q.image_words; op_b = d_q.images; end
      6'd30: begin op_a = d_q.groups - 32'd1; op_b = 32'(Y); end
      6'd31: begin op_a = is_gw ? d_q.sets : d_q.groups; op_b = is_gw ? beta_i.n_inp : d_q.kern_words; end
      6'd32: begin op_a = is_gw ? kern_need_q : d_q.sets; op_b = is_gw ? beta_i.n_kern : 32'(Y); end
      6'd33: begin divide = 1'b1; op_a = zch_q + 32'(Z - 1); op_b = 32'(Z); end
      default: begin end
    endcase
  end

  // Both halves of a product. A product with a non-zero upper half exceeds every buffer.
  logic [63:0] product;
  assign product = 64'(unsigned'(op_a)) * 64'(unsigned'(op_b));

  // Restoring division, one bit per cycle, rounding down: a negative a is divided as -1 - floor((-a - 1) / b).
  logic [31:0] rest_q, dividend_q, quotient_q, divisor_q;
  logic [4:0] bit_q;
  logic negative_q;
  logic [32:0] shifted_rest;
  assign shifted_rest = {rest_q, dividend_q[31]};
  logic signed [31:0] result;
  logic [15:0] remainder;
  logic wide;
  assign wide = rest_q != '0;
  assign result = negative_q ? ~quotient_q : quotient_q;
  assign remainder = 16'(negative_q ? divisor_q - 32'd1 - rest_q : rest_q);

  // The sweep over the outputs of a map.
  logic [31:0] sweep_left_q, set_q, lane_q;
  logic [15:0] out_row_q, out_col_q;
  logic signed [17:0] row_q, col_q;
  logic [15:0] row_r_q, col_r_q;
  logic any_q;
  logic [31:0] low_q, high_q, zch_q;

  logic signed [17:0] row_low, row_high, col_low, col_high;
  logic touched, set_end, any;
  logic [31:0] low, high;
  always_comb begin
    row_low = row_q + ((row_r_q != '0) ? 18'sd1 : 18'sd0);
    if (row_low < 18'sd0) row_low = '0;
    row_high = row_q + $signed({2'b00, row_window_q})
             + ((17'(row_r_q) + 17'(row_window_r_q) >= 17'(beta_i.inp_dil_h)) ? 18'sd1 : 18'sd0);
    if (row_high >= $signed({2'b00, beta_i.inp_h})) row_high = $signed({2'b00, beta_i.inp_h}) - 18'sd1;
    col_low = col_q + ((col_r_q != '0) ? 18'sd1 : 18'sd0);
    if (col_low < 18'sd0) col_low = '0;
    col_high = col_q + $signed({2'b00, col_window_q})
             + ((17'(col_r_q) + 17'(col_window_r_q) >= 17'(beta_i.inp_dil_w)) ? 18'sd1 : 18'sd0);
    if (col_high >= $signed({2'b00, beta_i.inp_w})) col_high = $signed({2'b00, beta_i.inp_w}) - 18'sd1;
    touched = row_low <= row_high && col_low <= col_high;
    low = 32'(unsigned'(row_low[15:0])) * 32'(beta_i.inp_w) + 32'(unsigned'(col_low[15:0]));
    high = 32'(unsigned'(row_high[15:0])) * 32'(beta_i.inp_w) + 32'(unsigned'(col_high[15:0]));
    if (any_q && (!touched || low_q < low)) low = low_q;
    if (any_q && (!touched || high_q > high)) high = high_q;
    any = any_q || touched;
    set_end = lane_q == 32'(X - 1) || sweep_left_q == 32'd1;
  end

  assign table_we_o = state_q == StSweep && set_end;
  assign table_addr_o = set_q[framework_pkg::index_width(MaxSets)-1:0];
  assign table_data_o = any ? low : '0;

  assign lanes_clear_o = state_q == StFetch && step_q == '0;
  assign lane_we_o = state_q == StSweep && set_q == '0;
  assign lane_index_o = lane_q[framework_pkg::index_width(X)-1:0];
  always_comb begin
    lane_o.valid = 1'b1;
    lane_o.out_row = out_row_q;
    lane_o.out_col = out_col_q;
    lane_o.row_q = row_q;
    lane_o.row_r = row_r_q;
    lane_o.col_q = col_q;
    lane_o.col_r = col_r_q;
    lane_o.addr = 32'(row_q) * 32'(beta_i.inp_w) + 32'(col_q);
  end

  // Limits, with the numbers of REGISTERS.md.
  logic [3:0] error;
  logic dense;
  assign dense = beta_i.out_pitch_n == d_q.image_words || d_q.images == 32'd1;
  always_comb begin
    error = '0;
    if (is_gw ? !HasGw : !HasFgi) error = 4'd1;
    else if (beta_i.a == '0 || beta_i.n_inp == '0 || beta_i.n_kern == '0 || beta_i.c == '0 || hw_out_q == '0
             || beta_i.inp_h == '0 || beta_i.inp_w == '0 || d_q.kern_map == '0 || beta_i.stride_h == '0
             || beta_i.stride_w == '0 || beta_i.inp_dil_h == '0 || beta_i.inp_dil_w == '0 || beta_i.kern_dil_h == '0
             || beta_i.kern_dil_w == '0) error = 4'd2;
    else if (d_q.sets > 32'(MaxSets)) error = 4'd3;
    else if (d_q.zch > 32'(ZChannel)) error = 4'd4;
    else if (is_gw ? kern_wide_q || d_q.kern_words > 32'(GwKernWords)
                   : kern_wide_q || range_wide_q || d_q.kern_range > 32'(KernWords) || kern_need_q > 32'(FgiKernWords)) error = 4'd5;
    else if (out_wide_q || out_need_q > 32'(is_gw ? GwOutRows : FgiOutRows)) error = 4'd6;
    else if (is_gw && (range_wide_q || d_q.kern_range > 32'(KRange))) error = 4'd7;
  end
  // Sizes with which no division or sweep can start.
  logic unusable;
  assign unusable = beta_i.out_h == '0 || beta_i.out_w == '0 || beta_i.inp_dil_h == '0 || beta_i.inp_dil_w == '0;

  assign done_o = state_q == StDone;
  assign error_o = error_q;

  logic [31:0] p_min;
  assign p_min = (!is_gw || PackedGwSets) ? d_q.m : align_m_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= StIdle;
      error_q <= '0;
    end else begin
      unique case (state_q)
        StIdle: if (start_i) begin
          step_q <= '0;
          error_q <= unusable ? 4'd2 : 4'd0;
          state_q <= unusable ? StDone : StFetch;
        end
        StFetch: begin
          bit_q <= 5'd31;
          rest_q <= divide ? '0 : product[63:32];
          divisor_q <= op_b;
          negative_q <= divide && op_a < 0;
          dividend_q <= (op_a < 0) ? ~op_a : op_a;
          quotient_q <= product[31:0];
          state_q <= divide ? StDivide : StStore;
        end
        StDivide: begin
          dividend_q <= dividend_q << 1;
          if (shifted_rest >= {1'b0, divisor_q}) begin
            rest_q <= 32'(shifted_rest - {1'b0, divisor_q});
            quotient_q <= {quotient_q[30:0], 1'b1};
          end else begin
            rest_q <= shifted_rest[31:0];
            quotient_q <= {quotient_q[30:0], 1'b0};
          end
          bit_q <= bit_q - 5'd1;
          if (bit_q == '0) state_q <= StStore;
        end
        StStore: begin
          step_q <= step_q + 6'd1;
          state_q <= (step_q == StepSweep - 6'd1) ? StSweep : (step_q == StepLast) ? StCheck : StFetch;
        end
        StSweep: if (sweep_left_q == 32'd1) state_q <= StFetch;
        StCheck: begin
          error_q <= error;
          state_q <= StDone;
        end
        default: state_q <= StIdle;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (state_q == StStore) begin
      unique case (step_q)
        6'd0: d_q.hk <= result + 32'd1;
        6'd1: d_q.wk <= result + 32'd1;
        6'd2: area_q <= result;
        6'd3: d_q.m <= result;
        6'd4: hw_out_q <= result;
        6'd5: d_q.sets <= result;
        6'd6: d_q.groups <= result;
        6'd7: d_q.passes <= result;
        6'd8: d_q.kern_map <= result;
        6'd9: begin d_q.kern_words <= result; kern_wide_q <= wide; end
        6'd10: begin d_q.kern_range <= result; range_wide_q <= wide; end
        6'd11: d_q.kern_chunks <= result;
        6'd12: align_m_q <= result;
        6'd13: align_m_q <= result;
        6'd14: begin row_first_q <= 18'(result); row_first_r_q <= remainder; end
        6'd15: begin col_first_q <= 18'(result); col_first_r_q <= remainder; end
        6'd16: begin row_window_q <= 16'(result); row_window_r_q <= remainder; end
        6'd17: begin col_window_q <= 16'(result); col_window_r_q <= remainder; end
        6'd18: begin row_stride_q <= 16'(result); row_stride_r_q <= remainder; end
        6'd19: begin col_stride_q <= 16'(result); col_stride_r_q <= remainder; end
        6'd20: begin d_q.x_div <= 16'(result); d_q.x_mod <= remainder; end
        6'd21: begin
          row_step0_q <= result;
          row_step1_q <= result + 32'(beta_i.stride_h);
          d_q.p <= (p_min > 32'(MinSpacing)) ? p_min : 32'(MinSpacing);
        end
        6'd22: begin
          col_step0_q <= result;
          d_q.maps <= is_gw ? beta_i.n_inp : beta_i.n_kern;
          d_q.images <= is_gw ? beta_i.n_kern : d_q.passes;
        end
        6'd23: col_step1_q <= result;
        6'd24: begin d_q.set_row_q0 <= 18'(result); d_q.set_row_r0 <= remainder; end
        6'd25: begin d_q.set_row_q1 <= 18'(result); d_q.set_row_r1 <= remainder; end
        6'd26: begin d_q.set_col_q0 <= 18'(result); d_q.set_col_r0 <= remainder; end
        6'd27: begin d_q.set_col_q1 <= 18'(result); d_q.set_col_r1 <= remainder; end
        6'd28: d_q.image_words <= result;
        6'd29: begin
          d_q.runs <= dense ? 32'd1 : d_q.images;
          d_q.run_words <= dense ? result : d_q.image_words;
        end
        6'd30: begin
          d_q.last_rows <= beta_i.n_kern - result;
          d_q.set_addr0 <= 32'(d_q.set_row_q0) * 32'(beta_i.inp_w) + 32'(d_q.set_col_q0);
        end
        6'd31: begin
          out_wide_q <= is_gw && wide;
          kern_need_q <= result;
          d_q.set_addr1 <= 32'(d_q.set_row_q1) * 32'(beta_i.inp_w) + 32'(d_q.set_col_q1);
        end
        6'd32: begin out_need_q <= result; out_wide_q <= out_wide_q || wide; end
        6'd33: d_q.z_groups <= result;
        default: begin end
      endcase
    end

    if (state_q == StStore) begin
      sweep_left_q <= hw_out_q;
      set_q <= '0;
      lane_q <= '0;
      out_row_q <= '0;
      out_col_q <= '0;
      row_q <= row_first_q;
      row_r_q <= row_first_r_q;
      col_q <= col_first_q;
      col_r_q <= col_first_r_q;
      any_q <= 1'b0;
      if (step_q == StepSweep - 6'd1) zch_q <= 32'd1;
    end else if (state_q == StSweep) begin
      sweep_left_q <= sweep_left_q - 32'd1;
      lane_q <= set_end ? '0 : lane_q + 32'd1;
      any_q <= !set_end && any;
      low_q <= low;
      high_q <= high;
      if (set_end) begin
        set_q <= set_q + 32'd1;
        if (any && high - low + 32'd1 > zch_q) zch_q <= high - low + 32'd1;
      end
      if (out_col_q == beta_i.out_w - 16'd1) begin
        out_col_q <= '0;
        out_row_q <= out_row_q + 16'd1;
        col_q <= col_first_q;
        col_r_q <= col_first_r_q;
        if (17'(row_r_q) + 17'(row_stride_r_q) >= 17'(beta_i.inp_dil_h)) begin
          row_r_q <= row_r_q + row_stride_r_q - beta_i.inp_dil_h;
          row_q <= row_q + $signed({2'b00, row_stride_q}) + 18'sd1;
        end else begin
          row_r_q <= row_r_q + row_stride_r_q;
          row_q <= row_q + $signed({2'b00, row_stride_q});
        end
      end else begin
        out_col_q <= out_col_q + 16'd1;
        if (17'(col_r_q) + 17'(col_stride_r_q) >= 17'(beta_i.inp_dil_w)) begin
          col_r_q <= col_r_q + col_stride_r_q - beta_i.inp_dil_w;
          col_q <= col_q + $signed({2'b00, col_stride_q}) + 18'sd1;
        end else begin
          col_r_q <= col_r_q + col_stride_r_q;
          col_q <= col_q + $signed({2'b00, col_stride_q});
        end
      end
    end
    d_q.zch <= zch_q;
    d_q.last_set_words <= hw_out_q - last_group_q;
    if (state_q == StSweep && lane_q == '0) last_group_q <= hw_out_q - sweep_left_q;
  end

endmodule
