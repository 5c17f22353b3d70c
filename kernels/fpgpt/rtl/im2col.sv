// im2col (I2C-1..4): a line buffer of two halves of one window each, in Z banks. Groups of Z words fill one half. The
// other half outputs, for each position of the dilated window, the samples of the X outputs of the set.
module im2col #(
  parameter int X = 4,
  parameter int WordBits = 32,
  parameter int Z = 4,
  parameter int ZChannel = 16,
  parameter int MaxSets = 16
) (
  input  logic                                           clk_i,
  input  logic                                           run_i,
  input  fpgpt_pkg::beta_t                               beta_i,
  input  fpgpt_pkg::derived_t                            derived_i,
  // From precompute, while run_i is low: the table of start(s), and the lanes in set 0.
  input  logic                                           table_we_i,
  input  logic [framework_pkg::index_width(MaxSets)-1:0]     table_addr_i,
  input  logic [31:0]                                    table_data_i,
  input  logic                                           lanes_clear_i,
  input  logic                                           lane_we_i,
  input  logic [framework_pkg::index_width(X)-1:0]           lane_index_i,
  input  fpgpt_pkg::lane_t                               lane_i,
  input  logic                                           group_empty_i,
  input  logic [Z*WordBits-1:0]                          group_data_i,
  output logic                                           group_pop_o,
  input  logic                                           column_full_i,
  output logic [X*WordBits-1:0]                          column_data_o,
  output logic                                           column_push_o,
  output logic [1:0]                                     activity_o
);

  localparam int Rows = (ZChannel + Z - 1) / Z;  // rows of a half
  localparam int RowW = framework_pkg::index_width(Rows);
  localparam int BufferW = framework_pkg::index_width(2 * Rows);
  localparam int BankW = framework_pkg::index_width(Z);
  localparam int SetW = framework_pkg::index_width(MaxSets);

  // Write side.
  logic [1:0] full_q;
  logic fill_half_q;
  logic [31:0] fill_row_q;
  logic fill_left, take, fill_last;
  assign take = run_i && !group_empty_i && !full_q[fill_half_q];
  assign fill_last = take && fill_row_q == derived_i.z_groups - 32'd1;
  assign group_pop_o = take;

  window_counter u_fill_windows (.clk_i, .run_i, .beta_i, .derived_i, .next_i(fill_last), .valid_o(fill_left));

  // Read side: the position (i, j), also as quotients and remainders by the INP dilation.
  typedef struct packed {
    logic [31:0] i;
    logic [31:0] j;
    logic [15:0] row_q;
    logic [15:0] row_r;
    logic [15:0] col_q;
    logic [15:0] col_r;
    logic [31:0] row_addr;  // row_q * W_INP
  } position_t;

  position_t position_q, position_d;
  logic give_half_q, give_half_d;
  logic [31:0] c_q, s_q, s_d, start_q, start_d, start_first_q, start_after;
  logic give, last_j, last_i, last_c, last_s, window_done, set_done;

  assign give = run_i && full_q[give_half_q] && !column_full_i;
  assign last_j = position_q.j == derived_i.wk - 32'd1;
  assign last_i = position_q.i == derived_i.hk - 32'd1;
  assign last_c = c_q == beta_i.c - 32'd1;
  assign last_s = s_q == derived_i.sets - 32'd1;
  assign window_done = give && last_j && last_i;
  assign set_done = window_done && last_c;

  always_comb begin
    position_d = position_q;
    if (!run_i || window_done) begin
      position_d = '0;
    end else if (give && last_j) begin
      position_d = '0;
      position_d.i = position_q.i + 32'd1;
      position_d.row_q = position_q.row_q;
      position_d.row_r = position_q.row_r + 16'd1;
      position_d.row_addr = position_q.row_addr;
      if (position_q.row_r == beta_i.inp_dil_h - 16'd1) begin
        position_d.row_q = position_q.row_q + 16'd1;
        position_d.row_r = '0;
        position_d.row_addr = position_q.row_addr + 32'(beta_i.inp_w);
      end
    end else if (give) begin
      position_d.j = position_q.j + 32'd1;
      position_d.col_r = position_q.col_r + 16'd1;
      if (position_q.col_r == beta_i.inp_dil_w - 16'd1) begin
        position_d.col_q = position_q.col_q + 16'd1;
        position_d.col_r = '0;
      end
    end
    give_half_d = run_i && (give_half_q ^ window_done);
    s_d = s_q;
    start_d = start_q;
    if (!run_i) begin
      s_d = '0;
      start_d = start_first_q;
    end else if (set_done) begin
      s_d = last_s ? '0 : s_q + 32'd1;
      start_d = start_after;
    end
  end

  always_ff @(posedge clk_i) begin
    position_q <= position_d;
    give_half_q <= give_half_d;
    s_q <= s_d;
    start_q <= start_d;
    if (!run_i) begin
      full_q <= '0;
      fill_half_q <= 1'b0;
      fill_row_q <= '0;
      c_q <= '0;
    end else begin
      if (take) fill_row_q <= fill_last ? '0 : fill_row_q + 32'd1;
      if (fill_last) begin
        full_q[fill_half_q] <= 1'b1;
        fill_half_q <= !fill_half_q;
      end
      if (window_done) begin
        full_q[give_half_q] <= 1'b0;
        c_q <= last_c ? '0 : c_q + 32'd1;
      end
    end
  end

  // start(s): the RAM is read for the set after that of the next cycle.
  logic [31:0] set_after;
  assign set_after = (s_d == derived_i.sets - 32'd1) ? '0 : s_d + 32'd1;
  ram #(.Width(32), .Depth(MaxSets)) u_start (
    .clk_i,
    .we_i(table_we_i), .waddr_i(table_addr_i), .wdata_i(table_data_i),
    .raddr_i(set_after[SetW-1:0]), .rdata_o(start_after)
  );
  always_ff @(posedge clk_i) begin
    if (table_we_i && table_addr_i == '0) start_first_q <= table_data_i;
  end

  // The lanes.
  logic [X-1:0] ok_next, ok_q;
  logic [X*BankW-1:0] bank_next, bank_q;
  logic [X*RowW-1:0] row_next;
  for (genvar x = 0; x < X; x++) begin : gen_lane
    fpgpt_pkg::lane_t first_q;
    always_ff @(posedge clk_i) begin
      if (lanes_clear_i) first_q <= '0;
      else if (lane_we_i && 32'(lane_index_i) == x) first_q <= lane_i;
    end
    im2col_lane #(.Z(Z), .ZChannel(ZChannel), .Rows(Rows)) u_lane (
      .clk_i, .run_i, .beta_i, .derived_i,
      .first_i(first_q), .step_i(set_done), .rewind_i(last_s),
      .row_q_i(position_d.row_q), .row_r_i(position_d.row_r),
      .col_q_i(position_d.col_q), .col_r_i(position_d.col_r),
      .addr_i(position_d.row_addr + 32'(position_d.col_q)), .start_i(start_d),
      .ok_next_o(ok_next[x]), .bank_next_o(bank_next[x*BankW +: BankW]), .row_next_o(row_next[x*RowW +: RowW])
    );
  end
  always_ff @(posedge clk_i) begin
    ok_q <= ok_next;
    bank_q <= bank_next;
  end

  // The line buffer: the words that a position touches span at most Z, so no bank is read at two rows.
  localparam int PitchW = $clog2(WordBits);
  logic [Z*WordBits-1:0] bank_words;
  logic [(1<<(PitchW+BankW))-1:0] bank_data;
  lane_pad #(.Lanes(Z), .WordBits(WordBits)) u_pad (.words_i(bank_words), .padded_o(bank_data));
  for (genvar z = 0; z < Z; z++) begin : gen_bank
    logic [RowW-1:0] row;
    always_comb begin
      row = '0;
      for (int x = 0; x < X; x++) begin
        if (ok_next[x] && bank_next[x*BankW +: BankW] == BankW'(z)) row = row | row_next[x*RowW +: RowW];
      end
    end
    ram #(.Width(WordBits), .Depth(2 * Rows)) u_bank (
      .clk_i,
      .we_i(take), .waddr_i(BufferW'(fill_row_q) + (fill_half_q ? BufferW'(Rows) : '0)),
      .wdata_i(group_data_i[z*WordBits +: WordBits]),
      .raddr_i(BufferW'(row) + (give_half_d ? BufferW'(Rows) : '0)),
      .rdata_o(bank_words[z*WordBits +: WordBits])
    );
  end

  for (genvar x = 0; x < X; x++) begin : gen_column
    assign column_data_o[x*WordBits +: WordBits] =
      ok_q[x] ? bank_data[{bank_q[x*BankW +: BankW], {PitchW{1'b0}}} +: WordBits] : '0;
  end
  assign column_push_o = give;

  assign activity_o = fpgpt_pkg::activity(take || give, |full_q, fill_left);

`ifndef SYNTHESIS
  // Two lanes that read the same bank read the same row.
  for (genvar x = 1; x < X; x++) begin : gen_conflict
    for (genvar v = 0; v < x; v++) begin : gen_pair
      a_one_row_a_bank: assert property (@(posedge clk_i)
        run_i && ok_next[x] && ok_next[v] && bank_next[x*BankW +: BankW] == bank_next[v*BankW +: BankW]
        |-> row_next[x*RowW +: RowW] == row_next[v*RowW +: RowW]);
    end
  end
  // Words arrive only for windows that are still expected.
  a_group_of_a_window: assert property (@(posedge clk_i) run_i && take |-> fill_left);
`endif

endmodule
