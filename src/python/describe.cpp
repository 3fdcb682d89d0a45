#include "python/describe.h"

#include <link.h>

#include <bit>
#include <cstring>

#include "python/entries.h"
#include "python/outside.h"
#include "python/structure.h"
#include "python/text.h"
#include "python/values.h"
#include "store/bytes.h"
#include "store/stored_variant.h"

namespace nb = nanobind;

namespace tangent::python {

namespace {

// A str attribute's text, or nothing.
std::string text_of_attribute(nb::handle object, const char* name) {
  PyObject* found = PyObject_GetAttrString(object.ptr(), name);
  if (found == nullptr) PyErr_Clear();
  const nb::object held = nb::steal(found);
  return held.is_valid() && PyUnicode_Check(found) != 0 ? std::string(view(held)) : std::string();
}

std::string version_of_package(std::string_view module) {
  const std::string package(module.substr(0, module.find('.')));
  PyObject* found = PyDict_GetItemString(PyImport_GetModuleDict(), package.c_str());
  return found != nullptr ? text_of_attribute(found, "__version__") : std::string();
}

std::optional<std::string> bytes_of(nb::handle result) {
  if (PyBytes_Check(result.ptr()) == 0) return std::nullopt;
  return std::string(PyBytes_AS_STRING(result.ptr()),
                     static_cast<std::size_t>(PyBytes_GET_SIZE(result.ptr())));
}

std::optional<std::string> with(const char* what, const std::optional<std::string>& inner) {
  if (!inner) return std::nullopt;
  return what + *inner;
}

// What the engine calls a library's function goes by where it is held and what it is called.
std::string described_library(nb::handle object) {
  const std::string module = text_of_attribute(object, "__module__");
  std::string name = text_of_attribute(object, "__qualname__");
  const std::string short_name = text_of_attribute(object, "__name__");
  if (name.empty()) name = short_name;
  ByteWriter out;
  out.text(Py_TYPE(object.ptr())->tp_name);
  out.text(module);
  out.text(name);
  out.text(short_name);
  const std::string open = module.substr(0, module.find("._"));
  for (const std::string& place :
       {module, open, std::string("numpy"), std::string("scipy.special")})
    out.flag(!place.empty() && !name.empty() && is_known_as(object, place, name));
  out.text(version_of_package(module.empty() ? "numpy" : module));
  return "library " + out.take();
}

std::optional<std::string> described_class(nb::handle type) {
  return bytes_of(nb::module_::import_("tangent._fingerprint").attr("of_class")(type));
}

// A value of which the engine knows the number or text itself.
std::optional<std::string> described_literal(nb::handle value) {
  PyObject* object = value.ptr();
  const bool literal = object == Py_None || object == Py_True || object == Py_False ||
                       PyFloat_CheckExact(object) || PyLong_CheckExact(object) ||
                       PyUnicode_CheckExact(object);
  if (!literal) return std::nullopt;
  if (PyUnicode_CheckExact(object)) return "text " + std::string(view(value));
  const nb::object text = nb::steal(PyObject_Repr(object));
  if (!text.is_valid()) throw nb::python_error();
  return std::string("number ") + Py_TYPE(object)->tp_name + " " + std::string(view(text));
}

// What holds functions: its entries have questions of their own. Of its keys the words count.
std::optional<std::string> described_container(nb::handle value) {
  PyObject* held = value.ptr();
  const std::string_view type(Py_TYPE(held)->tp_name);
  if (PyTuple_CheckExact(held) != 0) {
    std::string words;
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(held); ++k) {
      const std::string word = entry_word(PyTuple_GET_ITEM(held, k));
      if (word.empty()) return "container tuple";
      words += word + "\n";
    }
    return "keys " + words;
  }
  if (PyDict_CheckExact(held) != 0 || PyList_CheckExact(held) != 0 || type == "functools.partial")
    return "container " + std::string(type);
  return std::nullopt;
}

std::string described_value(nb::handle value) {
  Arena arena;
  std::uint32_t next_dim = 2;
  std::string text = "value " + described(type_of_value(value.ptr(), arena, next_dim));
  if (is_plain_object(value.ptr())) {
    const nb::handle type(reinterpret_cast<PyObject*>(Py_TYPE(value.ptr())));
    text += text_of_attribute(type, "__module__") + "." + text_of_attribute(type, "__qualname__");
  }
  return text;
}

// What a class holds: a method, a property, a value.
std::optional<std::string> described_member(nb::handle raw, const char* inner) {
  const nb::object function = nb::getattr(raw, inner, nb::none());
  return with(Py_TYPE(raw.ptr())->tp_name, described(function, true));
}

// The build id of this binary, which the linker makes of its contents; empty where it has none.
std::string build_id() {
  struct Search {
    std::uintptr_t here;
    std::string found;
  } search{reinterpret_cast<std::uintptr_t>(&build_id), {}};
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        auto& wanted = *static_cast<Search*>(data);
        bool contains = false;
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const ElfW(Phdr)& header = info->dlpi_phdr[i];
          const std::uintptr_t start = info->dlpi_addr + header.p_vaddr;
          contains = contains || (header.p_type == PT_LOAD && wanted.here >= start &&
                                  wanted.here < start + header.p_memsz);
        }
        if (!contains) return 0;
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const ElfW(Phdr)& header = info->dlpi_phdr[i];
          if (header.p_type != PT_NOTE) continue;
          const auto* note = std::bit_cast<const char*>(info->dlpi_addr + header.p_vaddr);
          const char* end = note + header.p_memsz;
          while (note + sizeof(ElfW(Nhdr)) <= end) {
            ElfW(Nhdr) head;
            std::memcpy(&head, note, sizeof head);
            const char* name = note + sizeof head;
            const char* value = name + ((head.n_namesz + 3U) & ~3U);
            if (head.n_type == NT_GNU_BUILD_ID && head.n_namesz == 4 &&
                std::memcmp(name, "GNU", 4) == 0) {
              wanted.found.assign(value, head.n_descsz);
            }
            note = value + ((head.n_descsz + 3U) & ~3U);
          }
        }
        return 1;
      },
      &search);
  return search.found;
}

}  // namespace

std::optional<std::string> fingerprint(nb::handle function, nb::handle parsed) {
  nb::handle plain = function;
  if (PyMethod_Check(plain.ptr()) != 0) plain = nb::handle(PyMethod_GET_FUNCTION(plain.ptr()));
  const nb::object of_function = nb::module_::import_("tangent._fingerprint").attr("of_function");
  const nb::object text = parsed.is_valid() ? nb::borrow(parsed) : nb::none();
  return bytes_of(of_function(plain, text));
}

std::optional<std::string> described(nb::handle object, bool literal_asked) {
  PyObject* pointer = object.ptr();
  if (PyModule_Check(pointer) != 0) {
    const std::string name = text_of_attribute(object, "__name__");
    return "module " + name + " " + (is_library_module(name) ? version_of_package(name) : "");
  }
  if (Py_IS_TYPE(pointer, &PyClassMethod_Type) || Py_IS_TYPE(pointer, &PyStaticMethod_Type))
    return described_member(object, "__func__");
  if (Py_IS_TYPE(pointer, &PyProperty_Type)) {
    const std::optional<std::string> getter = described_member(object, "fget");
    const std::optional<std::string> setter = described_member(object, "fset");
    if (!getter || !setter) return std::nullopt;
    return *getter + *setter;
  }
  const std::string module = text_of_attribute(object, "__module__");
  const bool library = is_library_module(module);
  if (is_plain_value(object)) {
    if (!literal_asked) return described_value(object);
    if (std::optional<std::string> literal = described_literal(object)) return literal;
    if (is_plain_object(pointer)) return with("object ", described_class_of(object));
    return described_container(object);
  }
  if (PyType_Check(pointer) != 0)
    return library ? described_library(object) : with("class ", described_class(object));
  if (PyFunction_Check(pointer) != 0)
    return library ? described_library(object) : with("function ", fingerprint(object, {}));
  if (PyMethod_Check(pointer) != 0 && PyFunction_Check(PyMethod_GET_FUNCTION(pointer)) != 0 &&
      !library) {
    const std::optional<std::string> owner = described_class_of(PyMethod_GET_SELF(pointer));
    const std::optional<std::string> function = fingerprint(object, {});
    if (!owner || !function) return std::nullopt;
    return "method " + *function + *owner;
  }
  return described_library(object);
}

std::optional<std::string> described_class_of(nb::handle object) {
  if (!is_plain_object(object.ptr())) return std::string();
  const nb::handle type(reinterpret_cast<PyObject*>(Py_TYPE(object.ptr())));
  const bool library = is_library_module(text_of_attribute(type, "__module__"));
  return library ? described_library(type) : described_class(type);
}

std::string describe_engine() {
  ByteWriter out;
  const nb::object package = nb::module_::import_("tangent");
  out.text(text_of_attribute(package, "__version__"));
  out.text(build_id());
  out.text(Py_GetVersion());
  out.text(version_of_package("numpy"));
  return out.take();
}

}  // namespace tangent::python
