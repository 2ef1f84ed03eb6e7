//! Reads expressions from the syntax tree.

use oxc_ast::ast::{
    Argument, ArrayExpressionElement, AssignmentOperator, AssignmentTarget, BinaryOperator,
    CallExpression, Class, ClassElement, Expression as SyntaxExpression, LogicalOperator,
    MethodDefinitionType, ObjectExpression, ObjectPropertyKind, PropertyDefinitionType,
    PropertyKind, TemplateLiteral, UnaryOperator,
};
use sluice_model::ModuleFormat;

use super::program::{Arithmetic, Element, Expression, Logical, ObjectFunction, Property};

/// Expressions nest no deeper than this.
const MAX_DEPTH: usize = 60;

/// `None` if the expression may do something when it is evaluated, or is not known here.
pub(super) fn expression(
    syntax: &SyntaxExpression<'_>,
    format: ModuleFormat,
) -> Option<Expression> {
    Reader { format, depth: 0 }.read(syntax)
}

/// A class without static parts that run.
pub(super) fn class(class: &Class<'_>, format: ModuleFormat) -> Option<Expression> {
    Reader { format, depth: 0 }.class(class)
}

/// The value that is assigned to `module.exports`.
pub(super) fn module_exports<'e, 'a>(
    syntax: &'e SyntaxExpression<'a>,
) -> Option<&'e SyntaxExpression<'a>> {
    let SyntaxExpression::AssignmentExpression(assignment) = syntax else {
        return None;
    };
    let AssignmentTarget::StaticMemberExpression(member) = &assignment.left else {
        return None;
    };
    let is_module =
        matches!(&member.object, SyntaxExpression::Identifier(name) if name.name == "module");
    let is_plain = assignment.operator == AssignmentOperator::Assign;
    (is_module && is_plain && member.property.name == "exports").then_some(&assignment.right)
}

struct Reader {
    format: ModuleFormat,
    depth: usize,
}

impl Reader {
    fn read(&mut self, syntax: &SyntaxExpression<'_>) -> Option<Expression> {
        if self.depth == MAX_DEPTH {
            return None;
        }
        self.depth += 1;
        let expression = self.read_one(syntax);
        self.depth -= 1;
        expression
    }

    fn boxed(&mut self, syntax: &SyntaxExpression<'_>) -> Option<Box<Expression>> {
        self.read(syntax).map(Box::new)
    }

    fn read_one(&mut self, syntax: &SyntaxExpression<'_>) -> Option<Expression> {
        Some(match syntax.get_inner_expression() {
            SyntaxExpression::NullLiteral(_) => Expression::Null,
            SyntaxExpression::BooleanLiteral(literal) => Expression::Boolean(literal.value),
            SyntaxExpression::NumericLiteral(literal) => Expression::Number(literal.value),
            SyntaxExpression::StringLiteral(literal) if !literal.lone_surrogates => {
                Expression::Text(literal.value.to_string())
            }
            SyntaxExpression::RegExpLiteral(_) => Expression::Pattern,
            SyntaxExpression::TemplateLiteral(template) => self.template(template)?,
            SyntaxExpression::Identifier(name) => Expression::Name(name.name.to_string()),
            SyntaxExpression::ArrayExpression(array) => {
                let elements = array.elements.iter().map(|element| match element {
                    ArrayExpressionElement::Elision(_) => None,
                    ArrayExpressionElement::SpreadElement(spread) => {
                        Some(Element::Spread(self.read(&spread.argument)?))
                    }
                    element => Some(Element::One(self.read(element.as_expression()?)?)),
                });
                Expression::Array(elements.collect::<Option<_>>()?)
            }
            SyntaxExpression::ObjectExpression(object) => self.object(object)?,
            SyntaxExpression::ArrowFunctionExpression(_)
            | SyntaxExpression::FunctionExpression(_) => Expression::Function,
            SyntaxExpression::ClassExpression(class) => self.class(class)?,
            SyntaxExpression::StaticMemberExpression(member) if !member.optional => {
                let name = Expression::Text(member.property.name.to_string());
                Expression::Member(self.boxed(&member.object)?, Box::new(name))
            }
            SyntaxExpression::ComputedMemberExpression(member) if !member.optional => {
                Expression::Member(self.boxed(&member.object)?, self.boxed(&member.expression)?)
            }
            SyntaxExpression::CallExpression(call) if !call.optional => self.call(call)?,
            SyntaxExpression::NewExpression(new) => {
                Expression::New(self.boxed(&new.callee)?, self.arguments(&new.arguments)?)
            }
            SyntaxExpression::ConditionalExpression(condition) => {
                let test = self.read(&condition.test)?;
                let then = self.read(&condition.consequent)?;
                let other = self.read(&condition.alternate)?;
                Expression::Conditional(Box::new([test, then, other]))
            }
            SyntaxExpression::LogicalExpression(logical) => {
                let operator = match logical.operator {
                    LogicalOperator::Or => Logical::Or,
                    LogicalOperator::And => Logical::And,
                    LogicalOperator::Coalesce => Logical::Coalesce,
                };
                let sides = [self.read(&logical.left)?, self.read(&logical.right)?];
                Expression::Logical(operator, Box::new(sides))
            }
            SyntaxExpression::BinaryExpression(binary) => {
                let operator = match binary.operator {
                    BinaryOperator::Addition => Arithmetic::Add,
                    BinaryOperator::Subtraction => Arithmetic::Subtract,
                    BinaryOperator::Multiplication => Arithmetic::Multiply,
                    BinaryOperator::Division => Arithmetic::Divide,
                    _ => return None,
                };
                let sides = [self.read(&binary.left)?, self.read(&binary.right)?];
                Expression::Arithmetic(operator, Box::new(sides))
            }
            SyntaxExpression::UnaryExpression(unary) => {
                let argument = self.boxed(&unary.argument)?;
                match unary.operator {
                    UnaryOperator::LogicalNot => Expression::Not(argument),
                    UnaryOperator::UnaryNegation => Expression::Negative(argument),
                    UnaryOperator::Void => match *argument {
                        Expression::Number(_) => Expression::Undefined,
                        _ => return None,
                    },
                    _ => return None,
                }
            }
            _ => return None,
        })
    }

    fn template(&mut self, template: &TemplateLiteral<'_>) -> Option<Expression> {
        let texts = template.quasis.iter().map(|part| {
            let cooked = part.value.cooked.as_ref().filter(|_| !part.lone_surrogates);
            cooked.map(ToString::to_string)
        });
        let texts = texts.collect::<Option<_>>()?;
        let values = template.expressions.iter().map(|value| self.read(value));
        Some(Expression::Template(texts, values.collect::<Option<_>>()?))
    }

    fn object(&mut self, object: &ObjectExpression<'_>) -> Option<Expression> {
        let properties = object.properties.iter().map(|property| match property {
            ObjectPropertyKind::SpreadProperty(spread) => {
                Some(Property::Spread(self.read(&spread.argument)?))
            }
            ObjectPropertyKind::ObjectProperty(property) => {
                if property.kind != PropertyKind::Init {
                    return None;
                }
                let name = if property.computed {
                    self.read(property.key.as_expression()?)?
                } else {
                    Expression::Text(property.key.static_name()?.into_owned())
                };
                Some(Property::Field(name, self.read(&property.value)?))
            }
        });
        Some(Expression::Object(properties.collect::<Option<_>>()?))
    }

    fn class(&mut self, class: &Class<'_>) -> Option<Expression> {
        let is_plain = class.decorators.is_empty() && !class.declare;
        let parts = &class.body.body;
        if !is_plain || !parts.iter().all(runs_later) {
            return None;
        }
        let parent = match &class.heritage {
            Some(heritage) => Some(self.boxed(&heritage.expression)?),
            None => None,
        };
        Some(Expression::Class(parent))
    }

    fn call(&mut self, call: &CallExpression<'_>) -> Option<Expression> {
        if let Some(function) = object_function(&call.callee) {
            let [argument] = call.arguments.as_slice() else {
                return None;
            };
            return Some(Expression::OfObject(
                function,
                self.boxed(argument.as_expression()?)?,
            ));
        }
        if matches!(&call.callee, SyntaxExpression::Identifier(name) if name.name == "require") {
            let [Argument::StringLiteral(specifier)] = call.arguments.as_slice() else {
                return None;
            };
            let is_common_js = self.format == ModuleFormat::CommonJs;
            return is_common_js.then(|| Expression::Require(specifier.value.to_string()));
        }
        Some(Expression::Call(
            self.boxed(&call.callee)?,
            self.arguments(&call.arguments)?,
        ))
    }

    fn arguments(&mut self, arguments: &[Argument<'_>]) -> Option<Vec<Element>> {
        let arguments = arguments.iter().map(|argument| match argument {
            Argument::SpreadElement(spread) => Some(Element::Spread(self.read(&spread.argument)?)),
            argument => Some(Element::One(self.read(argument.as_expression()?)?)),
        });
        arguments.collect()
    }
}

/// Whether a part of a class does nothing when the class is defined.
fn runs_later(part: &ClassElement<'_>) -> bool {
    match part {
        ClassElement::MethodDefinition(method) => {
            method.r#type == MethodDefinitionType::MethodDefinition
                && method.decorators.is_empty()
                && !method.computed
                && !method.r#static
        }
        ClassElement::PropertyDefinition(property) => {
            property.r#type == PropertyDefinitionType::PropertyDefinition
                && property.decorators.is_empty()
                && !property.computed
                && !property.r#static
        }
        ClassElement::StaticBlock(_)
        | ClassElement::AccessorProperty(_)
        | ClassElement::TSIndexSignature(_) => false,
    }
}

fn object_function(callee: &SyntaxExpression<'_>) -> Option<ObjectFunction> {
    let SyntaxExpression::StaticMemberExpression(member) = callee else {
        return None;
    };
    let is_object =
        matches!(&member.object, SyntaxExpression::Identifier(name) if name.name == "Object");
    match member.property.name.as_str() {
        _ if !is_object || member.optional => None,
        "keys" => Some(ObjectFunction::Keys),
        "values" => Some(ObjectFunction::Values),
        "entries" => Some(ObjectFunction::Entries),
        "freeze" => Some(ObjectFunction::Freeze),
        _ => None,
    }
}
