#include "platform/config/study.h"

#include <algorithm>

#include "platform/config/reader.h"
#include "platform/config/run_config.h"

namespace weft::config {

Node Study::composed_run(const Library& library) const {
  const Node* run = file.find("run");
  if (!run) throw error_at(file.place, "run", "is missing: the run that says network, board and batch");
  Node base;
  if (run->kind == Node::Kind::Map) {
    base = overlay_of(FileKind::Run, "", *run, library);
  } else {
    const auto path = find_file(FileKind::Run, read_text(*run, "run"), run->place, "run", library);
    base = load_file(FileKind::Run, path, library);
  }
  if (const Node* set = file.find("set")) {
    for (const Node& entry : expect_map(*set, "set").children) {
      base = merge(std::move(base), overlay_of(FileKind::Run, entry.key, entry, library), "");
    }
  }
  return apply(std::move(base), FileKind::Run, run_overrides, library);
}

bool Study::another_network() const {
  return std::any_of(run_overrides.begin(), run_overrides.end(), [](const Override& each) {
    const std::string head = each.key.substr(0, each.key.find('.'));
    return head == "network" || head == "convolution";
  });
}

namespace {

// `file` with the overrides of its own keys applied, and the others.
Study with_overrides(FileKind kind, Node file, const std::vector<Override>& overrides, const Library& library) {
  const std::string prefix = std::string(kind_folder(kind)) + ".";
  Study study;
  std::vector<Override> own;
  for (const Override& each : overrides) {
    if (each.key.rfind(prefix, 0) != 0) {
      study.run_overrides.push_back(each);
      continue;
    }
    own.push_back(each);
    own.back().key.erase(0, prefix.size());
  }
  study.file = apply(std::move(file), kind, own, library);
  return study;
}

}  // namespace

Study load_study(FileKind kind, const std::string& name_or_path, const std::vector<Override>& overrides,
                 const Library& library) {
  return with_overrides(kind, load_file(kind, locate(kind, name_or_path, library), library), overrides, library);
}

Study study_of_run(FileKind kind, const std::filesystem::path& run, const std::vector<Override>& overrides,
                   const Library& library) {
  Node file = map_node();
  file.place = {std::make_shared<Source>(Source{run.string(), std::filesystem::path(), false}), 0};
  Node path = scalar_node(std::filesystem::absolute(run).string(), true);
  path.place = file.place;
  file.set("run", std::move(path));
  return with_overrides(kind, std::move(file), overrides, library);
}

}  // namespace weft::config
