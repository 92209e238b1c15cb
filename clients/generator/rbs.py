"""The signatures of the Ruby library, in RBS."""

from __future__ import annotations

from clients.generator.model import Api, Field, Method, Type, templates
from clients.generator.ruby import TIME_NAME, WIDTH, class_name, comment, filled_code, options

# What goes in.
RBS_IN = {
    "string": "String",
    "enum": "word",
    "time": "moment",
    "union": "Date | moment",
    "integer": "Integer",
    "boolean": "bool",
    "map": "json_object",
    "ref": "json_object",
}
# What comes out. An enumeration may have grown since.
RBS_OUT = {
    "string": "String",
    "enum": "String",
    "time": "Time",
    "integer": "Integer",
    "number": "Integer | Float",
    "boolean": "bool",
    "map": "_Record",
    "any": "untyped",
}


def files(api: Api) -> dict[str, str]:
    """The generated signatures."""
    environment = templates("ruby", class_name=class_name, comment=comment, rbs_out=rbs_out)
    environment.globals.update(signature=signature)
    return {
        f"ruby/sig/{name}.rbs": environment.get_template(f"{name}.rbs.jinja").render(api=api)
        for name in ("resources", "records")
    }


def signature(method: Method, indent: int) -> str:
    """The types of a method, in RBS."""
    given = [f"{rbs_in(one.type)} {one.snake}" for one in method.ids]
    given += ["file input", "?filename: String?"] if method.is_upload else []
    given += [rbs_field(one, method) for one in method.fields]
    taken = [f"?{name}: {type_}?" for name, type_, _ in options(method)]
    one = f"_{method.answer}"
    head = f"{' ' * indent}def {method.snake}: "
    match method.answers:
        case "none":
            forms = [(given + taken, "nil")]
        case "page":
            forms = [(given + taken, f"Page[{one}]")]
        case "stream":
            forms = [(given, f"{{ ({one} event) -> void }} -> bot"), (given, f"-> Enumerator[{one}, bot]")]
        case "maybe":
            forms = [(given + taken, f"{one}?")]
        case _ if method.takes_if_none_match:
            # Without that option there is no nil to think of.
            forms = [(given, one), ([*given, "if_none_match: String?"], f"{one}?")]
        case _:
            forms = [(given + taken, one)]
    return head + f"\n{' ' * (len(head) - 2)}| ".join(rbs_form(*form, head) for form in forms)


def rbs_form(given: list[str], answer: str, head: str) -> str:
    """One of the ways to call a method, over as many lines as it takes."""
    arrow = answer if "->" in answer else f"-> {answer}"
    line = f"({', '.join(given)}) {arrow}"
    if len(head) + len(line) <= WIDTH:
        return line
    inner = " " * (len(head) - len(head.lstrip()) + 2)
    return f"(\n{filled_code(', '.join(given), inner)}\n{inner[2:]}) {arrow}"


def rbs_in(type_: Type) -> str:
    if type_.kind == "array" and type_.items:
        return f"Array[{'json_object' if type_.items.kind == 'union' else rbs_in(type_.items)}]"
    return RBS_IN[type_.kind]


def rbs_field(field: Field, method: Method) -> str:
    words = rbs_in(field.type)
    if field in method.query and field.type.kind == "array" and field.type.items:
        words += f" | {rbs_in(field.type.items)}"
    if field.type.is_nullable:
        words = f"({words})?" if "|" in words else f"{words}?"
    return f"{'' if field.is_required else '?'}{field.snake}: {words}"


def rbs_out(field: Field) -> str:
    """The type of a field of an answer, as the library's attribute has it."""
    is_time = field.type.kind == "string" and TIME_NAME.search(field.name)
    words = "Time" if is_time else _rbs_out(field.type)
    is_nil_too = field.type.is_nullable or not field.is_required
    return f"({words})?" if is_nil_too and "|" in words else f"{words}{'?' if is_nil_too else ''}"


def _rbs_out(type_: Type) -> str:
    if type_.kind == "array" and type_.items:
        return f"Array[{_rbs_out(type_.items)}]"
    if type_.kind == "ref":
        return f"_{type_.name}"
    if type_.kind == "enum" and set(type_.values) <= {True, False}:
        return "bool"
    return RBS_OUT[type_.kind]
