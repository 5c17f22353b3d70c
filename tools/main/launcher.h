#pragma once

namespace weft::tools {

// Commands of the launcher ./weft, which the binary completes and refuses.
inline constexpr const char* kLauncherCommands[] = {"test", "install", "build", "python", "docs", "package"};

}  // namespace weft::tools
