#include <fmt/core.h>

#include <map>

#include "model/core/error.h"
#include "platform/record/result_dir.h"
#include "tools/cli/commands.h"
#include "tools/schema/schemas.h"

namespace weft::tools {

namespace {

struct SchemaOptions {
  std::string kind, folder;
};

void declare(Arguments& command, SchemaOptions& options) {
  command.add_argument("KIND", options.kind, "Kind of file whose schema is printed: run, board, kernel, sweep, ...");
  command.add_option("--out", options.folder, "DIR", "Write the schemas of all kinds to this new or empty folder");
}

int execute(const SchemaOptions& options) {
  const std::vector<FileSchema> all = file_schemas(config::project_library());
  if (!options.folder.empty()) {
    if (!options.kind.empty()) throw Error("--out writes the schemas of all kinds; leave out KIND");
    const record::ResultDir folder(options.folder);
    std::map<std::string, std::string> files;
    for (const FileSchema& each : all) files[each.kind + ".schema.json"] = json_of(each.schema);
    folder.write(files);
    print(fmt::format("written      {} schemas to {}\n", all.size(), folder.path().string()));
    return 0;
  }
  std::string kinds;
  for (const FileSchema& each : all) {
    if (each.kind == options.kind) {
      print(json_of(each.schema));
      return 0;
    }
    kinds += fmt::format("{:<14}{}\n", each.kind, each.folders);
  }
  if (!options.kind.empty()) {
    std::vector<std::string> known;
    known.reserve(all.size());
    for (const FileSchema& each : all) known.push_back(each.kind);
    throw Error(fmt::format("there is no kind '{}'{}", options.kind, config::suggestion(options.kind, known)));
  }
  print(fmt::format("{:<14}{}\n", "kind", "folders of configs/") + kinds);
  return 0;
}

}  // namespace

Command schema_command() {
  return command<SchemaOptions>("schema", "Print or write JSON Schemas of YAML files, for editors", declare, execute);
}

}  // namespace weft::tools
