// Constants and functions shared by the designs' blocks. GEN, RD, GRP, WR and NUM are rules of kernels/fpgpt/CONTRACT.md.
package framework_pkg;

  localparam int WordAddrW = 62;   // address of a word: a byte address without its two lowest bits

  // Activity of a block in a cycle (GEN-5).
  localparam logic [1:0] ActIdle = 2'd0;
  localparam logic [1:0] ActStarved = 2'd1;
  localparam logic [1:0] ActBlocked = 2'd2;
  localparam logic [1:0] ActActive = 2'd3;

  // Bits needed for the numbers 0 .. n-1, at least one.
  function automatic int index_width(input int n);
    index_width = (n > 1) ? $clog2(n) : 1;
  endfunction

  function automatic logic [1:0] activity(input logic moved, input logic blocked, input logic starved);
    activity = moved ? ActActive : blocked ? ActBlocked : starved ? ActStarved : ActIdle;
  endfunction

endpackage
