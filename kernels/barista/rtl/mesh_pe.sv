// One element of the mesh: a multiplier with Mul registers, an adder with Add registers, and partial sums (BAR-6). Both always run.
//
// A product enters with its operands, reaches the adder Mul cycles later and its partial sum Add cycles after that;
// add_* and write_* belong to the products in those stages. With final_i the adder adds partial sum final_select_i to
// the first one; its operands stay until the sum is written.
module mesh_pe #(
  parameter int Partials = 2,
  parameter int Mul = 0,
  parameter int Add = 0
) (
  input  logic                                              clk_i,
  input  logic [31:0]                                       a_i,
  input  logic [31:0]                                       b_i,
  input  logic [framework_pkg::index_width(Partials)-1:0]      add_select_i,
  input  logic                                              add_first_i,    // the partial sum is +0
  input  logic                                              write_i,
  input  logic [framework_pkg::index_width(Partials)-1:0]      write_select_i,
  input  logic                                              final_i,
  input  logic [framework_pkg::index_width(Partials)-1:0]      final_select_i,
  output logic [31:0]                                       result_o        // with final_i: the first partial sum
);

  localparam int SelectW = framework_pkg::index_width(Partials);

  logic [31:0] partial [Partials];
  logic [31:0] product, sum, kept;
  assign kept = partial[final_i ? SelectW'(0) : add_select_i];
  assign result_o = kept;

  fp32_mul #(.Stages(Mul)) u_mul (.clk_i, .en_i(1'b1), .a_i, .b_i, .z_o(product));
  fp32_add #(.Stages(Add)) u_add (
    .clk_i, .en_i(1'b1),
    .a_i((add_first_i && !final_i) ? 32'd0 : kept), .b_i(final_i ? partial[final_select_i] : product), .z_o(sum)
  );

  always_ff @(posedge clk_i) begin
    if (write_i) partial[write_select_i] <= sum;
  end

endmodule
