// A callable that is passed down and not kept, without a template at the other end.
//
// In: any callable that outlives the call it is passed to. Out: one type per signature, so that the
// function that takes it is compiled once and not once per caller.
#pragma once

#include <concepts>
#include <memory>
#include <type_traits>
#include <utility>

namespace tangent {

template <class Signature>
class FunctionView;

template <class Result, class... Arguments>
class FunctionView<Result(Arguments...)> {
 public:
  template <class F>
    requires(!std::same_as<std::remove_cvref_t<F>, FunctionView> &&
             std::is_invocable_r_v<Result, F&, Arguments...>)
  FunctionView(F&& function)  // NOLINT(bugprone-forwarding-reference-overload): constrained above
      : object_(const_cast<void*>(static_cast<const void*>(std::addressof(function)))),
        call_([](void* object, Arguments... arguments) -> Result {
          return static_cast<Result>(
              (*static_cast<std::remove_reference_t<F>*>(object))(arguments...));
        }) {}

  Result operator()(Arguments... arguments) const { return call_(object_, arguments...); }

 private:
  void* object_;
  Result (*call_)(void*, Arguments...);
};

}  // namespace tangent
