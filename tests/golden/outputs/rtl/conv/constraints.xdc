# Constraints of fpgpt, as comments: the platform (v++) makes the clock and places the kernel. To build out
# of context, remove the hash before create_clock, set_false_path and set_property.
#
# Clock of the simulated kernel: 100 MHz.

# create_clock -period 10.000 -name ap_clk [get_ports ap_clk]

# The reset is synchronous and active low. The platform drives it, so its path from a pin is not timed.

# set_false_path -from [get_ports ap_rst_n]

# The device of the board:

# set_property PART xcu250-figd2104-2L-e [current_project]
