//! Evaluates the files of a component in the order of their imports.

use std::{
    collections::{BTreeMap, HashMap},
    rc::Rc,
};

use serde_json::Value as Json;
use sluice_model::RawShape;

use super::{
    describe::describe,
    evaluate::{Evaluator, Steps, Variables},
    names::{has_node_export, is_node_module},
    program::{Binding, Export, Import, Program, Statement},
    value::{Array, Object, StandIn, Value},
};
use crate::specifier::Specifier;

/// Files import one another no deeper than this.
const MAX_DEPTH: usize = 30;

/// The files of a component, by location.
pub(crate) type SourceFiles<'f> = HashMap<&'f str, SourceFile<'f>>;

pub(crate) enum SourceFile<'f> {
    Module {
        program: &'f Program,
        /// The locations of the files that it imports, by specifier.
        imports: &'f HashMap<String, Option<String>>,
    },
    Json(&'f str),
}

/// The shape of the component in the file `entry`, as a process would report it. `None` if it is only known when the code runs.
pub(crate) fn shape_of(files: &SourceFiles<'_>, entry: &str) -> Option<RawShape> {
    let mut modules = Modules {
        files,
        evaluated: HashMap::new(),
        steps: Steps::new(),
        depth: 0,
    };
    let exports = modules.exports(entry)?;
    let component = exports.get("default")?;
    describe(component, &mut modules.steps)
}

type Exports = BTreeMap<String, Value>;

struct Modules<'f> {
    files: &'f SourceFiles<'f>,
    /// Files that are being evaluated have no exports yet.
    evaluated: HashMap<&'f str, Option<Rc<Exports>>>,
    steps: Steps,
    depth: usize,
}

impl<'f> Modules<'f> {
    /// The exports of a file. Files that import one another in a circle are not read.
    fn exports(&mut self, location: &str) -> Option<Rc<Exports>> {
        if let Some(evaluated) = self.evaluated.get(location) {
            return evaluated.clone();
        }
        if self.depth == MAX_DEPTH {
            return None;
        }
        let (location, file) = self.files.get_key_value(location)?;
        self.evaluated.insert(location, None);
        self.depth += 1;
        let exports = Rc::new(match file {
            SourceFile::Json(text) => self.json(text)?,
            SourceFile::Module { program, imports } => self.evaluate(program, imports)?,
        });
        self.depth -= 1;
        self.evaluated.insert(location, Some(Rc::clone(&exports)));
        Some(exports)
    }

    fn json(&mut self, text: &str) -> Option<Exports> {
        let json = serde_json::from_str(text).ok()?;
        let value = from_json(json, &mut self.steps)?;
        Some(Exports::from([("default".to_owned(), value)]))
    }

    fn evaluate(
        &mut self,
        program: &'f Program,
        files: &'f HashMap<String, Option<String>>,
    ) -> Option<Exports> {
        let mut variables = Variables::new();
        for import in &program.imports {
            self.import(import, files, &mut variables)?;
        }
        let functions = program.functions.iter();
        variables.extend(functions.map(|name| (name.as_str(), Value::Function)));
        match self.run(&program.statements, &mut variables)? {
            Some(value) => Some(Exports::from([("default".to_owned(), value)])),
            None => self.exported(&program.exports, files, &variables),
        }
    }

    /// Declares the variables of a file. Returns the value of `module.exports`, if the file sets it.
    #[expect(
        clippy::option_option,
        reason = "an unknown value is not one that is not set"
    )]
    fn run(
        &mut self,
        statements: &'f [Statement],
        variables: &mut Variables<'f>,
    ) -> Option<Option<Value>> {
        let mut module_exports = None;
        for statement in statements {
            let mut evaluator = Evaluator {
                variables,
                steps: &mut self.steps,
            };
            match statement {
                Statement::ModuleExports(value) => {
                    let value = evaluator.value(value)?;
                    if module_exports.replace(value).is_some() {
                        return None;
                    }
                }
                Statement::Declare(binding, value) => {
                    let value = evaluator.value(value)?;
                    declare(binding, value, variables)?;
                }
            }
        }
        Some(module_exports)
    }

    fn exported(
        &mut self,
        declared: &[Export],
        files: &HashMap<String, Option<String>>,
        variables: &Variables<'_>,
    ) -> Option<Exports> {
        let mut exports = Exports::new();
        let mut from_all = Exports::new();
        for export in declared {
            match export {
                Export::Local { exported, local } => {
                    let value = variables.get(local.as_str())?.clone();
                    add(&mut exports, exported, value)?;
                }
                Export::From {
                    exported,
                    specifier,
                    imported,
                } => {
                    let source = self.source(specifier, files)?;
                    let value = source.get(imported.as_deref())?;
                    add(&mut exports, exported, value)?;
                }
                Export::AllFrom(specifier) => match self.source(specifier, files)? {
                    Source::File(more) => {
                        self.steps.take(more.len())?;
                        // Two files may export the same name, which is then exported by neither.
                        for (name, value) in more.iter().filter(|(name, _)| *name != "default") {
                            add(&mut from_all, name, value.clone())?;
                        }
                    }
                    // Stand-ins have no names of their own.
                    Source::Package(_) => {}
                    Source::Node => return None,
                },
            }
        }
        for (name, value) in from_all {
            exports.entry(name).or_insert(value);
        }
        Some(exports)
    }

    fn import(
        &mut self,
        import: &'f Import,
        files: &HashMap<String, Option<String>>,
        variables: &mut Variables<'f>,
    ) -> Option<()> {
        let file = files.get(&import.specifier);
        if import.may_be_types && file.is_none() {
            return Some(());
        }
        if import.has_attributes {
            let file = self.files.get(file?.as_deref()?)?;
            matches!(file, SourceFile::Json(_)).then_some(())?;
        }
        let source = self.source(&import.specifier, files)?;
        if import.may_be_types {
            return Some(());
        }
        for name in &import.names {
            let imported = name.imported.as_deref();
            let is_of_node = matches!(source, Source::Node)
                && imported.is_some_and(|name| has_node_export(&import.specifier, name));
            let value = if is_of_node {
                Value::Unknown
            } else {
                source.get(imported)?
            };
            variables.insert(&name.local, value);
        }
        Some(())
    }

    fn source(
        &mut self,
        specifier: &str,
        files: &HashMap<String, Option<String>>,
    ) -> Option<Source> {
        if let Some(target) = files.get(specifier) {
            return self.exports(target.as_deref()?).map(Source::File);
        }
        match Specifier::parse(specifier) {
            Specifier::Package(_) => StandIn::of_package(specifier).map(Source::Package),
            Specifier::Other if is_node_module(specifier) => Some(Source::Node),
            _ => None,
        }
    }
}

/// Adds an export. A name is exported once.
fn add(exports: &mut Exports, name: &str, value: Value) -> Option<()> {
    exports
        .insert(name.to_owned(), value)
        .is_none()
        .then_some(())
}

/// The place that an import leads to.
enum Source {
    File(Rc<Exports>),
    Package(StandIn),
    Node,
}

impl Source {
    /// An export, or all of them. `None` if there is no such export.
    fn get(&self, name: Option<&str>) -> Option<Value> {
        match (self, name) {
            (Source::File(exports), Some(name)) => exports.get(name).cloned(),
            (Source::File(exports), None) => {
                let mut object = Object::default();
                for (name, value) in &**exports {
                    object.set(Rc::from(name.as_str()), value.clone())?;
                }
                Some(Value::Object(Rc::new(object)))
            }
            (Source::Package(package), Some(name)) => package.member(name),
            (Source::Package(package), None) => Some(Value::StandIn(*package)),
            (Source::Node, Some("default") | None) => Some(Value::NodeModule),
            (Source::Node, Some(_)) => None,
        }
    }
}

fn declare<'p>(binding: &'p Binding, value: Value, variables: &mut Variables<'p>) -> Option<()> {
    match binding {
        Binding::Name(name) => {
            variables.insert(name, value);
        }
        Binding::Fields(fields) => {
            for (field, local) in fields {
                variables.insert(local, value.member(field)?);
            }
        }
    }
    Some(())
}

fn from_json(json: Json, steps: &mut Steps) -> Option<Value> {
    steps.take(1)?;
    Some(match json {
        Json::Null => Value::Null,
        Json::Bool(value) => Value::Boolean(value),
        Json::Number(number) => Value::Number(number.as_f64()?),
        Json::String(text) => Value::text(&text),
        Json::Array(items) => {
            let mut array = Array::default();
            for item in items {
                array.push(from_json(item, steps)?)?;
            }
            Value::Array(Rc::new(array))
        }
        Json::Object(fields) => {
            let mut object = Object::default();
            for (name, value) in fields {
                steps.take(object.fields().len() / 16)?;
                object.set(Rc::from(name), from_json(value, steps)?)?;
            }
            Value::Object(Rc::new(object))
        }
    })
}
