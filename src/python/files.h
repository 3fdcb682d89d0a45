// The source texts that ranges point into, for excerpts in error messages.
//
// In: the file's name and the lines that were read, when a function is captured. Out: by FileId,
// the name and a line.
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <vector>

#include "base/source.h"

namespace tangent::python {

struct SourceFile {
  std::string name;
  nanobind::object text;  // str: the part of the file that was read; null: another process did
  int first_line = 1;     // the line of the file that the text begins with
  std::string function;   // the name of the function that was read
};

// Rule files have ids of their own, so that they never meet those of captured functions.
constexpr FileId kFirstRuleFile = 0x8000;

class FileTable {
 public:
  FileId add(std::string name, nanobind::object text, int first_line, std::string function = {}) {
    if (files_.size() >= kFirstRuleFile) return kFirstRuleFile - 1;
    files_.push_back({std::move(name), std::move(text), first_line, std::move(function)});
    return static_cast<FileId>(files_.size() - 1);
  }
  [[nodiscard]] const SourceFile* find(FileId id) const {
    return id < files_.size() ? &files_[id] : nullptr;
  }

 private:
  std::vector<SourceFile> files_;
};

}  // namespace tangent::python
