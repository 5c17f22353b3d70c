# Packages the kernel for AMD's tools: an IP in ip/ and the Vitis kernel fpgpt.xo.
#
#     vivado -mode batch -source package.tcl
#
# Then v++ --link --platform PLATFORM --config link.cfg fpgpt.xo makes an xclbin.

set here [file dirname [file normalize [info script]]]
set name fpgpt
set clock ap_clk
set reset ap_rst_n
set control s_axi_control
set ports {m_axi_inp m_axi_kern m_axi_out}

# The sources in the order of files.f, without the waivers of Verilator's lint.
set sources {}
set list [open [file join $here files.f]]
foreach file [split [string trim [read $list]] \n] {
  if {[file extension $file] ne ".sv"} continue
  set path [file join $here $file]
  if {![file isfile $path]} { error "files.f names $file, which is not there" }
  lappend sources $path
}
close $list

set project [file join $here vivado]
set ip [file join $here ip]
create_project -force $name $project -part xcu250-figd2104-2L-e
add_files -norecurse $sources
set_property top $name [current_fileset]
update_compile_order -fileset sources_1

# Vendor, library, name and version are those of vlnv in kernel.xml.
ipx::package_project -root_dir $ip -vendor weft -library kernel -taxonomy /KernelIP -import_files -force
set core [ipx::current_core]
set_property name $name $core
set_property version 1.0 $core
foreach parameter [ipx::get_user_parameters -of_objects $core] {
  ipx::remove_user_parameter [get_property NAME $parameter] $core
}
foreach port [concat $ports $control] {
  ipx::associate_bus_interfaces -busif $port -clock $clock $core
}
ipx::associate_bus_interfaces -clock $clock -reset $reset $core
set_property sdx_kernel true $core
set_property sdx_kernel_type rtl $core
set_property ipi_drc {ignore_freq_hz true} $core
set_property supported_families {} $core
set_property auto_family_support_level level_2 $core
ipx::create_xgui_files $core
ipx::update_checksums $core
ipx::check_integrity $core
ipx::save_core $core
close_project

package_xo -force -xo_path [file join $here $name.xo] -kernel_name $name -ip_directory $ip \
  -kernel_xml [file join $here kernel.xml]
puts "packaged: $name.xo"
