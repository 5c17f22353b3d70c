# What fpgpt_conv_small asks for. Comments, for the platform (v++) makes the clock and places the kernel; out of
# context, take the hash away from the lines that follow a blank one.
#
# The clock that its cycles were counted at: 100 MHz.

# create_clock -period 10.000 -name ap_clk [get_ports ap_clk]

# The reset is synchronous and active low; it is the platform's, and need not be timed from a pin.

# set_false_path -from [get_ports ap_rst_n]

# The device of the board:

# set_property PART xcu250-figd2104-2L-e [current_project]
