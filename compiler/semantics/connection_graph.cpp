#include "compiler/semantics/connection_graph.h"

#include <algorithm>
#include <vector>

namespace luztar {
namespace {

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + '"';
}

std::string last_name(const std::string& name) { return name.substr(name.rfind('.') + 1); }

class Drawing {
 public:
  explicit Drawing(const FlatModel& model)
      : model_(model), children_(model.parts.size()), own_connectors_(model.parts.size()) {
    for (const PartId part : model.parts.ids()) {
      const PartId parent = model.parts[part].parent;
      if (parent.valid()) children_[parent.value].push_back(part);
    }
    for (const ConnectorId connector : model.connectors.ids()) {
      own_connectors_[model.connectors[connector].part.value].push_back(connector);
    }
    used_.assign(model.connectors.size(), 0);
    for (const FlatConnection& c : model.connections) used_[c.a.value] = used_[c.b.value] = 1;
  }

  std::string draw() {
    out_ = "graph " + quoted(model_.name) +
           " {\n"
           "  graph [rankdir=LR, ranksep=1.2, fontname=\"Helvetica\", labeljust=l, color=gray60]\n"
           "  node [shape=box, style=rounded, fontname=\"Helvetica\", fontsize=11]\n"
           "  edge [fontname=\"Helvetica\", fontsize=8, labeldistance=1.4, color=gray30]\n";
    draw_parts();
    for (const FlatConnection& connection : model_.connections) draw(connection);
    return out_ + "}\n";
  }

 private:
  struct Step {
    PartId part;
    std::size_t next = 0;  // child to draw
  };

  [[nodiscard]] bool is_composite(PartId part) const { return !children_[part.value].empty(); }

  // Frames within frames, with a stack of those that are open.
  void draw_parts() {
    std::vector<Step> open{{PartId{std::size_t{0}}, 0}};
    draw_ports(open.back().part, 1);
    while (!open.empty()) {
      Step& step = open.back();
      const std::vector<PartId>& children = children_[step.part.value];
      if (step.next == children.size()) {
        open.pop_back();
        if (!open.empty()) line(open.size(), "}");
        continue;
      }
      const PartId child = children[step.next++];
      const FlatPart& part = model_.parts[child];
      if (!is_composite(child)) {
        line(open.size(), quoted(part.name) + " [label=" + label(part) + "]");
        continue;
      }
      line(open.size(), "subgraph " + quoted("cluster " + part.name) + " {");
      open.push_back({child, 0});
      line(open.size(), "label=" + label(part));
      draw_ports(child, open.size());
    }
  }

  /// Connectors of a composite are nodes: something may stand on both sides.
  void draw_ports(PartId part, std::size_t depth) {
    for (const ConnectorId id : own_connectors_[part.value]) {
      const FlatConnector& connector = model_.connectors[id];
      if (used_[id.value] == 0) continue;
      line(depth, quoted(connector.name) + " [shape=plaintext, style=\"\", label=" +
                      quoted(last_name(connector.name)) + "]");
    }
  }

  static std::string label(const FlatPart& part) {
    const std::string text = quoted(last_name(part.name) + "\n" + part.class_name);
    std::string result;
    for (const char c : text) result += c == '\n' ? std::string("\\n") : std::string(1, c);
    return result;
  }

  void draw(const FlatConnection& connection) {
    const FlatConnector& a = model_.connectors[connection.a];
    const FlatConnector& b = model_.connectors[connection.b];
    const bool signal = a.flows.empty() && b.flows.empty();
    const bool backwards = signal && gives(b, connection.scope);
    const FlatConnector& from = backwards ? b : a;
    const FlatConnector& to = backwards ? a : b;
    std::string text = quoted(node(from)) + " -- " + quoted(node(to)) + " [" +
                       (is_port(from) ? "" : "taillabel=" + quoted(last_name(from.name)) + ", ") +
                       (is_port(to) ? "" : "headlabel=" + quoted(last_name(to.name)) + ", ") +
                       (signal ? "dir=forward, style=dashed]" : "penwidth=1.5]");
    line(1, text);
  }

  /// The side that a signal comes from: an output, or an input of the part around the connection.
  [[nodiscard]] bool gives(const FlatConnector& connector, PartId scope) const {
    const bool inside = connector.part == scope;
    return std::any_of(connector.signals.begin(), connector.signals.end(), [&](VariableId v) {
      return inside ? model_.variables[v].input : model_.variables[v].output;
    });
  }

  [[nodiscard]] bool is_port(const FlatConnector& connector) const {
    return !connector.part.value || is_composite(connector.part);
  }

  [[nodiscard]] std::string node(const FlatConnector& connector) const {
    return is_port(connector) ? connector.name : model_.parts[connector.part].name;
  }

  void line(std::size_t depth, const std::string& text) {
    out_ += std::string(2 * depth, ' ') + text + "\n";
  }

  const FlatModel& model_;
  std::vector<std::vector<PartId>> children_;
  std::vector<std::vector<ConnectorId>> own_connectors_;
  std::vector<char> used_;  // by connector
  std::string out_;
};

}  // namespace

std::string connection_graph(const FlatModel& model) { return Drawing(model).draw(); }

}  // namespace luztar
