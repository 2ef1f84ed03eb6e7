//! A check by the syntax tree whether all state of a component is in its own modules. Several sources with such code can run in
//! one process: each has its own copy of the modules, and they have nothing else in common.
//!
//! The check guards against accidents, such as a counter in a global. It cannot stop code that tries to reach its copies: such
//! code could do the same within one source.

use std::{ffi::OsStr, path::Path};

use oxc_ast::ast::{
    Argument, AssignmentTarget, CallExpression, Expression, Function, FunctionType,
    IdentifierReference, ImportExpression, ImportMeta, Program, SimpleAssignmentTarget,
    StaticMemberExpression, StringLiteral, ThisExpression, UnaryExpression, UnaryOperator,
};
use oxc_ast_visit::{Visit, walk};
use oxc_semantic::{ScopeFlags, Scoping, SemanticBuilder};
use sluice_model::{CodeFile, CodeFiles};

use crate::{imports, language::Language, parse::parse_file, specifier::Specifier};

/// Globals that keep no state for their callers, as long as nothing is assigned to them.
const STATELESS: &[&str] = &[
    "AbortController",
    "AbortSignal",
    "AggregateError",
    "Array",
    "ArrayBuffer",
    "BigInt",
    "BigInt64Array",
    "BigUint64Array",
    "Blob",
    "Boolean",
    "Buffer",
    "ByteLengthQueuingStrategy",
    "CompressionStream",
    "CountQueuingStrategy",
    "CustomEvent",
    "DOMException",
    "DataView",
    "Date",
    "DecompressionStream",
    "Error",
    "EvalError",
    "Event",
    "EventTarget",
    "File",
    "Float32Array",
    "Float64Array",
    "FormData",
    "Headers",
    "Infinity",
    "Int16Array",
    "Int32Array",
    "Int8Array",
    "Intl",
    "Iterator",
    "JSON",
    "Map",
    "Math",
    "NaN",
    "Number",
    "Object",
    "Promise",
    "Proxy",
    "RangeError",
    "ReadableStream",
    "ReferenceError",
    "Reflect",
    "RegExp",
    "Request",
    "Response",
    "Set",
    "String",
    "Symbol",
    "SyntaxError",
    "TextDecoder",
    "TextDecoderStream",
    "TextEncoder",
    "TextEncoderStream",
    "TransformStream",
    "TypeError",
    "URIError",
    "URL",
    "URLPattern",
    "URLSearchParams",
    "Uint16Array",
    "Uint32Array",
    "Uint8Array",
    "Uint8ClampedArray",
    "WeakMap",
    "WeakRef",
    "WeakSet",
    "WritableStream",
    "arguments",
    "atob",
    "btoa",
    "clearImmediate",
    "clearInterval",
    "clearTimeout",
    "console",
    "crypto",
    "decodeURI",
    "decodeURIComponent",
    "defineAction",
    "defineApp",
    "defineComponent",
    "defineSource",
    "encodeURI",
    "encodeURIComponent",
    "escape",
    "fetch",
    "isFinite",
    "isNaN",
    "parseFloat",
    "parseInt",
    "performance",
    "queueMicrotask",
    "setImmediate",
    "setInterval",
    "setTimeout",
    "structuredClone",
    "undefined",
    "unescape",
];
/// The variables of a CommonJS module.
const OF_MODULE: &[&str] = &["exports", "module"];
/// Properties that lead to objects of the language.
const PROTOTYPES: &[&str] = &["__proto__", "prototype"];

/// Whether two copies of this code in one process have nothing in common. Code that does not parse has.
pub fn is_self_contained(files: &CodeFiles) -> bool {
    files.all().all(is_self_contained_file)
}

fn is_self_contained_file(file: &CodeFile) -> bool {
    let extension = Path::new(&file.link.path)
        .extension()
        .and_then(OsStr::to_str);
    let language = match extension {
        Some("json") => return true,
        Some("ts" | "mts" | "cts") => Language::TypeScript,
        _ => Language::JavaScript,
    };
    let checked = parse_file(&file.text, language, |parsed| {
        let program = &parsed.program;
        imports_own_files(program) && uses_own_state(program)
    });
    checked.unwrap_or(false)
}

fn imports_own_files(program: &Program<'_>) -> bool {
    let imports = imports::of(program, program.source_type.is_module());
    let mut imports = imports.iter();
    imports.all(|import| Specifier::parse(&import.specifier) == Specifier::Relative)
}

fn uses_own_state(program: &Program<'_>) -> bool {
    let semantic = SemanticBuilder::new().build(program).semantic;
    let scoping = semantic.scoping();
    let globals = scoping.root_unresolved_references();
    let mut uses = globals.iter().flat_map(|(name, references)| {
        let references = references.iter().map(|id| scoping.get_reference(*id));
        references.map(move |reference| (name.as_str(), reference))
    });
    let is_allowed = uses.all(|(name, reference)| {
        !reference.is_value() || (!reference.is_write() && is_known(name))
    });
    is_allowed && !Finder::finds_shared_state(program, scoping)
}

fn is_known(name: &str) -> bool {
    STATELESS.contains(&name) || OF_MODULE.contains(&name)
}

/// Looks for changes of globals, and for code that is made at run time.
struct Finder<'s> {
    scoping: &'s Scoping,
    /// In sloppy code `this` of a plain function is the global object.
    is_sloppy: bool,
    plain_functions: usize,
    has_found: bool,
}

impl Finder<'_> {
    fn finds_shared_state(program: &Program<'_>, scoping: &Scoping) -> bool {
        let mut finder = Finder {
            scoping,
            is_sloppy: !program.source_type.is_module(),
            plain_functions: 0,
            has_found: false,
        };
        finder.visit_program(program);
        finder.has_found
    }

    fn is_global(&self, identifier: &IdentifierReference<'_>) -> bool {
        let reference = identifier.reference_id.get();
        reference.is_none_or(|id| self.scoping.get_reference(id).symbol_id().is_none())
    }

    /// Whether an object is a global, or a part of one.
    fn is_of_global(&self, object: &Expression<'_>) -> bool {
        match object.get_inner_expression() {
            Expression::Identifier(identifier) => {
                !OF_MODULE.contains(&identifier.name.as_str()) && self.is_global(identifier)
            }
            Expression::StaticMemberExpression(member) => self.is_of_global(&member.object),
            Expression::ComputedMemberExpression(member) => self.is_of_global(&member.object),
            _ => false,
        }
    }

    fn changes_global(&self, target: &SimpleAssignmentTarget<'_>) -> bool {
        match target {
            SimpleAssignmentTarget::StaticMemberExpression(member) => {
                self.is_of_global(&member.object)
            }
            SimpleAssignmentTarget::ComputedMemberExpression(member) => {
                self.is_of_global(&member.object)
            }
            _ => false,
        }
    }
}

impl<'a> Visit<'a> for Finder<'_> {
    fn visit_simple_assignment_target(&mut self, target: &SimpleAssignmentTarget<'a>) {
        self.has_found |= self.changes_global(target);
        walk::walk_simple_assignment_target(self, target);
    }

    fn visit_assignment_target(&mut self, target: &AssignmentTarget<'a>) {
        if let Some(simple) = target.as_simple_assignment_target() {
            self.has_found |= self.changes_global(simple);
        }
        walk::walk_assignment_target(self, target);
    }

    fn visit_unary_expression(&mut self, unary: &UnaryExpression<'a>) {
        let object = match unary.argument.get_inner_expression() {
            Expression::StaticMemberExpression(member) => Some(&member.object),
            Expression::ComputedMemberExpression(member) => Some(&member.object),
            _ => None,
        };
        self.has_found |= unary.operator == UnaryOperator::Delete
            && object.is_some_and(|object| self.is_of_global(object));
        walk::walk_unary_expression(self, unary);
    }

    fn visit_static_member_expression(&mut self, member: &StaticMemberExpression<'a>) {
        self.has_found |= PROTOTYPES.contains(&member.property.name.as_str());
        walk::walk_static_member_expression(self, member);
    }

    fn visit_string_literal(&mut self, text: &StringLiteral<'a>) {
        self.has_found |= PROTOTYPES.contains(&text.value.as_str());
    }

    /// `Object.assign(Math, …)` and the like.
    fn visit_call_expression(&mut self, call: &CallExpression<'a>) {
        let target = call.arguments.first().and_then(Argument::as_expression);
        self.has_found |= self.is_of_global(&call.callee)
            && target.is_some_and(|target| self.is_container(target));
        walk::walk_call_expression(self, call);
    }

    fn visit_import_expression(&mut self, _: &ImportExpression<'a>) {
        self.has_found = true;
    }

    fn visit_import_meta(&mut self, _: &ImportMeta) {
        self.has_found = true;
    }

    fn visit_function(&mut self, function: &Function<'a>, flags: ScopeFlags) {
        let is_plain = function.r#type == FunctionType::FunctionDeclaration;
        self.plain_functions += usize::from(is_plain);
        walk::walk_function(self, function, flags);
        self.plain_functions -= usize::from(is_plain);
    }

    fn visit_this_expression(&mut self, _: &ThisExpression) {
        self.has_found |= self.is_sloppy && self.plain_functions > 0;
    }
}

impl Finder<'_> {
    fn is_container(&self, target: &Expression<'_>) -> bool {
        const VALUES: &[&str] = &["undefined", "NaN", "Infinity", "arguments"];
        match target.get_inner_expression() {
            Expression::Identifier(identifier) => {
                !VALUES.contains(&identifier.name.as_str()) && self.is_of_global(target)
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use sluice_model::ModuleFormat;

    use super::*;

    fn contained(code: &str, format: ModuleFormat) -> bool {
        is_self_contained(&CodeFiles::single(code, format))
    }

    #[test]
    fn code_with_its_own_state_is_self_contained() {
        for code in [
            "export default { name: 'a', run() { this.$emit(Math.max(1, Date.now())); } }",
            "let count = 0; export default { run() { count += 1; this.db.set('n', count); } }",
            "import { a } from './a.mjs'; export default { run: () => fetch(a).then((r) => r.json()) }",
            "export default { async run({ items }) { items.filter(Boolean).map(Number); } }",
            "const process = { env: {} }; process.env.A = 1; export default {};",
            "class A { #b = 1; get b() { return this.#b; } } export default { run() { new A(); } }",
            "export default { run(event) { Object.assign(event, { a: undefined }); } }",
        ] {
            assert!(contained(code, ModuleFormat::EsModule), "{code}");
        }
        for code in [
            "module.exports = { name: 'a', props: { db: '$.service.db' }, run() { this.db.get('a'); } }",
            "exports.name = 'a'; const f = function () { return this; };",
            "function add(a, b) { return a + b; } module.exports = { run: () => add(1, 2) };",
        ] {
            assert!(contained(code, ModuleFormat::CommonJs), "{code}");
        }
    }

    #[test]
    fn code_that_reaches_beyond_its_modules_is_not() {
        for code in [
            "export default { run() { console.log(process.env.A); } }",
            "export default { run() { globalThis.count = 1; } }",
            "export default { run() { self.count = 1; } }",
            "import fs from 'node:fs'; export default {};",
            "import fs from 'fs'; export default {};",
            "import axios from 'axios'; export default {};",
            "export { default } from 'axios';",
            "export default { run: () => import('./a.mjs') }",
            "export default { run: () => import.meta.url }",
            "Array.prototype.last = 1; export default {};",
            "const { prototype } = Array; Object.defineProperty(Array['prototype'], 'a', {}); export default {};",
            "Math.cached = 1; export default {};",
            "Error.stackTraceLimit++; export default {};",
            "delete console.log; export default {};",
            "[console.log] = [1]; export default {};",
            "Object.assign(console, {}); export default {};",
            "new Function('return this')(); export default {};",
            "eval('1'); export default {};",
            "new Worker('a'); export default {};",
            "new BroadcastChannel('a'); export default {};",
            "Deno.pid; export default {};",
        ] {
            assert!(!contained(code, ModuleFormat::EsModule), "{code}");
        }
        for code in [
            "const fs = require('fs'); module.exports = {};",
            "count = 1; module.exports = {};",
            "function f() { this.count = 1; } f(); module.exports = {};",
            "module.exports = {",
        ] {
            assert!(!contained(code, ModuleFormat::CommonJs), "{code}");
        }
    }

    #[test]
    fn types_are_no_state() {
        let mut files = CodeFiles::single(
            "const a: Record<string, Foo> = {}; export default { a } as Partial<object>;",
            ModuleFormat::EsModule,
        );
        files.entry.link.path = "component.ts".to_owned();
        assert!(is_self_contained(&files));
    }
}
