#include <algorithm>
#include <memory>
#include <set>

#include "model/core/error.h"
#include "platform/catalogue/designs.h"
#include "platform/iteration/training/trained_network.h"
#include "tools/cli/cli.h"
#include "tools/main/command_line.h"
#include "tools/show/show.h"

namespace weft::tools {

namespace {

using Words = std::vector<std::string>;
using config::FileKind;

constexpr const char* kAnyRun = "googlenet-u250";  // source of keys if the run is unknown

bool starts_with(const std::string& text, const std::string& start) {
  return text.compare(0, start.size(), start) == 0;
}

const OptionInfo* find_option(const CommandInfo& command, const std::string& name) {
  for (const OptionInfo& option : command.options) {
    if (std::find(option.names.begin(), option.names.end(), name) != option.names.end()) return &option;
  }
  return nullptr;
}

Words names_of(const std::vector<FileKind>& kinds) {
  const config::Library library = project_library();
  Words all;
  for (const FileKind kind : kinds) {
    const Words names = tools::names_of(kind, library);
    all.insert(all.end(), names.begin(), names.end());
  }
  return all;
}

// Values of a positional argument, apart from files.
Words arguments_of(const std::string& command) {
  if (command == "sweep") return names_of({FileKind::Sweep});
  if (command == "dse") return names_of({FileKind::Dse});
  if (command == "train") return names_of({FileKind::Train});
  if (command == "plan") return names_of({FileKind::Cluster});
  if (command == "validate") return names_of({FileKind::Validate, FileKind::Run});
  if (command == "synth") return names_of({FileKind::Kernel});
  if (command == "host-profile") return names_of({FileKind::Network});
  if (command == "completion") return {"bash"};
  if (command == "show") {
    Words names = names_of({FileKind::Run, FileKind::Board, FileKind::Host, FileKind::Kernel, FileKind::Network,
                            FileKind::Sweep, FileKind::Dse, FileKind::Train, FileKind::Validate, FileKind::Cluster});
    names.emplace_back(kResultsSchema);
    return names;
  }
  for (const char* of_run : {"run", "timeline", "card", "explain", "compare", "cosim", "rtl"}) {
    if (command == of_run) return names_of({FileKind::Run});
  }
  return {};
}

config::RunConfig run_of(const std::string& name) {
  try {
    return design::load_run(name, {}, project_library());
  } catch (const Error&) {
    return design::load_run(kAnyRun, {}, project_library());
  }
}

void add_keys(const config::Node& node, const std::string& before, Words& keys) {
  if (node.kind != config::Node::Kind::Map) {
    keys.push_back(before + "=");
    return;
  }
  for (const config::Node& entry : node.children) {
    add_keys(entry, before.empty() ? entry.key : before + "." + entry.key, keys);
  }
}

// Keys of the run that start with `word`, up to the end of their next part; after "network=" and similar keys, names.
Words keys_of(const std::string& run, const std::string& word) {
  const std::size_t equals = word.find('=');
  Words found;
  if (equals != std::string::npos) {
    const std::string key = word.substr(0, equals + 1);
    for (const FileKind kind : {FileKind::Board, FileKind::Kernel, FileKind::Network, FileKind::Host}) {
      if (key != std::string(config::kind_word(kind)) + "=") continue;
      for (const std::string& name : names_of({kind})) found.push_back(key + name);
    }
    return found;
  }
  Words keys;
  add_keys(config::parse_yaml(config::resolved_yaml(run_of(run)), std::make_shared<config::Source>()), "", keys);
  std::set<std::string> parts;
  for (const std::string& key : keys) {
    if (!starts_with(key, word)) continue;
    const std::size_t dot = key.find('.', word.size());
    parts.insert(dot == std::string::npos ? key : key.substr(0, dot + 1));
  }
  return {parts.begin(), parts.end()};
}

// Layers of the run's network; after a layer and ':', kinds.
Words layers_of(const std::string& run, const std::string& word) {
  const std::size_t comma = word.rfind(',');
  const std::string before = comma == std::string::npos ? "" : word.substr(0, comma + 1);
  const std::string last = word.substr(before.size());
  const std::size_t colon = last.find(':');
  Words found;
  if (colon != std::string::npos) {
    for (const char* kind : {"F", "GI", "GW"}) found.push_back(before + last.substr(0, colon + 1) + kind);
    return found;
  }
  for (const conv::Layer& layer : training::load_network(run_of(run), project_library()).layers) {
    found.push_back(before + layer.name);
    if (layer.name == last) found.push_back(before + layer.name + ":");
  }
  return found;
}

Words values_of(const std::string& option, const std::string& run, const std::string& word) {
  if (option == "--set") return keys_of(run, word);
  if (option == "--only") return layers_of(run, word);
  using config::Rung;
  if (option == "--rung") return {to_string(Rung::Analytical), to_string(Rung::SystemC), to_string(Rung::Exact)};
  if (option == "--format") return {"table", "json", "csv"};
  if (option == "--execution") return {"fast", "data"};
  if (option == "--workers" || option == "--threads") return {"auto"};
  if (option == "--board") return names_of({FileKind::Board});
  if (option == "--host") return names_of({FileKind::Host});
  if (option == "--train") return names_of({FileKind::Network});
  return {};
}

Words of_command(const CommandInfo& command, const Words& words) {
  const std::string& word = words.back();
  std::string run;  // first word that is neither an option nor its value
  const OptionInfo* option = nullptr;
  for (std::size_t i = 1; i + 1 < words.size(); ++i) {
    if (option) {
      option = nullptr;
    } else if (starts_with(words[i], "-")) {
      option = find_option(command, words[i]);
      if (option && !option->takes_value) option = nullptr;
    } else if (run.empty()) {
      run = words[i];
    }
  }
  if (option) return values_of(option->names.back(), run, word);
  if (!starts_with(word, "-")) return arguments_of(command.name);
  if (const std::size_t equals = word.find('='); equals != std::string::npos) {
    Words values = values_of(word.substr(0, equals), run, word.substr(equals + 1));
    for (std::string& value : values) value.insert(0, word.substr(0, equals + 1));
    return values;
  }
  Words names;
  for (const OptionInfo& each : command.options) {
    names.insert(names.end(), each.names.begin(), each.names.end());
  }
  return names;
}

}  // namespace

std::vector<std::string> completions(const std::vector<CommandInfo>& commands, const std::vector<std::string>& words) {
  if (words.empty()) return {};
  Words all;
  if (words.size() == 1) {
    for (const CommandInfo& command : commands) all.push_back(command.name);
    for (const char* const of_launcher : kLauncherCommands) all.emplace_back(of_launcher);
    for (const char* option : {"--help", "--version"}) {
      if (starts_with(words[0], "-")) all.emplace_back(option);
    }
  } else {
    for (const CommandInfo& command : commands) {
      if (command.name == words[0]) all = of_command(command, words);
    }
  }
  Words found;
  for (const std::string& each : all) {
    if (starts_with(each, words.back())) found.push_back(each);
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

}  // namespace weft::tools
