// Regroups tokens of up to InLanes words into groups of up to OutLanes words (GRP-1). It holds h words; the next group
// has need_i words (0: none). In one cycle it takes a token iff h < need_i, and gives the group iff h plus the words
// taken reach need_i. If it should give and the output is full, or should take and the input is empty, nothing moves.
module regroup #(
  parameter int InLanes = 16,
  parameter int OutLanes = 4,
  parameter int WordBits = 32
) (
  input  logic                              clk_i,
  input  logic                              run_i,
  input  logic [$clog2(OutLanes+1)-1:0]     need_i,
  input  logic                              in_empty_i,
  input  logic [InLanes*WordBits-1:0]       in_words_i,  // from lane 0, other lanes zero
  input  logic [$clog2(InLanes+1)-1:0]      in_count_i,
  output logic                              take_o,
  input  logic                              out_full_i,
  output logic [OutLanes*WordBits-1:0]      out_words_o, // from lane 0, other lanes zero
  output logic                              give_o,
  output logic [1:0]                        activity_o
);

  // It takes only with at most OutLanes-1 words held, and never holds more than HoldLanes.
  localparam int HoldLanes = (InLanes > OutLanes) ? InLanes : OutLanes;
  localparam int AllLanes = HoldLanes + InLanes;
  localparam int CountW = $clog2(AllLanes + 1);

  logic [HoldLanes*WordBits-1:0] hold_q;
  logic [CountW-1:0] held_q, need, available;
  logic [AllLanes*WordBits-1:0] taken, all, rest;
  logic want_take, would_give, move;

  assign need = CountW'(need_i);
  assign want_take = held_q < need;
  assign available = held_q + (want_take ? CountW'(in_count_i) : '0);
  assign would_give = need != '0 && available >= need;
  assign move = run_i && need != '0 && !(want_take && in_empty_i) && !(would_give && out_full_i);
  assign take_o = move && want_take;
  assign give_o = move && would_give;

  assign all = {{(InLanes * WordBits){1'b0}}, hold_q} | (want_take ? taken : '0);
  localparam int PitchW = $clog2(WordBits);
  if (WordBits == 1 << PitchW) begin : gen_dense
    assign taken = {{(HoldLanes * WordBits){1'b0}}, in_words_i} << {held_q, {PitchW{1'b0}}};
    assign rest = all >> {need, {PitchW{1'b0}}};
  end else begin : gen_lanes
    lane_shift #(.Lanes(AllLanes), .WordBits(WordBits), .CountW(CountW)) u_behind (
      .words_i({{(HoldLanes * WordBits){1'b0}}, in_words_i}), .count_i(held_q), .words_o(taken)
    );
    lane_shift #(.Lanes(AllLanes), .WordBits(WordBits), .CountW(CountW), .Down(1'b1)) u_rest (
      .words_i(all), .count_i(need), .words_o(rest)
    );
  end
  for (genvar i = 0; i < OutLanes; i++) begin : gen_lane
    assign out_words_o[i*WordBits +: WordBits] = (CountW'(i) < need) ? all[i*WordBits +: WordBits] : '0;
  end

  always_ff @(posedge clk_i) begin
    if (!run_i) begin
      hold_q <= '0;
      held_q <= '0;
    end else if (move) begin
      hold_q <= would_give ? rest[HoldLanes*WordBits-1:0] : all[HoldLanes*WordBits-1:0];
      held_q <= would_give ? available - need : available;
    end
  end

  // Without an input token it is unknown whether a group would follow: the state is starved.
  assign activity_o = framework_pkg::activity(move, need != '0 && would_give && out_full_i && !(want_take && in_empty_i),
                                          need != '0);

  logic unused_lanes;
  assign unused_lanes = ^{1'b0, all[AllLanes*WordBits-1:HoldLanes*WordBits], rest[AllLanes*WordBits-1:HoldLanes*WordBits]};

`ifndef SYNTHESIS
  // The words held after a move fit the register.
  a_hold_fits: assert property (@(posedge clk_i) run_i |-> held_q <= CountW'(HoldLanes));
`endif

endmodule
