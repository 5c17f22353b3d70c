// Regroups the words of dense runs into beats (GRP-1). The runs have equal lengths and their first words a constant pitch. The first beat
// of a run starts in the lane of its first word, the last may be short. The inputs that describe the runs may change until run_i rises.
module encode #(
  parameter int InLanes = 4,
  parameter int Band = 16
) (
  input  logic                        clk_i,
  input  logic                        run_i,
  input  logic [$clog2(Band)-1:0]     first_lane_i,  // of the first run
  input  logic [31:0]                 runs_i,
  input  logic [31:0]                 run_words_i,
  input  logic [$clog2(Band)-1:0]     pitch_lane_i,  // the pitch mod Band
  input  logic                        group_empty_i,
  input  logic [InLanes*32-1:0]       group_data_i,
  input  logic [$clog2(InLanes+1)-1:0] group_count_i,
  output logic                        group_pop_o,
  input  logic                        beat_full_i,
  output logic [Band*32-1:0]          beat_data_o,
  output logic                        beat_push_o,
  output logic [1:0]                  activity_o
);

  localparam int LaneW = $clog2(Band);
  localparam int NeedW = $clog2(Band + 1);

  logic [31:0] runs_q, left_q;                   // runs and words of the run left to output
  logic [LaneW-1:0] run_lane_q, lane_q, lane_after;  // lane of the run's first word; lane of the next beat's first word
  logic [31:0] room;
  logic [NeedW-1:0] need;
  logic run_end;
  logic [Band*32-1:0] words;

  assign room = 32'(Band) - 32'(lane_q);
  assign need = (runs_q == '0) ? '0 : (left_q < room) ? NeedW'(left_q) : NeedW'(room);
  assign run_end = beat_push_o && left_q <= room;
  assign lane_after = run_lane_q + pitch_lane_i;

  always_ff @(posedge clk_i) begin
    if (!run_i) begin
      runs_q <= runs_i;
      left_q <= run_words_i;
      run_lane_q <= first_lane_i;
      lane_q <= first_lane_i;
    end else if (run_end) begin
      runs_q <= runs_q - 32'd1;
      left_q <= run_words_i;
      run_lane_q <= lane_after;
      lane_q <= lane_after;
    end else if (beat_push_o) begin
      left_q <= left_q - room;
      lane_q <= '0;
    end
  end

  regroup #(.InLanes(InLanes), .OutLanes(Band)) u_regroup (
    .clk_i, .run_i, .need_i(need),
    .in_empty_i(group_empty_i), .in_words_i(group_data_i), .in_count_i(group_count_i), .take_o(group_pop_o),
    .out_full_i(beat_full_i), .out_words_o(words), .give_o(beat_push_o), .activity_o
  );
  assign beat_data_o = words << {lane_q, 5'd0};

endmodule
