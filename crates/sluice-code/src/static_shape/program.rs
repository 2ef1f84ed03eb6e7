//! A file whose load has no side effects: its declarations, imports and exports.

/// A file, without the bodies of its functions.
#[derive(Debug)]
pub(crate) struct Program {
    /// In the order in which the files are evaluated.
    pub(super) imports: Vec<Import>,
    /// The names of functions, which exist before the first statement.
    pub(super) functions: Vec<String>,
    pub(super) statements: Vec<Statement>,
    pub(super) exports: Vec<Export>,
}

#[derive(Debug)]
pub(super) struct Import {
    pub(super) specifier: String,
    pub(super) names: Vec<ImportedName>,
    /// Whether nothing that is imported is used as a value. TypeScript removes such an import.
    pub(super) may_be_types: bool,
    /// Whether it has attributes, as JSON may and code may not.
    pub(super) has_attributes: bool,
}

#[derive(Debug)]
pub(super) struct ImportedName {
    /// `None` for all exports, as one object.
    pub(super) imported: Option<String>,
    pub(super) local: String,
}

#[derive(Debug)]
pub(super) enum Export {
    Local {
        exported: String,
        local: String,
    },
    From {
        exported: String,
        specifier: String,
        /// `None` for all exports, as one object.
        imported: Option<String>,
    },
    AllFrom(String),
}

#[derive(Debug)]
pub(super) enum Statement {
    Declare(Binding, Expression),
    /// `module.exports = …`
    ModuleExports(Expression),
}

#[derive(Debug)]
pub(super) enum Binding {
    Name(String),
    /// The fields of an object, and the variables that they become.
    Fields(Vec<(String, String)>),
}

/// The name of a default export that has none.
pub(super) const DEFAULT: &str = "*default*";

#[derive(Debug)]
pub(super) enum Expression {
    Undefined,
    Null,
    Boolean(bool),
    Number(f64),
    Text(String),
    /// One more text than expressions.
    Template(Vec<String>, Vec<Expression>),
    Array(Vec<Element>),
    Object(Vec<Property>),
    Name(String),
    Member(Box<Expression>, Box<Expression>),
    Function,
    Class(Option<Box<Expression>>),
    /// A regular expression.
    Pattern,
    Require(String),
    Call(Box<Expression>, Vec<Element>),
    New(Box<Expression>, Vec<Element>),
    /// `Object.keys(…)` and the like.
    OfObject(ObjectFunction, Box<Expression>),
    Conditional(Box<[Expression; 3]>),
    Logical(Logical, Box<[Expression; 2]>),
    Arithmetic(Arithmetic, Box<[Expression; 2]>),
    Not(Box<Expression>),
    Negative(Box<Expression>),
}

#[derive(Debug)]
pub(super) enum Element {
    One(Expression),
    Spread(Expression),
}

#[derive(Debug)]
pub(super) enum Property {
    Field(Expression, Expression),
    Spread(Expression),
}

#[derive(Debug, Clone, Copy)]
pub(super) enum ObjectFunction {
    Keys,
    Values,
    Entries,
    Freeze,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Logical {
    And,
    Or,
    Coalesce,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Arithmetic {
    Add,
    Subtract,
    Multiply,
    Divide,
}
