#include "platform/config/node.h"

#include <fmt/core.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>

#include "model/core/text.h"

namespace weft::config {

namespace {

constexpr int kMaxDepth = 32;              // deeper than any configuration; yaml-cpp recurses per level
constexpr std::size_t kMaxNodes = 100000;  // anchors of anchors grow exponentially
constexpr std::size_t kMaxFileBytes = 1 << 20;

// Builds the tree from yaml-cpp's events, because yaml-cpp's nodes lose duplicate keys and the lines of keys.
class Builder : public YAML::EventHandler {
 public:
  explicit Builder(std::shared_ptr<const Source> source) : source_(std::move(source)) {}

  Node take() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override { leaf(Node{}, mark, anchor); }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    refuse_tag(mark, tag);
    Node node;
    node.kind = Node::Kind::Scalar;
    if (find_unprintable(value) != std::string::npos) {
      fail(mark, fmt::format("'{}' has a control character or an invisible character: remove it", printable(value)));
    }
    node.text = value;
    node.quoted = tag == "!";  // yaml-cpp's tag of a scalar that is not plain
    if (!node.quoted && (value == "null" || value == "Null" || value == "NULL" || value == "~")) node = Node{};
    leaf(std::move(node), mark, anchor);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) fail(mark, "the anchor contains itself; write the values out");
    count(mark, size(found->second));
    put(Node(found->second), mark);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    refuse_tag(mark, tag);
    open(Node::Kind::List, mark, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    refuse_tag(mark, tag);
    open(Node::Kind::Map, mark, anchor);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Level {
    Node node;
    YAML::anchor_t anchor = 0;
    bool have_key = false;
    std::string key;
    Place key_place;
  };

  Place place(const YAML::Mark& mark) const { return {source_, mark.line + 1}; }

  [[noreturn]] void fail(const YAML::Mark& mark, const std::string& message) const {
    throw error_at(place(mark), key_path(), message);
  }

  std::string key_path() const {
    std::string path;
    for (const Level& level : levels_) {
      if (!level.have_key) continue;
      if (!path.empty()) path += '.';
      path += level.key;
    }
    return path;
  }

  void refuse_tag(const YAML::Mark& mark, const std::string& tag) const {
    if (tag.empty() || tag == "?" || tag == "!") return;
    fail(mark, fmt::format("YAML tags such as '{}' are not used here; write the plain value", tag));
  }

  void count(const YAML::Mark& mark, std::size_t nodes) {
    nodes_ += nodes;
    if (nodes_ > kMaxNodes) fail(mark, fmt::format("the anchors expand to more than {} values; use fewer", kMaxNodes));
  }

  static std::size_t size(const Node& node) {
    std::size_t total = 1;
    for (const Node& child : node.children) total += size(child);
    return total;
  }

  void leaf(Node node, const YAML::Mark& mark, YAML::anchor_t anchor) {
    count(mark, 1);
    node.place = place(mark);
    if (anchor != 0) anchors_[anchor] = node;
    put(std::move(node), mark);
  }

  void open(Node::Kind kind, const YAML::Mark& mark, YAML::anchor_t anchor) {
    if (levels_.size() >= kMaxDepth) fail(mark, fmt::format("nested deeper than {} levels", kMaxDepth));
    count(mark, 1);
    Level level;
    level.node.kind = kind;
    level.node.place = place(mark);
    level.anchor = anchor;
    levels_.push_back(std::move(level));
  }

  void close() {
    Level level = std::move(levels_.back());
    levels_.pop_back();
    if (level.anchor != 0) anchors_[level.anchor] = level.node;
    YAML::Mark mark;
    mark.line = level.node.place.line - 1;
    put(std::move(level.node), mark);
  }

  void put(Node node, const YAML::Mark& mark) {
    if (levels_.empty()) {
      root_ = std::move(node);
      return;
    }
    Level& level = levels_.back();
    if (level.node.kind == Node::Kind::List) {
      level.node.children.push_back(std::move(node));
      return;
    }
    if (!level.have_key) {
      if (node.kind != Node::Kind::Scalar) fail(mark, "a key must be a plain word, not " + describe(node));
      if (node.text == "<<" && !node.quoted) {
        fail(mark,
             "YAML merge keys ('<<') are not used here; write 'extends: FILE' with the shared keys in a file of "
             "their own, or write the keys out");
      }
      if (const Node* first = level.node.find(node.text)) {
        throw error_at(place(mark), join_key(node.text),
                       fmt::format("given twice, first in line {}; remove one", first->place.line));
      }
      level.key = node.text;
      level.key_place = node.place;
      level.have_key = true;
      return;
    }
    node.key = level.key;
    if (node.kind != Node::Kind::Scalar) node.place = level.key_place;  // its own mark may be lines further down
    level.node.children.push_back(std::move(node));
    level.have_key = false;
  }

  std::string join_key(const std::string& key) const {
    const std::string path = key_path();
    return path.empty() ? key : path + "." + key;
  }

  std::shared_ptr<const Source> source_;
  std::vector<Level> levels_;
  std::map<YAML::anchor_t, Node> anchors_;
  std::size_t nodes_ = 0;
  Node root_;
};

std::string read_file(const std::filesystem::path& path) {
  const auto fail = [&](const std::string& why) { return InputError(path.string(), 0, "", why); };
  std::error_code code;
  const auto status = std::filesystem::status(path, code);
  if (!std::filesystem::exists(status)) {
    throw fail(code && code != std::errc::no_such_file_or_directory ? "cannot be read: " + code.message()
                                                                    : "no such file");
  }
  if (std::filesystem::is_directory(status)) throw fail("is a directory, not a configuration file");
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  if (!in) throw fail(fmt::format("cannot be read: {}", std::strerror(errno)));
  std::string text;
  char chunk[65536];
  while (in.read(chunk, sizeof chunk) || in.gcount() > 0) {
    text.append(chunk, static_cast<std::size_t>(in.gcount()));
    if (text.size() > kMaxFileBytes) throw fail("is larger than 1 MiB: not a configuration file");
  }
  if (in.bad()) throw fail(fmt::format("cannot be read: {}", std::strerror(errno)));
  return text;
}

bool plain(const std::string& text) {
  if (text.empty() || text == "true" || text == "false" || text == "null" || text == "~") return false;
  const auto ok = [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '.' || c == '/' || c == '-' || c == '+';
  };
  return text[0] != '-' && text[0] != '.' && std::all_of(text.begin(), text.end(), ok);
}

std::string quote(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string scalar_text(const Node& node) {
  if (node.kind == Node::Kind::Null) return "null";
  if (!node.quoted) return node.text;
  const bool number_like =
      !node.text.empty() && (std::isdigit(static_cast<unsigned char>(node.text[0])) != 0 || node.text[0] == '+');
  return plain(node.text) && !number_like ? node.text : quote(node.text);
}

bool all_scalars(const Node& node) {
  return std::all_of(node.children.begin(), node.children.end(), [](const Node& child) {
    return child.kind == Node::Kind::Scalar || child.kind == Node::Kind::Null;
  });
}

void emit(std::string& out, const Node& node, int indent) {
  const std::string pad(static_cast<std::size_t>(indent), ' ');
  for (const Node& child : node.children) {
    const bool entry = node.kind == Node::Kind::Map;
    out += pad + (entry ? child.key + ":" : "-");
    if (child.kind == Node::Kind::Scalar || child.kind == Node::Kind::Null) {
      out += " " + scalar_text(child) + "\n";
    } else if (child.children.empty()) {
      out += child.kind == Node::Kind::Map ? " {}\n" : " []\n";
    } else if (child.kind == Node::Kind::List && all_scalars(child)) {
      out += " [";
      for (std::size_t i = 0; i < child.children.size(); ++i) {
        out += (i == 0 ? "" : ", ") + scalar_text(child.children[i]);
      }
      out += "]\n";
    } else {
      out += "\n";
      emit(out, child, indent + 2);
    }
  }
}

}  // namespace

InputError error_at(const Place& place, const std::string& key, const std::string& message) {
  if (!place.source) return {"", 0, key, message};
  return {place.source->name, place.source->option ? 0 : place.line, key, message};
}

const Node* Node::find(const std::string& wanted) const {
  const auto found =
      std::find_if(children.begin(), children.end(), [&](const Node& child) { return child.key == wanted; });
  return kind == Kind::Map && found != children.end() ? &*found : nullptr;
}

Node* Node::find(const std::string& wanted) {
  return const_cast<Node*>(std::as_const(*this).find(wanted));
}

void Node::set(const std::string& name, Node value) {
  value.key = name;
  if (!value.place.source) value.place = place;
  if (Node* old = find(name)) {
    *old = std::move(value);
  } else {
    children.push_back(std::move(value));
  }
}

void Node::erase(const std::string& name) {
  children.erase(std::remove_if(children.begin(), children.end(), [&](const Node& child) { return child.key == name; }),
                 children.end());
}

const Node* find_path(const Node& root, const std::string& path) {
  const Node* at = &root;
  std::size_t begin = 0;
  while (at && begin <= path.size()) {
    const std::size_t end = std::min(path.find('.', begin), path.size());
    at = at->find(path.substr(begin, end - begin));
    begin = end + 1;
  }
  return at;
}

Node scalar_node(const std::string& text, bool quoted) {
  Node node;
  node.kind = Node::Kind::Scalar;
  node.text = text;
  node.quoted = quoted;
  return node;
}

Node list_node(std::vector<Node> items) {
  Node node;
  node.kind = Node::Kind::List;
  node.children = std::move(items);
  return node;
}

Node map_node() {
  Node node;
  node.kind = Node::Kind::Map;
  return node;
}

std::string describe(const Node& node) {
  switch (node.kind) {
    case Node::Kind::Null:
      return "nothing";
    case Node::Kind::List:
      return "a list";
    case Node::Kind::Map:
      return "a map";
    case Node::Kind::Scalar:
      break;
  }
  const std::string shown = node.text.size() > 60 ? node.text.substr(0, 57) + "..." : node.text;
  return node.quoted ? fmt::format("the text {}", quote(shown)) : fmt::format("'{}'", shown);
}

Node parse_yaml(const std::string& text, const std::shared_ptr<const Source>& source) {
  const auto zero = text.find('\0');
  if (zero != std::string::npos) {
    const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(zero), '\n');
    throw error_at({source, static_cast<int>(line)}, "", "not a text file: it contains a zero byte; give a YAML file");
  }
  const auto odd = find_non_utf8(text);
  if (odd != std::string::npos) {
    const int line =
        1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(odd), '\n'));
    throw error_at({source, line}, "",
                   fmt::format("byte 0x{:02x} is not UTF-8: convert the file", static_cast<unsigned char>(text[odd])));
  }
  try {
    std::istringstream in(text);
    YAML::Parser parser(in);
    Builder builder(source);
    if (!parser.HandleNextDocument(builder)) throw error_at({source, 1}, "", "is empty; write keys and values");
    Node root = builder.take();
    Builder rest(source);
    if (parser.HandleNextDocument(rest)) {
      throw error_at({source, std::max(1, rest.take().place.line)}, "", "a second document ('---'); one is allowed");
    }
    return root;
  } catch (const YAML::Exception& error) {
    std::string what = error.msg;
    std::replace(what.begin(), what.end(), '\n', ' ');
    throw error_at({source, std::max(0, error.mark.line) + 1}, "", "YAML syntax error: " + what);
  }
}

Node parse_file(const std::filesystem::path& path) {
  const std::string text = read_file(path);
  return parse_yaml(text, std::make_shared<Source>(Source{path.string(), path.parent_path(), false}));
}

std::string to_yaml(const Node& node) {
  std::string out;
  emit(out, node, 0);
  return out;
}

}  // namespace weft::config
