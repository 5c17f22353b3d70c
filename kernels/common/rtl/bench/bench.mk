# Shared by the benches of the designs' RTL. A bench's Makefile sets PACKAGE, TOP, SETS (its parameter sets), ALL (SETS
# and others), P_<set> (the numbers of each), `parameters` and `defines`, includes this, and has the target run-<set>.
# make check       all of it
# make lint        Verilator's lint on every parameter set
# make synth       does yosys read and check it, on every parameter set
RTL      := ..
BUILD    ?= build
COMMON   := ../../../common/rtl
PACKAGES := $(COMMON)/framework_pkg.sv $(RTL)/$(PACKAGE).sv
SOURCES  := $(PACKAGES) $(filter-out $(PACKAGES),$(wildcard $(COMMON)/*.sv $(RTL)/*.sv))
WAIVERS  := $(COMMON)/common_waivers.vlt $(RTL)/waivers.vlt
# A target that has passed passes again until one of these or the tool changes.
INPUTS   := $(SOURCES) $(WAIVERS) Makefile $(COMMON)/bench/bench.mk
tool = $(shell command -v $(1))
# One build at a time, and few processes in it.
VERILATOR := verilator --cc --exe --build --assert -Wall -O3 --x-assign fast --prefix Vkernel -CFLAGS "-O1 -std=c++17" $(WAIVERS)

# Number $(2) of set $(1); the parameters as yosys takes them.
v = $(word $(2),$(P_$(1)))
chparam = $(foreach p,$(subst ",,$(call parameters,$(1))),-set $(subst =, ,$(patsubst -G%,%,$(p))))

.PHONY: check run lint synth clean $(addprefix run-,$(ALL)) $(addprefix lint-,$(ALL)) $(addprefix synth-,$(ALL))
check: lint synth run
run: $(addprefix run-,$(SETS))
lint: $(addprefix lint-,$(ALL))
synth: $(addprefix synth-,$(SETS))
clean:
	rm -rf $(BUILD)

define SET
$(BUILD)/$(1)/Vkernel: $(wildcard *.cpp *.h) $(COMMON)/bench/bench.h $(INPUTS)
	@mkdir -p $(BUILD)/$(1)
	$(VERILATOR) --Mdir $(BUILD)/$(1) --top $(TOP) $(call parameters,$(1)) -CFLAGS "$(call defines,$(1)) -I$(CURDIR) -I$(abspath $(COMMON)/bench)" \
	  $(SOURCES) $(abspath bench.cpp)
lint-$(1): $(BUILD)/$(1).lint
$(BUILD)/$(1).lint: $(INPUTS) $(call tool,verilator_bin) | $(BUILD)
	verilator --lint-only -Wall $(WAIVERS) --top $(TOP) $(call parameters,$(1)) $(SOURCES)
	@touch $$@
synth-$(1): $(BUILD)/$(1).synth
$(BUILD)/$(1).synth: $(INPUTS) $(call tool,yosys) | $(BUILD)
	yosys -q -p "read_verilog -sv -DSYNTHESIS $(SOURCES); chparam $(call chparam,$(1)) $(TOP); \
	  hierarchy -check -top $(TOP); proc; check -assert"
	@touch $$@
endef
$(BUILD):
	mkdir -p $@
$(foreach s,$(ALL),$(eval $(call SET,$(s))))
