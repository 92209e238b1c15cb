"""Generates the RBS signatures of the Ruby library."""

from __future__ import annotations

from clients.generator.model import Api, Field, Method, Type, template_environment
from clients.generator.ruby import TIME_NAME, WIDTH, class_name, comment, filled_code, options, ruby_names

# Types of arguments.
ARGUMENT_TYPES = {
    "string": "String",
    "enum": "string_like",
    "time": "time_like",
    "union": "Date | time_like",
    "integer": "Integer",
    "boolean": "bool",
    "map": "json_object",
    "ref": "json_object",
}
OPTION_TYPES = {"String": "String", "Integer": "Integer", "Boolean": "bool"}
# Types of record attributes. An enum is a String, since a newer server may return new values.
ATTRIBUTE_TYPES = {
    "string": "String",
    "enum": "String",
    "time": "Time",
    "integer": "Integer",
    "number": "Integer | Float",
    "boolean": "bool",
    "map": "_Record",
    "any": "untyped",
}


def generate(api: Api) -> dict[str, str]:
    """Return the text of each generated file by its path relative to clients/."""
    environment = template_environment(
        "ruby", class_name=class_name, comment=comment, attribute_type=attribute_type, ruby_names=ruby_names
    )
    environment.globals.update(signature=signature)
    return {
        f"ruby/sig/{name}.rbs": environment.get_template(f"{name}.rbs.jinja").render(api=api)
        for name in ("resources", "records")
    }


def signature(method: Method, indent: int) -> str:
    """Return the RBS signature of a method with its overloads."""
    parameters = [f"{argument_type(one.type)} {one.snake}" for one in method.ids]
    parameters += ["file input", "?filename: String?"] if method.is_upload else []
    parameters += [keyword(one, method) for one in method.fields]
    with_options = [*parameters, *(f"?{name}: {OPTION_TYPES[type_]}?" for name, type_, _ in options(method))]
    record = f"_{method.schema}"
    head = f"{' ' * indent}def {method.snake}: "
    match method.returns:
        case "none":
            overloads = [(with_options, "nil")]
        case "page":
            overloads = [(with_options, f"Page[{record}]")]
        case "stream":
            overloads = [
                (parameters, f"{{ ({record} event) -> void }} -> bot"),
                (parameters, f"-> Enumerator[{record}, bot]"),
            ]
        case "optional":
            overloads = [(with_options, f"{record}?")]
        case _ if method.accepts_if_none_match:
            # Only with this option can the method return nil.
            overloads = [(parameters, record), ([*parameters, "if_none_match: String?"], f"{record}?")]
        case _:
            overloads = [(with_options, record)]
    return head + f"\n{' ' * (len(head) - 2)}| ".join(overload(*one, head) for one in overloads)


def overload(parameters: list[str], return_type: str, head: str) -> str:
    """Return an overload of a method, wrapped."""
    arrow = return_type if "->" in return_type else f"-> {return_type}"
    line = f"({', '.join(parameters)}) {arrow}"
    if len(head) + len(line) <= WIDTH:
        return line
    inner = " " * (len(head) - len(head.lstrip()) + 2)
    return f"(\n{filled_code(', '.join(parameters), inner)}\n{inner[2:]}) {arrow}"


def argument_type(type_: Type) -> str:
    if type_.kind == "array" and type_.items:
        return f"Array[{'json_object' if type_.items.kind == 'union' else argument_type(type_.items)}]"
    return ARGUMENT_TYPES[type_.kind]


def keyword(field: Field, method: Method) -> str:
    type_ = argument_type(field.type)
    if field in method.query and field.type.kind == "array" and field.type.items:
        type_ += f" | {argument_type(field.type.items)}"
    if field.type.is_nullable:
        type_ = f"({type_})?" if "|" in type_ else f"{type_}?"
    return f"{'' if field.is_required else '?'}{field.snake}: {type_}"


def attribute_type(field: Field) -> str:
    """Return the type of a record's attribute."""
    is_time = field.type.kind == "string" and TIME_NAME.search(field.name)
    type_ = "Time" if is_time else _attribute_type(field.type)
    is_optional = field.type.is_nullable or not field.is_required
    return f"({type_})?" if is_optional and "|" in type_ else f"{type_}{'?' if is_optional else ''}"


def _attribute_type(type_: Type) -> str:
    if type_.kind == "array" and type_.items:
        return f"Array[{_attribute_type(type_.items)}]"
    if type_.kind == "ref":
        return f"_{type_.name}"
    if type_.kind == "enum" and set(type_.values) <= {True, False}:
        return "bool"
    return ATTRIBUTE_TYPES[type_.kind]
