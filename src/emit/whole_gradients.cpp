#include "emit/whole_gradients.h"

#include <algorithm>
#include <string>

#include "autodiff/inputs.h"

namespace tangent {

namespace {

class GradientBuilder {
 public:
  GradientBuilder(const CoreFunction& core, const std::vector<Structure>& structures,
                  const std::vector<NamedField>& fields, ReverseResult& reverse, Context& context)
      : core_(core),
        structures_(structures),
        fields_(fields),
        reverse_(reverse),
        context_(context) {}

  std::vector<const Expr*> build(const std::vector<int>& wrt,
                                 const std::vector<const Expr*>& parts) {
    std::vector<const Expr*> gradients;
    part_ = parts.begin();
    for (const int position : wrt) {
      const auto index = static_cast<std::size_t>(position);
      field_ = std::ranges::find(fields_, index, &NamedField::parameter);
      if (field_ == fields_.end()) {
        const bool items = index < structures_.size() && structures_[index].is_items();
        gradients.push_back(items ? items_of(*part_++, structures_[index].type,
                                             core_.parameters[index]->name,
                                             structures_[index].form == Structure::Form::TupleItems)
                                  : *part_++);
      } else {
        gradients.push_back(
            whole(structures_[index], std::string(core_.parameters[index]->name.text())));
      }
    }
    return gradients;
  }

 private:
  const Expr* text_of(const std::string& text) {
    return context_.make<Constant>(
        {}, Literal{.kind = LiteralKind::String, .text = context_.arena().copy_text(text)});
  }

  // The adjoint of a list is a list: arrays in it get their items' shapes, a tuple is made one.
  const Expr* items_of(const Expr* part, const Type& type, Symbol name, bool is_tuple) {
    const Expr* result = part;
    const Type* item = &type.elements.front();
    while (item->kind == TypeKind::List) item = &item->elements.front();
    if (!item->is_number()) {
      reverse_.helpers.emplace_back("_items_like");
      result = context_.make<Call>({}, context_.global(context_.symbol("_items_like")),
                                   context_.symbol("tangent.runtime._items_like"),
                                   context_.list<const Expr*>({context_.local(name), part}),
                                   List<const Keyword*>());
    }
    if (!is_tuple) return result;
    return context_.make<Call>({}, context_.global(context_.symbol("tuple")),
                               context_.symbol("builtins.tuple"),
                               context_.list<const Expr*>({result}), List<const Keyword*>());
  }

  const Expr* whole(const Structure& structure, const std::string& text) {
    if (structure.is_leaf()) {
      const NamedField& field = *field_++;
      if (is_list_of_numbers(field.type))
        return items_of(*part_++, field.type, field.name, field.is_tuple);
      if (is_active_leaf(field.type)) return *part_++;
      // A truth value counts as a number that nothing depends on; a text stays what it is.
      if (field.type.is_number()) return context_.number(0.0);
      return context_.local(field.name);
    }
    std::vector<const Expr*> keys;
    std::vector<const Expr*> values;
    std::vector<const Keyword*> keywords;
    for (const auto& [step, part] : structure.parts) {
      const Expr* value = whole(part, text + spelled(step));
      values.push_back(value);
      if (structure.form == Structure::Form::Dict) {
        keys.push_back(step.form == FieldStep::Form::Key ? text_of(step.text)
                                                         : context_.integer(step.index));
      } else if (structure.form == Structure::Form::Object) {
        keywords.push_back(context_.make<Keyword>(Ranges(), context_.symbol(step.text), value));
      }
    }
    switch (structure.form) {
      case Structure::Form::Dict:
        return context_.make<Dictionary>({}, context_.list(keys), context_.list(values));
      case Structure::Form::List:
        return context_.make<ListDisplay>({}, context_.list(values));
      case Structure::Form::Tuple:
        return context_.make<TupleDisplay>({}, context_.list(values));
      default:
        break;
    }
    // What the object did not have when it was given is no part of it.
    std::vector<const Expr*> added;
    for (const auto& [object, attribute] : core_.new_attributes) {
      if (object == text) added.push_back(text_of(std::string(attribute.text())));
    }
    if (!added.empty()) {
      keywords.push_back(context_.make<Keyword>(
          Ranges(), context_.symbol("_without"),
          context_.make<TupleDisplay>(Ranges(), Exprs(context_.list(added)))));
    }
    // An object of the same class: the fields that were not read have no derivative.
    reverse_.helpers.emplace_back("_object_like");
    return context_.make<Call>({}, context_.global(context_.symbol("_object_like")),
                               context_.symbol("tangent.runtime._object_like"),
                               context_.list<const Expr*>({context_.local(context_.symbol(text))}),
                               context_.list(keywords));
  }

  const CoreFunction& core_;
  const std::vector<Structure>& structures_;
  const std::vector<NamedField>& fields_;
  ReverseResult& reverse_;
  Context& context_;
  std::vector<const Expr*>::const_iterator part_;
  std::vector<NamedField>::const_iterator field_;
};

}  // namespace

std::vector<const Expr*> whole_gradients(const CoreFunction& core,
                                         const std::vector<Structure>& structures,
                                         const std::vector<NamedField>& fields,
                                         const std::vector<int>& wrt,
                                         const std::vector<const Expr*>& parts,
                                         ReverseResult& reverse, Context& context) {
  return GradientBuilder(core, structures, fields, reverse, context).build(wrt, parts);
}

}  // namespace tangent
