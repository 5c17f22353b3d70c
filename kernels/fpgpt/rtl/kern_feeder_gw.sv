// KERN feeder for GW (KERN-6..10): two alternating halves of one Y-group each. Each array row reads its own RAM, which
// holds a token of up to Y words of its kernel per RAM row.
module kern_feeder_gw #(
  parameter int Y = 4,
  parameter int WordBits = 32,
  parameter int KernWords = 16,
  parameter bit Skewed = 1'b1
) (
  input  logic                        clk_i,
  input  logic                        run_i,
  input  fpgpt_pkg::beta_t            beta_i,
  input  fpgpt_pkg::derived_t         derived_i,
  input  logic                        word_empty_i,
  input  logic [Y*WordBits-1:0]       word_data_i,
  output logic                        word_pop_o,
  input  logic                        row_full_i,
  output logic [Y*WordBits-1:0]       row_data_o,
  output logic                        row_push_o,
  output logic [1:0]                  activity_o
);

  localparam int HalfWords = KernWords / (2 * Y);                              // words of one kernel
  localparam int Chunks = fpgpt_pkg::ram_depth((HalfWords + Y - 1) / Y);       // tokens of one kernel
  localparam int AddrW = framework_pkg::index_width(2 * Chunks);
  localparam int SelW = framework_pkg::index_width(Y);

  // Write side.
  logic [1:0] full_q;
  logic fill_half_q, fill_left_q;
  logic [31:0] chunk_q, row_q, fill_kernel_q, fill_pass_q;
  logic take, last_chunk, last_row, last_kernel, fill_last;
  assign take = run_i && !word_empty_i && fill_left_q && !full_q[fill_half_q];
  assign word_pop_o = take;
  assign last_chunk = chunk_q == derived_i.kern_chunks - 32'd1;
  assign last_kernel = fill_kernel_q == beta_i.n_kern - 32'd1;
  assign last_row = row_q == 32'(Y - 1) || last_kernel;
  assign fill_last = take && last_chunk && last_row;

  // Read side.
  logic give, valid, group_last, pass_last, carries_next, word_step, set_step, give_half_q, give_half_d;
  logic [31:0] c_next, word_next, kernel_q, kernel_d;
  logic [AddrW-1:0] place_chunk_q, place_chunk_d;
  logic [SelW-1:0] place_sel_q, place_sel_d;

  kern_walk #(.Y(Y), .Skewed(Skewed)) u_walk (
    .clk_i, .run_i, .beta_i, .derived_i,
    .step_i(give), .valid_o(valid), .group_last_o(group_last), .pass_last_o(pass_last),
    .carries_next_o(carries_next), .c_next_o(c_next), .word_next_o(word_next),
    .word_step_o(word_step), .set_step_o(set_step)
  );

  always_comb begin
    place_chunk_d = place_chunk_q;
    place_sel_d = place_sel_q;
    if (!run_i || (give && (set_step || group_last))) begin
      place_chunk_d = '0;
      place_sel_d = '0;
    end else if (give && word_step) begin
      place_chunk_d = (place_sel_q == SelW'(Y - 1)) ? place_chunk_q + AddrW'(1) : place_chunk_q;
      place_sel_d = (place_sel_q == SelW'(Y - 1)) ? '0 : place_sel_q + SelW'(1);
    end
    kernel_d = kernel_q;
    if (!run_i || (give && group_last && pass_last)) kernel_d = '0;
    else if (give && group_last) kernel_d = kernel_q + 32'(Y);
    give_half_d = run_i && (give_half_q ^ (give && group_last));
  end

  always_ff @(posedge clk_i) begin
    place_chunk_q <= place_chunk_d;
    place_sel_q <= place_sel_d;
    kernel_q <= kernel_d;
    give_half_q <= give_half_d;
    if (!run_i) begin
      full_q <= '0;
      fill_half_q <= 1'b0;
      fill_left_q <= 1'b1;
      chunk_q <= '0;
      row_q <= '0;
      fill_kernel_q <= '0;
      fill_pass_q <= '0;
    end else begin
      if (take) begin
        chunk_q <= last_chunk ? '0 : chunk_q + 32'd1;
        if (last_chunk) begin
          row_q <= last_row ? '0 : row_q + 32'd1;
          fill_kernel_q <= last_kernel ? '0 : fill_kernel_q + 32'd1;
          if (last_kernel) fill_pass_q <= fill_pass_q + 32'd1;
          if (last_kernel && fill_pass_q == derived_i.passes - 32'd1) fill_left_q <= 1'b0;
        end
      end
      if (fill_last) begin
        full_q[fill_half_q] <= 1'b1;
        fill_half_q <= !fill_half_q;
      end
      if (give && group_last) full_q[give_half_q] <= 1'b0;
    end
  end

  // The lanes: all equal to lane 0, or each one token later than the previous one.
  localparam int PitchW = $clog2(WordBits);
  localparam int PlaceW = 1 + AddrW + SelW;
  logic [Y*PlaceW-1:0] place_q, place_d;
  always_ff @(posedge clk_i) place_q <= place_d;
  for (genvar y = 0; y < Y; y++) begin : gen_row
    if (y == 0 || !Skewed) begin : gen_same
      assign place_d[y*PlaceW +: PlaceW] = {carries_next, place_chunk_d, place_sel_d};
    end else begin : gen_behind
      assign place_d[y*PlaceW +: PlaceW] = !run_i ? '0 : give ? place_q[(y-1)*PlaceW +: PlaceW] : place_q[y*PlaceW +: PlaceW];
    end
    logic [Y*WordBits-1:0] rdata;
    logic [(1<<(PitchW+SelW))-1:0] words;
    lane_pad #(.Lanes(Y), .WordBits(WordBits)) u_pad (.words_i(rdata), .padded_o(words));
    ram #(.Width(Y * WordBits), .Depth(2 * Chunks)) u_store (
      .clk_i,
      .we_i(take && row_q == 32'(y)), .waddr_i(AddrW'(chunk_q) + (fill_half_q ? AddrW'(Chunks) : '0)), .wdata_i(word_data_i),
      .raddr_i(place_d[y*PlaceW+SelW +: AddrW] + (give_half_d ? AddrW'(Chunks) : '0)), .rdata_o(rdata)
    );
    assign row_data_o[y*WordBits +: WordBits] = (place_q[y*PlaceW+SelW+AddrW] && kernel_q + 32'(y) < beta_i.n_kern)
                                  ? words[{place_q[y*PlaceW +: SelW], {PitchW{1'b0}}} +: WordBits] : '0;
  end

  logic ready;
  assign ready = valid && full_q[give_half_q];
  assign give = run_i && ready && !row_full_i;
  assign row_push_o = give;

  assign activity_o = fpgpt_pkg::activity(take || give, ready, fill_left_q && !full_q[fill_half_q]);

  logic unused_place;
  assign unused_place = ^{c_next, word_next};

endmodule
