// AXI4-Lite slave with a kernel's registers; the design's REGISTERS.md has the map. One read and one write at a time.
module axi_lite_regs #(
  parameter int Words = 30,     // words of beta
  parameter int Counters = 40   // activity counters
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  input  logic                        awvalid_i,
  output logic                        awready_o,
  input  logic [9:0]                  awaddr_i,
  input  logic                        wvalid_i,
  output logic                        wready_o,
  input  logic [31:0]                 wdata_i,
  input  logic [3:0]                  wstrb_i,
  output logic                        bvalid_o,
  input  logic                        bready_i,
  output logic [1:0]                  bresp_o,
  input  logic                        arvalid_i,
  output logic                        arready_o,
  input  logic [9:0]                  araddr_i,
  output logic                        rvalid_o,
  input  logic                        rready_i,
  output logic [31:0]                 rdata_o,
  output logic [1:0]                  rresp_o,
  // To and from the kernel.
  output logic                        start_o,     // for one cycle
  output logic [Words*32-1:0]         beta_o,
  input  logic                        busy_i,
  input  logic                        done_i,      // for one cycle
  input  logic [3:0]                  error_i,     // with done_i
  input  logic                        bus_error_i, // for one cycle
  input  logic [63:0]                 cycles_i,
  input  logic [Counters*32-1:0]      counters_i
);

  localparam int WordW = framework_pkg::index_width(Words);
  localparam logic [7:0] BetaFirst = 8'h08;
  localparam logic [7:0] CounterFirst = 8'h40;

  logic [31:0] beta_q [Words];
  logic done_q, bus_error_q;
  logic [3:0] error_q;

  // Write: address and data are taken together.
  logic write;
  logic [7:0] write_word, read_word;
  assign write = awvalid_i && wvalid_i && !bvalid_o;
  assign awready_o = write;
  assign wready_o = write;
  assign write_word = awaddr_i[9:2];
  assign bresp_o = 2'b00;
  assign start_o = write && write_word == 8'h00 && wstrb_i[0] && wdata_i[0] && !busy_i;

  for (genvar w = 0; w < Words; w++) begin : gen_beta
    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        beta_q[w] <= '0;
      end else if (write && !busy_i && write_word == BetaFirst + 8'(w)) begin
        for (int k = 0; k < 4; k++) begin
          if (wstrb_i[k]) beta_q[w][k*8 +: 8] <= wdata_i[k*8 +: 8];
        end
      end
    end
    assign beta_o[w*32 +: 32] = beta_q[w];
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      bvalid_o <= 1'b0;
      done_q <= 1'b0;
      error_q <= '0;
      bus_error_q <= 1'b0;
    end else begin
      bvalid_o <= write || (bvalid_o && !bready_i);
      if (start_o) begin
        done_q <= 1'b0;
        error_q <= '0;
        bus_error_q <= 1'b0;
      end else begin
        if (done_i) begin
          done_q <= 1'b1;
          error_q <= error_i;
        end
        if (bus_error_i) bus_error_q <= 1'b1;
      end
    end
  end

  // Read.
  logic [64*32-1:0] counters;
  always_comb begin
    counters = '0;
    counters[Counters*32-1:0] = counters_i;
  end
  logic [31:0] read_data;
  logic [7:0] read_beta, read_counter;
  assign read_word = araddr_i[9:2];
  assign read_beta = read_word - BetaFirst;
  assign read_counter = read_word - CounterFirst;
  always_comb begin
    read_data = '0;
    if (read_word == 8'h00) read_data = {29'd0, !busy_i, done_q, 1'b0};
    else if (read_word == 8'h01) read_data = {27'd0, bus_error_q, error_q};
    else if (read_word == 8'h02) read_data = cycles_i[31:0];
    else if (read_word == 8'h03) read_data = cycles_i[63:32];
    else if (read_word >= CounterFirst && read_counter < 8'(Counters)) read_data = counters[{read_counter[5:0], 5'd0} +: 32];
    else if (read_word >= BetaFirst && read_beta < 8'(Words)) read_data = beta_q[read_beta[WordW-1:0]];
  end
  assign arready_o = !rvalid_o;
  assign rresp_o = 2'b00;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      rvalid_o <= 1'b0;
    end else begin
      rvalid_o <= (arvalid_i && arready_o) || (rvalid_o && !rready_i);
      if (arvalid_i && arready_o) rdata_o <= read_data;
    end
  end

`ifndef SYNTHESIS
  // An offered response stays until it is accepted.
  a_response_stays: assert property (@(posedge clk_i) disable iff (!rst_ni) bvalid_o && !bready_i |=> bvalid_o);
  // An offered word stays until it is accepted.
  a_word_stays: assert property (@(posedge clk_i) disable iff (!rst_ni) rvalid_o && !rready_i
                                 |=> rvalid_o && $stable(rdata_o));
`endif

endmodule
