// FIFO registered on both sides (GEN-1, GEN-2): full_o and empty_o depend on the state at the start of the cycle, so a
// token pushed in cycle t can be popped from t+1 and a slot freed in t can be filled from t+1. run_i low empties it.
module fifo #(
  parameter int Width = 32,
  parameter int Depth = 2
) (
  input  logic             clk_i,
  input  logic             run_i,
  input  logic             push_i /* verilator public_flat_rd */,
  input  logic [Width-1:0] data_i /* verilator public_flat_rd */,
  output logic             full_o /* verilator public_flat_rd */,
  input  logic             pop_i /* verilator public_flat_rd */,
  output logic [Width-1:0] data_o /* verilator public_flat_rd */,
  output logic             empty_o /* verilator public_flat_rd */
);

  localparam int PtrW = framework_pkg::index_width(Depth);
  localparam int CountW = $clog2(Depth + 1);

  logic [Width-1:0] mem [Depth];
  logic [PtrW-1:0] wptr_q, rptr_q;
  logic [CountW-1:0] count_q;

  assign full_o = count_q == CountW'(Depth);
  assign empty_o = count_q == '0;
  assign data_o = mem[rptr_q];

  always_ff @(posedge clk_i) begin
    if (push_i) mem[wptr_q] <= data_i;
  end

  always_ff @(posedge clk_i) begin
    if (!run_i) begin
      wptr_q <= '0;
      rptr_q <= '0;
      count_q <= '0;
    end else begin
      if (push_i) wptr_q <= (wptr_q == PtrW'(Depth - 1)) ? '0 : wptr_q + PtrW'(1);
      if (pop_i) rptr_q <= (rptr_q == PtrW'(Depth - 1)) ? '0 : rptr_q + PtrW'(1);
      if (push_i && !pop_i) count_q <= count_q + CountW'(1);
      if (pop_i && !push_i) count_q <= count_q - CountW'(1);
    end
  end

`ifndef SYNTHESIS
  // A full FIFO is not pushed.
  a_no_push_when_full: assert property (@(posedge clk_i) run_i && push_i |-> !full_o);
  // An empty FIFO is not popped.
  a_no_pop_when_empty: assert property (@(posedge clk_i) run_i && pop_i |-> !empty_o);
`endif

endmodule
