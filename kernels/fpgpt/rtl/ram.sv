// RAM with one write port and one registered read port, both for a whole row. The reader presents the address for the
// next cycle. A row written in this cycle is visible then, so a value stored in cycle t is readable from t+1.
module ram #(
  parameter int Width = 32,
  parameter int Depth = 2
) (
  input  logic                                        clk_i,
  input  logic                                        we_i,
  input  logic [framework_pkg::index_width(Depth)-1:0]    waddr_i,
  input  logic [Width-1:0]                            wdata_i,
  input  logic [framework_pkg::index_width(Depth)-1:0]    raddr_i,  // address for the next cycle
  output logic [Width-1:0]                            rdata_o
);

  logic [Width-1:0] mem [Depth];
  logic [Width-1:0] rdata_q, forward_q;
  logic forwarded_q;

  always_ff @(posedge clk_i) begin
    if (we_i) mem[waddr_i] <= wdata_i;
  end

  always_ff @(posedge clk_i) begin
    rdata_q <= mem[raddr_i];
    forward_q <= wdata_i;
    forwarded_q <= we_i && waddr_i == raddr_i;
  end

  assign rdata_o = forwarded_q ? forward_q : rdata_q;

endmodule
