// Constants of Barista's blocks. CONTRACT.md, section 2, defines the terms.
package barista_pkg;

  function automatic int ceil_div(input int a, input int b);
    ceil_div = (a + b - 1) / b;
  endfunction

  // Number of partial sums that get products. Those beyond the products of a tile stay +0, and adding them changes nothing.
  function automatic int partials(input int tp, input int s1);
    partials = (tp < s1) ? tp : s1;
  endfunction

  // True if a multiplier with `mul` and an adder with `add` registers meet the cycles of BAR-3 and BAR-4: each partial
  // sum returns before its next product, within a tile and across tiles, and the final adds end within S1^2 cycles.
  function automatic bit keeps_up(input int tr, input int tc, input int tp, input int s1, input int mul, input int add);
    int between;  // cycles from the last product of a partial sum to its first product of the next tile
    keeps_up = tp <= s1 || add + 1 <= s1;
    for (int k = 0; k < partials(tp, s1); k++) begin
      between = (tp + tr + tc - 2) + k - (tp - 1 - (tp - 1 - k) % s1);
      if (add + 1 > between) keeps_up = 1'b0;
    end
    if (mul + add + (partials(tp, s1) - 1) * (add + 1) > s1 * s1 - 1) keeps_up = 1'b0;
  endfunction

  // The longest pipelines that keep up: 4 * (registers of the multiplier) + (registers of the adder).
  function automatic int pipelines(input int tr, input int tc, input int tp, input int s1);
    pipelines = 0;
    for (int mul = 0; mul <= 3; mul += 3) begin
      for (int add = 0; add <= 2; add++) begin
        if (keeps_up(tr, tc, tp, s1, mul, add)) pipelines = 4 * mul + add;
      end
    end
  endfunction

endpackage
