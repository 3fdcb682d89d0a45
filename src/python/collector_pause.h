// A pause of CPython's cyclic garbage collector.
//
// In: a stretch that makes and drops very many objects without cycles, such as a syntax tree, each
// of which the collector would look at again and again. Out: nothing; the collector is as it was.
#pragma once

#include <Python.h>

namespace tangent::python {

class CollectorPause {
 public:
  CollectorPause() : was_enabled_(PyGC_Disable() != 0) {}
  ~CollectorPause() {
    if (was_enabled_) PyGC_Enable();
  }
  CollectorPause(const CollectorPause&) = delete;
  CollectorPause& operator=(const CollectorPause&) = delete;

 private:
  bool was_enabled_;
};

}  // namespace tangent::python
