//! Arithmetic over the columns of a table: `log(zinc)` for values.
//!
//! An expression is made of numbers, names of columns (with backquotes around odd ones),
//! `+ - * / ^`, parentheses and the functions of [`Function::ALL`]. `^` binds tighter than a sign
//! and groups to the right: `-x^2` is `-(x^2)`, `2^3^2` is `2^9`. Formulas, whose operators join
//! terms, are cut into the same [`tokens`], and have expressions for their variables.

mod error;
mod evaluate;
mod function;
mod list;
mod parse;
mod token;

pub use error::{EvaluateError, ParseError, Span};
pub use function::Function;
pub use list::split_list;
pub use token::{Token, tokens};

use parse::Parser;

/// An arithmetic expression over columns.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    text: String,
    root: Node,
}

/// A node of the tree; `span` says where in the text it stands.
#[derive(Clone, Debug, PartialEq)]
struct Node {
    span: Span,
    kind: Kind,
}

#[derive(Clone, Debug, PartialEq)]
enum Kind {
    Number(f64),
    Column(String),
    Negate(Box<Node>),
    Binary(Operator, Box<Node>, Box<Node>),
    Call(Function, Box<Node>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Power,
}

impl Expression {
    /// Reads an expression.
    ///
    /// # Errors
    /// [`ParseError`] with the place in `text` at which it cannot be understood.
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        let mut parser = Parser::new(text)?;
        let root = parser.sum()?;
        parser.expect_end()?;
        Ok(Self { text: text.to_owned(), root })
    }

    /// Reads the expression at `span` of `text`; errors, also those of evaluating it, show all of
    /// `text`.
    ///
    /// # Errors
    /// As [`Expression::parse`].
    ///
    /// # Panics
    /// If `span` is no piece of `text`.
    pub fn parse_part(text: &str, span: Span) -> Result<Self, ParseError> {
        let mut parser = Parser::of_part(text, span)?;
        let root = parser.sum()?;
        parser.expect_end()?;
        Ok(Self { text: text.to_owned(), root })
    }

    /// The column called `name`, however odd the name is.
    pub fn column(name: &str) -> Self {
        let span = Span { start: 0, end: name.len() };
        Self { text: name.to_owned(), root: Node { span, kind: Kind::Column(name.to_owned()) } }
    }

    /// The text that was read.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The name of the column that the expression is, if it is nothing more than one.
    pub fn as_column(&self) -> Option<&str> {
        match &self.root.kind {
            Kind::Column(name) => Some(name),
            _ => None,
        }
    }

    /// The names of the columns that occur, each once, in the order in which they do.
    pub fn columns(&self) -> Vec<&str> {
        let mut names = Vec::new();
        self.root.each_column(&mut |name, _| {
            if !names.contains(&name) {
                names.push(name);
            }
        });
        names
    }
}

impl Node {
    /// Calls `see` with the name and the place of every column, from left to right.
    fn each_column<'a>(&'a self, see: &mut impl FnMut(&'a str, Span)) {
        match &self.kind {
            Kind::Number(_) => {}
            Kind::Column(name) => see(name, self.span),
            Kind::Negate(operand) | Kind::Call(_, operand) => operand.each_column(see),
            Kind::Binary(_, left, right) => {
                left.each_column(see);
                right.each_column(see);
            }
        }
    }
}
