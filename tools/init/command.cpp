#include <fmt/core.h>

#include "platform/catalogue/designs.h"
#include "platform/os/content.h"
#include "platform/record/result_dir.h"
#include "tools/cli/commands.h"
#include "tools/schema/schemas.h"

namespace weft::tools {

namespace {

namespace fs = std::filesystem;

struct InitOptions {
  std::string folder, board = "u250", kernel = "fpgpt-16x16-hls", network = "resnet20";
};

void declare(Arguments& command, InitOptions& options) {
  command.add_argument("DIR", options.folder, "Folder of the project: new or empty").required();
  command.add_option("--board", options.board, "NAME", "Board to begin with: a name or a file (default u250)");
  command.add_option("--kernel", options.kernel, "NAME", "Kernel: a name or a file (default fpgpt-16x16-hls)");
  command.add_option("--network", options.network, "NAME", "Network: a name or an ONNX file (default resnet20)");
}

// Returns a text as a scalar of YAML in single quotes.
std::string yaml_quoted(const std::string& text) {
  std::string scalar = "'";
  for (const char each : text) scalar += each == '\'' ? "''" : std::string(1, each);
  return scalar + "'";
}

// Returns a network as a run file names it: a name, or an absolute path.
std::string network_name(const std::string& network) {
  const bool file = fs::path(network).has_parent_path() || fs::path(network).has_extension();
  return file ? fs::absolute(network).lexically_normal().string() : network;
}

std::string run_text(const std::string& name, const std::string& network) {
  return fmt::format(fmt::runtime(text_file("init-run.yaml")), yaml_quoted(name), yaml_quoted(network));
}

std::string sweep_text(const std::string& name, bool array) {
  return fmt::format(fmt::runtime(text_file("init-sweep.yaml")), yaml_quoted(name),
                     array ? "  kernel.array.x: [8, 16, 32]\n  kernel.array.y: [8, 16, 32]\n"
                           : "  kernel.clock_mhz: [100, 150, 200]\n  batch: [1, 16]\n");
}

// Returns the text of a file with a first line that names its schema to editors.
std::string with_schema(const char* kind, const std::string& text) {
  constexpr const char* kModeline = "# yaml-language-server: ";
  const std::size_t begin = text.rfind(kModeline, 0) == 0 ? text.find('\n') + 1 : 0;
  return fmt::format("{}$schema=schemas/{}.schema.json\n", kModeline, kind) + text.substr(begin);
}

int execute(const InitOptions& options) {
  const record::ResultDir folder(options.folder);
  const config::Library library = project_library();
  const std::string network = network_name(options.network);
  // The files' own faults, and combinations that do not go together, are reported before anything is written.
  design::load_run("resnet20-u250",
                   {{"board", options.board, "--board", true},
                    {"kernel", options.kernel, "--kernel", true},
                    {"network", network, "--network", true}},
                   library);
  const fs::path board = config::find_file(config::FileKind::Board, options.board, {}, "--board", library);
  const fs::path kernel = config::find_file(config::FileKind::Kernel, options.kernel, {}, "--kernel", library);
  const config::Node keys = config::load_file(config::FileKind::Kernel, kernel, library);
  const config::Node* const array = keys.find("array");
  const std::string name = folder.path().filename().string();
  std::map<std::string, std::string> files{
      {"run.yaml", with_schema("run", run_text(name, network))},
      {"sweep.yaml", with_schema("sweep", sweep_text(name, array && array->find("x") && array->find("y")))},
      {"board.yaml", with_schema("board", os::content(board))},
      {"kernel.yaml", with_schema("kernel", os::content(kernel))}};
  for (const FileSchema& each : file_schemas(library)) {
    files["schemas/" + each.kind + ".schema.json"] = json_of(each.schema);
  }
  folder.write(files);
  const std::string place = folder.path().string();
  print(
      fmt::format("written      {0}: run.yaml, sweep.yaml, board.yaml, kernel.yaml, schemas/ for editors\n"
                  "next         weft run {0}/run.yaml\n"
                  "             weft explain {0}/run.yaml\n"
                  "             weft sweep {0}/sweep.yaml\n",
                  place));
  return 0;
}

}  // namespace

Command init_command() {
  return command<InitOptions>("init", "Write a commented project: run, sweep, board and kernel", declare, execute);
}

}  // namespace weft::tools
