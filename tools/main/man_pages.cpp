#include "tools/main/man_pages.h"

#include <fmt/core.h>

#include <sstream>

namespace weft::tools {

namespace {

// Text as roff takes it: no escape, no request, and hyphens that are typed.
std::string roff(const std::string& text) {
  std::string out;
  bool line_start = true;
  for (const char c : text) {
    if (line_start && (c == '.' || c == '\'')) out += "\\&";
    line_start = c == '\n';
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else if (c == '\'') {
      out += "\\(aq";
    } else if (c == '`') {
      out += "\\(ga";
    } else if (c == '^') {
      out += "\\(ha";
    } else if (c == '~') {
      out += "\\(ti";
    } else {
      out += c;
    }
  }
  return out;
}

std::string head(const std::string& name, const std::string& description, const std::string& version) {
  return fmt::format(".TH {}{}{}\" \"weft\"\n.SH NAME\n{} \\- {}\n", name, kManPageMark, version, roff(name),
                     roff(description));
}

// As it stands, line by line.
std::string verbatim(const std::string& text) {
  return ".nf\n" + roff(text) + (text.empty() || text.back() != '\n' ? "\n" : "") + ".fi\n";
}

// What --help ends with: its examples, and what stands before and behind them.
std::string footer_sections(const std::string& footer) {
  constexpr const char* kExamples = "Examples:\n";
  if (footer.empty()) return "";
  std::istringstream lines(footer);
  std::string notes, examples;
  bool in_examples = false;
  for (std::string line; std::getline(lines, line);) {
    const std::string whole = line + '\n';
    if (whole.size() >= 10 && whole.compare(whole.size() - 10, 10, kExamples) == 0) {
      in_examples = true;
      if (whole != kExamples) notes += line.substr(0, line.size() + 1 - 10) + '\n';
      continue;
    }
    if (in_examples && line.empty()) in_examples = false;
    (in_examples ? examples : notes) += whole;
  }
  std::string text;
  if (notes.find_first_not_of(" \n") != std::string::npos)
    text += ".SH NOTES\n" + verbatim(notes.substr(notes.find_first_not_of('\n')));
  if (!examples.empty()) text += ".SH EXAMPLES\n" + verbatim(examples);
  return text;
}

std::string option_text(const OptionInfo& option) {
  std::string names;
  for (const std::string& name : option.names) {
    names += (names.empty() ? "\\fB" : ", \\fB") + roff(name) + "\\fR";
  }
  if (!option.positional && !option.value.empty()) names += " \\fI" + roff(option.value) + "\\fR";
  return ".TP\n" + names + "\n" + roff(option.help) + "\n";
}

std::string command_page(const CommandInfo& command, const std::string& version) {
  std::string text = head("weft-" + command.name, command.description, version);
  text += ".SH SYNOPSIS\n\\fBweft " + roff(command.name) + "\\fR [\\fIOPTIONS\\fR]";
  std::string arguments, options;
  std::map<std::string, std::string> groups;
  for (const OptionInfo& option : command.options) {
    if (option.positional) {
      const std::string name = "\\fI" + roff(option.names.front()) + "\\fR";
      text += option.required ? " " + name : " [" + name + "]";
      arguments += option_text(option);
    } else {
      (option.group.empty() ? options : groups[option.group]) += option_text(option);
    }
  }
  text += '\n';
  if (!arguments.empty()) text += ".SH ARGUMENTS\n" + arguments;
  text += ".SH OPTIONS\n" + options;
  for (const auto& [group, its] : groups) text += ".SS " + roff(group) + "\n" + its;
  return text + footer_sections(command.footer) + ".SH SEE ALSO\n\\fBweft\\fR(1)\n";
}

}  // namespace

std::map<std::string, std::string> man_pages(const std::vector<CommandInfo>& commands, const std::string& description,
                                             const std::string& footer, const std::string& version) {
  std::map<std::string, std::string> pages;
  std::string text =
      head("weft", description, version) + ".SH SYNOPSIS\n\\fBweft\\fR \\fICOMMAND\\fR [\\fIOPTIONS\\fR]\n";
  text += ".SH COMMANDS\n";
  std::string others;
  for (const CommandInfo& command : commands) {
    text += ".TP\n\\fBweft\\-" + roff(command.name) + "\\fR(1)\n" + roff(command.description) + "\n";
    pages.emplace("weft-" + command.name + ".1", command_page(command, version));
  }
  pages.emplace("weft.1", text + ".SH NOTES\n" + verbatim(footer));
  return pages;
}

}  // namespace weft::tools
