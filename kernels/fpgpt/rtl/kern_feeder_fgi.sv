// KERN feeder for F and GI (KERN-4, 5, 7..10): stores the whole tensor. Then, or with EarlyKernFeed as soon as the words of a
// token are stored, it outputs one KERN value per array row. GI: memory has the tensor as (C, N_KERN, H, W), with rotated maps.
//
// Each array row reads its own RAM. One word per cycle: the RAM holds the words of its row's kernels. With WideKernLoad
// a beat may hold words of any row, so the RAM holds the whole tensor, one beat per RAM row.
module kern_feeder_fgi #(
  parameter int Y = 4,
  parameter int Band = 16,
  parameter int WordBits = 32,
  parameter int KernWords = 16,
  parameter bit WideKernLoad = 1'b0,
  parameter bit EarlyKernFeed = 1'b0,
  parameter bit Skewed = 1'b1,
  localparam int InLanes = WideKernLoad ? Band : 1
) (
  input  logic                              clk_i,
  input  logic                              run_i,
  input  fpgpt_pkg::beta_t                  beta_i,
  input  fpgpt_pkg::derived_t               derived_i,
  input  logic                              word_empty_i,
  input  logic [InLanes*WordBits-1:0]       word_data_i,
  input  logic [$clog2(InLanes+1)-1:0]      word_count_i,
  output logic                              word_pop_o,
  input  logic                              row_full_i,
  output logic [Y*WordBits-1:0]             row_data_o,
  output logic                              row_push_o,
  output logic [1:0]                        activity_o
);

  localparam int LaneW = $clog2(Band);
  // The largest tensor, padded to a multiple of Y kernels (section 2); wide: after up to Band - 1 leading words.
  localparam int RowWords = KernWords / Y;
  localparam int Depth = WideKernLoad ? (RowWords * Y + 2 * Band - 2) / Band : fpgpt_pkg::ram_depth(RowWords);
  localparam int AddrW = framework_pkg::index_width(Depth);
  localparam int Width = WideKernLoad ? Band * WordBits : WordBits;
  localparam int SelW = WideKernLoad ? LaneW : 1;
  localparam int PitchW = $clog2(WordBits);

  logic turned;
  assign turned = beta_i.kind == fpgpt_pkg::KindGi;

  // Write side.
  logic [31:0] stored_q;
  logic take, take_left;
  assign take_left = stored_q != derived_i.kern_range;
  assign take = run_i && !word_empty_i && take_left;
  assign word_pop_o = take;
  always_ff @(posedge clk_i) begin
    if (!run_i) stored_q <= '0;
    else if (take) stored_q <= stored_q + 32'(word_count_i);
  end

  // Read side. A word is identified by its index in memory, from the first word on; group_*: kernel of lane 0, channel 0.
  logic give, valid, group_last, pass_last, carries_next, word_step, set_step;
  logic [31:0] c_next, word_next, map_word;
  logic [31:0] index_group_q, index_group_d, index_channel_q, index_channel_d, index_group_step, index_channel_step;
  logic [31:0] bank_group_q, bank_group_d, bank_channel_q, bank_channel_d;
  logic [31:0] rows_q, rows_d, kernel_q, kernel_d;  // kernels of the Y-group, the first of them
  logic [31:0] c_q;

  kern_walk #(.Y(Y), .Skewed(Skewed)) u_walk (
    .clk_i, .run_i, .beta_i, .derived_i,
    .step_i(give), .valid_o(valid), .group_last_o(group_last), .pass_last_o(pass_last),
    .carries_next_o(carries_next), .c_next_o(c_next), .word_next_o(word_next),
    .word_step_o(word_step), .set_step_o(set_step)
  );

  // F: kernels are contiguous; GI: the maps of a channel are contiguous. Steps of the index from one Y-group to the
  // next, from one channel to the next, and from one lane to the next.
  logic [31:0] lane_step, channel_step_q;
  logic [31:0] lane_offset_q [Y];
  assign lane_step = turned ? derived_i.kern_map : derived_i.kern_words;
  always_ff @(posedge clk_i) begin
    // N_KERN * H * W: words of one channel of a range; stable long before cycle 0.
    channel_step_q <= turned ? beta_i.n_kern * derived_i.kern_map : derived_i.kern_map;
  end
  assign index_channel_step = channel_step_q;
  for (genvar y = 0; y < Y; y++) begin : gen_offset
    always_ff @(posedge clk_i) lane_offset_q[y] <= 32'(y) * lane_step;
  end
  logic [31:0] group_step_q;
  always_ff @(posedge clk_i) group_step_q <= 32'(Y) * lane_step;
  assign index_group_step = group_step_q;

  always_comb begin
    index_group_d = index_group_q;
    bank_group_d = bank_group_q;
    kernel_d = kernel_q;
    if (!run_i || (give && group_last && pass_last)) begin
      index_group_d = '0;
      bank_group_d = '0;
      kernel_d = '0;
    end else if (give && group_last) begin
      index_group_d = index_group_q + index_group_step;
      bank_group_d = bank_group_q + derived_i.kern_words;
      kernel_d = kernel_q + 32'(Y);
    end
    rows_d = beta_i.n_kern - kernel_d;

    index_channel_d = index_channel_q;
    bank_channel_d = bank_channel_q;
    if (!run_i || (give && (set_step || group_last))) begin
      index_channel_d = '0;
      bank_channel_d = '0;
    end else if (give && c_next != c_q) begin
      index_channel_d = index_channel_q + index_channel_step;
      bank_channel_d = bank_channel_q + derived_i.kern_map;
    end
  end
  assign map_word = turned ? derived_i.kern_map - 32'd1 - word_next : word_next;

  always_ff @(posedge clk_i) begin
    index_group_q <= index_group_d;
    bank_group_q <= bank_group_d;
    index_channel_q <= index_channel_d;
    bank_channel_q <= bank_channel_d;
    kernel_q <= kernel_d;
    rows_q <= rows_d;
    c_q <= c_next;
  end

  // The lanes: all equal to lane 0, or each one token later than the previous one.
  // Place of each lane: whether it carries a word, the index of lane 0's word, its address in the RAM of a row.
  localparam int PlaceW = 65;
  logic [Y*PlaceW-1:0] place_q, place_d;
  logic [PlaceW-1:0] first;
  assign first = {carries_next, index_group_d + index_channel_d + map_word, bank_group_d + bank_channel_d + map_word};
  for (genvar y = 0; y < Y; y++) begin : gen_place
    if (y == 0 || !Skewed) begin : gen_same
      assign place_d[y*PlaceW +: PlaceW] = first;
    end else begin : gen_behind
      assign place_d[y*PlaceW +: PlaceW] = !run_i ? '0 : give ? place_q[(y-1)*PlaceW +: PlaceW] : place_q[y*PlaceW +: PlaceW];
    end
  end
  always_ff @(posedge clk_i) place_q <= place_d;

  // Storing: a word is written to the RAM of its kernel's row, a beat to all RAMs.
  logic [Y-1:0] we;
  logic [AddrW-1:0] waddr;
  logic [Width-1:0] wdata;
  logic [LaneW-1:0] leading;
  if (WideKernLoad) begin : gen_wide_store
    logic [AddrW-1:0] beat_q;
    always_ff @(posedge clk_i) begin
      if (!run_i) beat_q <= '0;
      else if (take) beat_q <= beat_q + AddrW'(1);
    end
    assign we = {Y{take}};
    assign waddr = beat_q;
    localparam int FirstW = (Band == 1 << LaneW) ? LaneW + 1 : 32;
    logic [FirstW-LaneW-((Band == 1 << LaneW) ? 1 : 0):0] first_beat;
    logic [Band*WordBits-1:0] lanes;
    beat_place #(.Band(Band), .WordW(FirstW)) u_first (
      .word_i(beta_i.kern_first[FirstW-1:0]), .beat_o(first_beat), .lane_o(leading)
    );
    if (WordBits == 1 << PitchW) begin : gen_dense
      assign lanes = word_data_i << {leading, {PitchW{1'b0}}};
    end else begin : gen_lanes
      lane_shift #(.Lanes(Band), .WordBits(WordBits), .CountW(LaneW)) u_shift (
        .words_i(word_data_i), .count_i(leading), .words_o(lanes)
      );
    end
    logic unused_first_beat;
    assign unused_first_beat = ^first_beat;
    // The first token has lost its leading words; they are restored as zeros, so that every word is in its lane of the bus.
    assign wdata = (stored_q == '0) ? lanes : word_data_i;
  end else begin : gen_narrow_store
    // Row, place of the row's kernel, and map of the next word.
    logic [31:0] lane_q, n_q, word_q, kernel_base_q, channel_base_q;
    logic last_word, last_n, last_lane;
    logic [31:0] map_words;  // F: the kernel is stored as one long map
    assign map_words = turned ? derived_i.kern_map : derived_i.kern_words;
    assign last_word = word_q == map_words - 32'd1;
    assign last_n = n_q == beta_i.n_kern - 32'd1;
    assign last_lane = lane_q == 32'(Y - 1);
    always_ff @(posedge clk_i) begin
      if (!run_i) begin
        lane_q <= '0;
        n_q <= '0;
        word_q <= '0;
        kernel_base_q <= '0;
        channel_base_q <= '0;
      end else if (take) begin
        word_q <= last_word ? '0 : word_q + 32'd1;
        if (last_word) begin
          n_q <= last_n ? '0 : n_q + 32'd1;
          lane_q <= (last_n || last_lane) ? '0 : lane_q + 32'd1;
          kernel_base_q <= last_n ? '0 : last_lane ? kernel_base_q + derived_i.kern_words : kernel_base_q;
          if (last_n) channel_base_q <= channel_base_q + derived_i.kern_map;
        end
      end
    end
    for (genvar y = 0; y < Y; y++) begin : gen_we
      assign we[y] = take && lane_q == 32'(y);
    end
    assign waddr = AddrW'(kernel_base_q + channel_base_q + word_q);
    assign wdata = word_data_i;
    assign leading = '0;
    logic unused_leading;
    assign unused_leading = ^leading;
  end

  logic [Y-1:0] missing;
  for (genvar y = 0; y < Y; y++) begin : gen_row
    logic [31:0] index_d, index_q;
    logic [SelW-1:0] sel_q;
    logic [AddrW-1:0] raddr;
    logic [Width-1:0] rdata;
    logic carries;
    if (WideKernLoad) begin : gen_wide_read
      assign index_d = place_d[y*PlaceW+32 +: 32] + lane_offset_q[y];
      if (Band == 1 << LaneW) begin : gen_cut
        assign raddr = AddrW'((index_d + 32'(leading)) >> LaneW);
        always_ff @(posedge clk_i) sel_q <= index_d[LaneW-1:0] + leading;
      end else begin : gen_divide
        logic [32-LaneW:0] beat;
        logic [LaneW-1:0] lane;
        beat_place #(.Band(Band), .WordW(32)) u_place (.word_i(index_d + 32'(leading)), .beat_o(beat), .lane_o(lane));
        assign raddr = AddrW'(beat);
        logic unused_beat;
        assign unused_beat = ^beat;
        always_ff @(posedge clk_i) sel_q <= lane;
      end
      logic [(1<<(PitchW+LaneW))-1:0] words;
      lane_pad #(.Lanes(Band), .WordBits(WordBits)) u_pad (.words_i(rdata), .padded_o(words));
      assign row_data_o[y*WordBits +: WordBits] = carries ? words[{sel_q, {PitchW{1'b0}}} +: WordBits] : '0;
    end else begin : gen_narrow_read
      assign index_d = place_d[y*PlaceW+32 +: 32] + lane_offset_q[y];
      assign raddr = AddrW'(place_d[y*PlaceW +: 32]);
      assign sel_q = '0;
      assign row_data_o[y*WordBits +: WordBits] = carries ? rdata : '0;
      logic unused_sel;
      assign unused_sel = sel_q;
    end
    always_ff @(posedge clk_i) index_q <= index_d;
    ram #(.Width(Width), .Depth(Depth)) u_store (
      .clk_i, .we_i(we[y]), .waddr_i(waddr), .wdata_i(wdata), .raddr_i(raddr), .rdata_o(rdata)
    );
    assign carries = place_q[y*PlaceW+64] && 32'(y) < rows_q;
    assign missing[y] = EarlyKernFeed ? carries && index_q >= stored_q : take_left;
  end

  logic ready;
  assign ready = valid && missing == '0;
  assign give = run_i && ready && !row_full_i;
  assign row_push_o = give;

  assign activity_o = fpgpt_pkg::activity(take || give, ready, take_left);

  logic unused_word_step;
  assign unused_word_step = word_step;

endmodule
