// Counts for each block the cycles in which it was idle, starved, blocked, active (GEN-5); the four counts sum to T.
module activity_counters #(
  parameter int Blocks = 10
) (
  input  logic                        clk_i,
  input  logic                        clear_i,
  input  logic                        run_i,
  input  logic [Blocks*2-1:0]         activity_i,
  output logic [Blocks*4*32-1:0]      counts_o
);

  for (genvar b = 0; b < Blocks; b++) begin : gen_block
    for (genvar k = 0; k < 4; k++) begin : gen_kind
      logic [31:0] count_q;
      always_ff @(posedge clk_i) begin
        if (clear_i) count_q <= '0;
        else if (run_i && activity_i[b*2 +: 2] == 2'(k)) count_q <= count_q + 32'd1;
      end
      assign counts_o[(b*4 + k)*32 +: 32] = count_q;
    end
  end

endmodule
