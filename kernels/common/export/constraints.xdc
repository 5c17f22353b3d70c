# Constraints of @NAME@, as comments: the platform (v++) makes the clock and places the kernel. To build out
# of context, remove the hash before create_clock, set_false_path and set_property.
#
# Clock of the simulated kernel: @MHZ@ MHz.

# create_clock -period @PERIOD_NS@ -name ap_clk [get_ports ap_clk]

# The reset is synchronous and active low. The platform drives it, so its path from a pin is not timed.

# set_false_path -from [get_ports ap_rst_n]

# The device@OF_BOARD@:

# set_property PART @PART@ [current_project]
