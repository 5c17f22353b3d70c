// Types and constants of FPGPT's own blocks. CONTRACT.md, sections 1 and 2, defines the terms.
package fpgpt_pkg;

  localparam logic [1:0] KindF = 2'd0;
  localparam logic [1:0] KindGi = 2'd1;
  localparam logic [1:0] KindGw = 2'd2;

  // Run-time parameters of one convolution.
  typedef struct packed {
    logic [1:0] kind;
    logic [31:0] a;
    logic [31:0] n_inp;
    logic [31:0] n_kern;
    logic [31:0] c;
    logic [15:0] inp_h;
    logic [15:0] inp_w;
    logic [15:0] kern_h;
    logic [15:0] kern_w;
    logic [15:0] out_h;
    logic [15:0] out_w;
    logic [15:0] stride_h;
    logic [15:0] stride_w;
    logic signed [15:0] pad_h;
    logic signed [15:0] pad_w;
    logic [15:0] inp_dil_h;
    logic [15:0] inp_dil_w;
    logic [15:0] kern_dil_h;
    logic [15:0] kern_dil_w;
    // PCK-2: the first word, counted from a beat.
    logic [61:0] inp_first;
    logic [63:0] inp_beat;
    logic [61:0] kern_first;
    logic [63:0] kern_beat;
    logic [63:0] out_base;
    logic [31:0] inp_pitch_a;
    logic [31:0] inp_pitch_n;
    logic [31:0] inp_pitch_c;
    logic [31:0] kern_pitch_a;
    logic [31:0] out_pitch_n;
  } beta_t;

  // Values derived from beta (section 2, "Derived"), and constants of the incremental counters.
  typedef struct packed {
    logic [31:0] hk;             // dilated window
    logic [31:0] wk;
    logic [31:0] m;              // products per output
    logic [31:0] p;              // array cycles from one set to the next
    logic [31:0] sets;           // S
    logic [31:0] groups;         // K
    logic [31:0] passes;         // B
    logic [31:0] zch;            // words of a window
    logic [31:0] z_groups;       // ceil(zch / Z)
    logic [31:0] kern_map;       // words of one KERN map
    logic [31:0] kern_words;     // words of one kernel
    logic [31:0] kern_range;     // words of one KERN range
    logic [31:0] kern_chunks;    // ceil(kern_words / Y)
    logic [31:0] last_rows;      // kernels of the last Y-group
    logic [31:0] last_set_words; // outputs of the last set
    logic [31:0] images;         // images of OUT
    logic [31:0] maps;           // maps per image of OUT
    logic [31:0] image_words;    // words per image of OUT
    logic [31:0] runs;           // dense runs of OUT
    logic [31:0] run_words;
    logic [15:0] x_div;          // X div W_OUT, X mod W_OUT
    logic [15:0] x_mod;
    // Steps of a lane's coordinates from one set to the next, as quotient and remainder by the INP dilation; index 1:
    // with wrap of the lane's output column.
    logic signed [17:0] set_row_q0;
    logic signed [17:0] set_row_q1;
    logic signed [17:0] set_col_q0;
    logic signed [17:0] set_col_q1;
    logic [15:0] set_row_r0;
    logic [15:0] set_row_r1;
    logic [15:0] set_col_r0;
    logic [15:0] set_col_r1;
    logic signed [31:0] set_addr0; // set_row_q * W_INP + set_col_q
    logic signed [31:0] set_addr1;
  } derived_t;

  // State of an im2col lane: its output; the stored coordinate at the first window position, as quotient and remainder
  // by the INP dilation; and the address row * W_INP + column of the quotients.
  typedef struct packed {
    logic valid;
    logic [15:0] out_row;
    logic [15:0] out_col;
    logic signed [17:0] row_q;
    logic [15:0] row_r;
    logic signed [17:0] col_q;
    logic [15:0] col_r;
    logic signed [31:0] addr;
  } lane_t;

  // Gamma_Burst(words) in beats of `band` words.
  function automatic int gamma_burst(input int words, input int band);
    int beats;
    int inner;
    int outer;
    beats = (words + band - 1) / band;
    inner = (beats > 256) ? 256 : beats;
    inner = (inner + 15) / 16 * 16;
    outer = (beats + 255) / 256;
    gamma_burst = inner * ((outer < 3) ? 3 : outer);
  endfunction

  // Words of a RAM for n words; at least one, because a RAM of no words does not exist.
  function automatic int ram_depth(input int n);
    ram_depth = (n > 0) ? n : 1;
  endfunction

  // Copy of framework_pkg's function: yosys orders the logic of a function by its file, and another order maps to other
  // LUTs than those of the calibration of weft's estimate.
  function automatic logic [1:0] activity(input logic moved, input logic blocked, input logic starved);
    activity = moved ? framework_pkg::ActActive : blocked ? framework_pkg::ActBlocked
             : starved ? framework_pkg::ActStarved : framework_pkg::ActIdle;
  endfunction

endpackage
