#include "runtime/memory.h"

#include <algorithm>
#include <unordered_map>

#include "python/structure.h"
#include "python/values.h"

namespace nb = nanobind;

namespace tangent::runtime {

namespace {

constexpr std::size_t kDeepest = 5000;  // parts of parts

bool holds(const std::vector<std::size_t>& positions, std::size_t position) {
  return std::find(positions.begin(), positions.end(), position) != positions.end();
}

// An array, a list or an object, and the argument that it is (in).
struct Piece {
  std::size_t owner;
  bool whole;                // the argument itself
  PyObject* list = nullptr;  // or an object
  bool is_object = false;
  // Of an array: where its elements begin, the lowest and the highest address.
  const char* low = nullptr;
  const char* high = nullptr;
};

class Collector {
 public:
  std::vector<Piece> pieces;

  void collect(PyObject* value, std::size_t owner) {
    owner_ = owner;
    visits_.clear();
    visit(value);
  }

 private:
  void visit(PyObject* value) {
    if (python::is_array(value, python::NumpyTypes::get())) return add_array(value);
    const bool sequence = PyList_Check(value) != 0 || PyTuple_Check(value) != 0;
    if (!sequence && PyDict_Check(value) == 0 && !python::is_plain_object(value)) return;
    const bool object = !sequence && PyDict_Check(value) == 0;
    if (PyList_Check(value) != 0 || object)
      pieces.push_back({.owner = owner_, .whole = depth_ == 0, .list = value, .is_object = object});
    // What holds itself was looked into already. What is held twice is looked into twice, which is
    // enough to find its arrays twice.
    Visits& visits = visits_[value];
    if (visits.inside || visits.count == 2 || depth_ == kDeepest) return;
    visits.inside = true;
    ++visits.count;
    ++depth_;
    if (sequence) {
      for (Py_ssize_t k = 0; k < PySequence_Fast_GET_SIZE(value); ++k)
        visit(PySequence_Fast_ITEMS(value)[k]);
    } else if (PyDict_Check(value) != 0) {
      visit_entries(value);
    } else {
      visit_fields(value);
    }
    --depth_;
    visits_[value].inside = false;
  }

  void visit_entries(PyObject* dictionary) {
    Py_ssize_t position = 0;
    PyObject* key = nullptr;
    PyObject* part = nullptr;
    while (PyDict_Next(dictionary, &position, &key, &part) != 0) visit(part);
  }

  void visit_fields(PyObject* object) {
    PyTypeObject* type = Py_TYPE(object);
    const nb::object fields = nb::steal(PyObject_GenericGetDict(object, nullptr));
    if (!fields.is_valid()) {
      PyErr_Clear();
    } else {
      visit_entries(fields.ptr());
    }
    for (PyTypeObject* base = type; base != nullptr; base = base->tp_base) {
      if ((base->tp_flags & Py_TPFLAGS_HEAPTYPE) == 0) break;
      PyObject* slots = reinterpret_cast<PyHeapTypeObject*>(base)->ht_slots;
      for (Py_ssize_t k = 0; slots != nullptr && k < PyTuple_GET_SIZE(slots); ++k) {
        const nb::object part =
            nb::steal(PyObject_GenericGetAttr(object, PyTuple_GET_ITEM(slots, k)));
        if (part.is_valid()) {
          visit(part.ptr());
        } else {
          PyErr_Clear();
        }
      }
    }
  }

  void add_array(PyObject* array) {
    const python::ArrayHead* head = python::array_head(array);
    const char* low = head->data;
    const char* high = head->data;
    for (int axis = 0; axis < head->rank; ++axis) {
      if (head->lengths[axis] == 0) return;
      const Py_ssize_t reach = (head->lengths[axis] - 1) * head->strides[axis];
      (reach < 0 ? low : high) += reach;
    }
    pieces.push_back({.owner = owner_, .whole = depth_ == 0, .low = low, .high = high});
  }

  struct Visits {
    bool inside = false;  // it is around what is looked at now
    int count = 0;
  };
  std::size_t owner_ = 0;
  std::size_t depth_ = 0;
  std::unordered_map<PyObject*, Visits> visits_;
};

}  // namespace

std::optional<SharedMemory> shared_memory(PyObject* self, PyObject* const* values,
                                          std::size_t first, std::size_t count,
                                          const Written& written,
                                          const std::vector<PyObject*>& outside) {
  Collector collector;
  if (self != nullptr) collector.collect(self, first - 1);
  for (std::size_t k = 0; k < count; ++k) collector.collect(values[k], first + k);
  for (PyObject* value : outside) collector.collect(value, kOutside);
  const std::vector<Piece>& pieces = collector.pieces;
  for (std::size_t a = 0; a < pieces.size(); ++a) {
    const Piece& mine = pieces[a];
    const bool list = mine.list != nullptr;
    const bool is_written = mine.is_object ? holds(written.objects, mine.owner)
                            : list         ? holds(written.lists, mine.owner)
                                           : holds(written.arrays, mine.owner);
    if (!is_written) continue;
    for (std::size_t b = 0; b < pieces.size(); ++b) {
      const Piece& other = pieces[b];
      if (a == b || list != (other.list != nullptr)) continue;
      const bool shared =
          list ? mine.list == other.list : mine.low <= other.high && other.low <= mine.high;
      if (shared) return SharedMemory{mine.owner, other.owner};
    }
  }
  return std::nullopt;
}

}  // namespace tangent::runtime
