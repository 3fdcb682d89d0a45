// What all captured functions of a process share: the names and the derivative rules.
//
// In: nothing. Out: one Session per interpreter, kept by the module `tangent._core`; whoever uses
// its rules holds its lock, a Python RLock, so that waiting for it does not block the interpreter.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/symbols.h"
#include "rules/rule.h"

namespace tangent::python {

class Session {
 public:
  Session();

  [[nodiscard]] const std::shared_ptr<Symbols>& symbols() const { return symbols_; }
  RuleBook& rules() { return rules_; }
  // Numbers the emitted functions of the process.
  std::uint64_t next_number() { return ++last_number_; }

  // To be called whenever a rule is registered, changed or taken away: every gradient that was made
  // before is made anew when it is called next. `description` says what changed in words that mean
  // the same in every process (the text of the rule and for what it is); without one nothing is
  // read from the disk cache or kept there any more.
  void rules_changed(std::optional<std::string_view> description = std::nullopt);
  // Counts those changes.
  [[nodiscard]] std::uint64_t rule_generation() const { return rule_generation_; }
  // All of them so far, as part of a key; nothing if one of them has no description.
  [[nodiscard]] const std::optional<std::string>& rule_history() const { return rule_history_; }
  // What names in records of users stand for (user_rules.h), of functions of libraries.
  void keep_rule_object(const std::string& name, nanobind::object object) {
    rule_objects_[name] = std::move(object);
  }
  [[nodiscard]] nanobind::object rule_object(const std::string& name) const {
    const auto found = rule_objects_.find(name);
    return found != rule_objects_.end() ? found->second : nanobind::object();
  }

  // Takes the text of an emitted function out of linecache, though not at once.
  void retire_text(nanobind::object filename);

  // Holds the lock as long as it lives.
  class Lock {
   public:
    explicit Lock(Session& session);
    ~Lock();
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;

   private:
    nanobind::object lock_;
  };

 private:
  std::shared_ptr<Symbols> symbols_;
  RuleBook rules_;
  nanobind::object lock_;
  std::uint64_t last_number_ = 0;
  std::uint64_t rule_generation_ = 0;
  std::optional<std::string> rule_history_ = std::string();
  std::unordered_map<std::string, nanobind::object> rule_objects_;
  std::deque<nanobind::object> retired_;  // file names whose functions are gone
};

// The interpreter's session, made when the module is imported.
Session& session();

}  // namespace tangent::python
