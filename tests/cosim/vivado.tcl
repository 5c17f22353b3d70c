# Stands in for the commands of Vivado that package.tcl of an export uses: tclsh vivado.tcl package.tcl
# Each command checks its arguments and what must come before it, and prints one line. An unknown command or option is an
# error, as in Vivado.

# Returns a dictionary of the options in `words`; `spec`: names of options with a value; `flags`: of options without one.
# The other words are under "".
proc options {command words spec flags} {
  set found [dict create "" {}]
  for {set i 0} {$i < [llength $words]} {incr i} {
    set word [lindex $words $i]
    if {$word in $spec} {
      incr i
      if {$i == [llength $words]} { error "$command: $word has no value" }
      dict set found $word [lindex $words $i]
    } elseif {$word in $flags} {
      dict set found $word 1
    } elseif {[string match -* $word]} {
      error "$command: unknown option $word"
    } else {
      dict lappend found "" $word
    }
  }
  return $found
}

proc need {condition text} {
  if {![uplevel 1 [list expr $condition]]} { error $text }
}

proc content {path} {
  set file [open $path]
  set text [read $file]
  close $file
  return $text
}

set state(project) ""
set state(files) {}
set state(top) ""
set state(core) ""
set state(clocked) {}
set state(parameters) {core_p0 core_p1}
set state(saved) 0

proc create_project {args} {
  set given [options create_project $args {-part} {-force}]
  lassign [dict get $given ""] name folder
  need {$folder ne ""} "create_project: a name and a folder are needed"
  set ::state(project) $name
  puts "create_project $name [expr {[dict exists $given -part] ? [dict get $given -part] : {no part}}]"
}
proc close_project {} {
  need {$::state(project) ne ""} "close_project: no project is open"
  set ::state(project) ""
}
proc add_files {args} {
  need {$::state(project) ne ""} "add_files: no project is open"
  foreach path [concat {*}[dict get [options add_files $args {} {-norecurse}] ""]] {
    need {[file isfile $path]} "add_files: there is no file $path"
    lappend ::state(files) $path
  }
  puts "add_files [llength $::state(files)]"
}
proc current_fileset {} { return fileset }
proc update_compile_order {args} {
  options update_compile_order $args {-fileset} {}
}

proc set_property {name value object} {
  switch $object {
    fileset {
      need {$name eq "top"} "set_property: a fileset has no $name here"
      set ::state(top) $value
      set named [lsearch -all -inline -glob $::state(files) */$value.sv]
      need {[llength $named] == 1 && [regexp "(?n)^module $value \\(" [content [lindex $named 0]]]} "the module $value is in no file"
    }
    core {
      dict set ::state(core) $name $value
      set ::state(saved) 0
    }
    default { error "set_property: unknown object '$object'" }
  }
}
proc get_property {name object} {
  need {$name eq "NAME" && $object in $::state(parameters)} "get_property: $name of $object"
  return $object
}

namespace eval ipx {
  proc package_project {args} {
    set given [options ipx::package_project $args {-root_dir -vendor -library -taxonomy} {-import_files -force}]
    need {$::state(top) ne ""} "ipx::package_project: no top is set"
    set ::state(core) [dict create vendor [dict get $given -vendor] library [dict get $given -library] name $::state(top) \
                         version 1.0 folder [dict get $given -root_dir]]
    file mkdir [dict get $given -root_dir]
    # Interfaces as Vivado infers them from the names of the pins.
    set ::state(interfaces) {}
    set named [lsearch -inline -glob $::state(files) */$::state(top).sv]
    foreach {all name} [regexp -all -inline {(\w+)_(?:arvalid|awvalid)[,\n]} [content $named]] {
      if {$name ni $::state(interfaces)} { lappend ::state(interfaces) $name }
    }
  }
  proc current_core {} {
    need {$::state(core) ne ""} "ipx::current_core: there is none"
    return core
  }
  proc get_user_parameters {args} {
    options ipx::get_user_parameters $args {-of_objects} {}
    return $::state(parameters)
  }
  proc remove_user_parameter {name core} {
    set ::state(parameters) [lsearch -all -inline -not -exact $::state(parameters) $name]
  }
  proc associate_bus_interfaces {args} {
    set given [options ipx::associate_bus_interfaces $args {-busif -clock -reset} {}]
    need {[dict get $given -clock] eq "ap_clk"} "there is no clock [dict get $given -clock]"
    if {[dict exists $given -busif]} {
      set name [dict get $given -busif]
      need {$name in $::state(interfaces)} "the module has no interface $name"
      lappend ::state(clocked) $name
    } else {
      need {[dict get $given -reset] eq "ap_rst_n"} "there is no reset [dict get $given -reset]"
      lappend ::state(clocked) reset
    }
  }
  proc create_xgui_files {core} {}
  proc update_checksums {core} {}
  proc check_integrity {core} {
    need {[lsort $::state(clocked)] eq [lsort [concat $::state(interfaces) reset]]} \
      "interfaces $::state(interfaces), with a clock $::state(clocked)"
    need {$::state(parameters) eq {}} "parameters are left: $::state(parameters)"
  }
  proc save_core {core} {
    set ::state(saved) 1
    puts "ip [dict get $::state(core) vendor]:[dict get $::state(core) library]:[dict get $::state(core) name]:[dict get \
      $::state(core) version]"
  }
}

proc package_xo {args} {
  set given [options package_xo $args {-xo_path -kernel_name -ip_directory -kernel_xml} {-force}]
  need {$::state(saved)} "package_xo: the IP is not saved"
  need {[dict get $given -ip_directory] eq [dict get $::state(core) folder]} "package_xo: there is no IP in that folder"
  foreach {name value} {sdx_kernel true sdx_kernel_type rtl} {
    need {[dict get $::state(core) $name] eq $value} "package_xo: the IP is no kernel ($name)"
  }
  set xml [content [dict get $given -kernel_xml]]
  foreach {name value} [list name [dict get $given -kernel_name] \
                          vlnv "weft:kernel:[dict get $::state(core) name]:[dict get $::state(core) version]"] {
    need {[regexp "<kernel \[^>\]*\\y$name=\"$value\"" $xml]} "kernel.xml has another $name than $value"
  }
  foreach {all name} [regexp -all -inline {<port name="(\w+)"} $xml] {
    need {$name in $::state(clocked)} "kernel.xml has a port $name that the IP lacks"
  }
  close [open [dict get $given -xo_path] w]
  puts "package_xo [dict get $given -kernel_name] [file tail [dict get $given -xo_path]]"
}

source [lindex $argv 0]
