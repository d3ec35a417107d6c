//! From tokens to a tree: sums of products of powers, by recursive descent.

use super::error::{ParseError, Span};
use super::function::Function;
use super::token::{self, Token};
use super::{Kind, Node, Operator};
use crate::nearest_name;

/// Nesting beyond this is refused, and so is a longer text (a long sum is a deep tree), so that
/// none can exhaust the stack.
const DEEPEST: usize = 200;
const LONGEST: usize = 1000;
/// What to write where a colon means nothing.
const COLON: &str = "':' joins the terms of a mean; in arithmetic a product is written '*'";
/// What to write where a comma means nothing.
const COMMA: &str = "a comma has no meaning here; decimals are written with a point";

/// Reads the tokens of one text from left to right.
pub(super) struct Parser<'a> {
    text: &'a str,
    tokens: Vec<(Token, Span)>,
    next: usize,
    depth: usize,
}

impl<'a> Parser<'a> {
    pub(super) fn new(text: &'a str) -> Result<Self, ParseError> {
        Self::of_part(text, Span { start: 0, end: text.len() })
    }

    /// Reads the tokens at `span` of `text`.
    pub(super) fn of_part(text: &'a str, span: Span) -> Result<Self, ParseError> {
        let in_whole =
            |place: Span| Span { start: place.start + span.start, end: place.end + span.start };
        let tokens = token::tokens(&text[span.start..span.end]);
        let mut tokens =
            tokens.map_err(|error| ParseError::new(text, in_whole(error.span), error.message))?;
        tokens.iter_mut().for_each(|(_, place)| *place = in_whole(*place));
        let parser = Self { text, tokens, next: 0, depth: 0 };
        match parser.tokens.get(LONGEST) {
            Some((token, span)) if *token != Token::End => {
                parser.fail(*span, format!("too long: more than {LONGEST} words and signs"))
            }
            _ => Ok(parser),
        }
    }

    fn fail<T>(&self, span: Span, message: String) -> Result<T, ParseError> {
        Err(ParseError::new(self.text, span, message))
    }

    fn peek(&self) -> &Token {
        &self.tokens[self.next].0
    }

    /// Enters one more level of nesting; [`leave`](Self::leave) leaves it.
    fn enter(&mut self) -> Result<(), ParseError> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return self.fail(self.span(), format!("nested more than {DEEPEST} deep"));
        }
        Ok(())
    }

    fn leave(&mut self) {
        self.depth -= 1;
    }

    fn span(&self) -> Span {
        self.tokens[self.next].1
    }

    /// Takes the next token if it is one of `signs`.
    fn take_sign(&mut self, signs: &[char]) -> Option<char> {
        match *self.peek() {
            Token::Sign(sign) if signs.contains(&sign) => {
                self.next += 1;
                Some(sign)
            }
            _ => None,
        }
    }

    pub(super) fn expect_end(&self) -> Result<(), ParseError> {
        match self.peek() {
            Token::End => Ok(()),
            Token::Sign(')') => {
                self.fail(self.span(), "this parenthesis was never opened".to_owned())
            }
            Token::Sign(':') => self.fail(self.span(), COLON.to_owned()),
            Token::Sign(',') => self.fail(self.span(), COMMA.to_owned()),
            _ => {
                self.fail(self.span(), "an operator (+ - * / ^) is missing before this".to_owned())
            }
        }
    }

    /// `product {(+|-) product}`
    pub(super) fn sum(&mut self) -> Result<Node, ParseError> {
        self.enter()?;
        let mut node = self.product()?;
        while let Some(sign) = self.take_sign(&['+', '-']) {
            let operator = if sign == '+' { Operator::Add } else { Operator::Subtract };
            node = binary(operator, node, self.product()?);
        }
        self.leave();
        Ok(node)
    }

    /// `factor {(*|/) factor}`
    fn product(&mut self) -> Result<Node, ParseError> {
        let mut node = self.factor()?;
        while let Some(sign) = self.take_sign(&['*', '/']) {
            let operator = if sign == '*' { Operator::Multiply } else { Operator::Divide };
            node = binary(operator, node, self.factor()?);
        }
        Ok(node)
    }

    /// `{+|-} atom [^ factor]`: a power binds tighter than a sign before it and groups to the
    /// right.
    fn factor(&mut self) -> Result<Node, ParseError> {
        self.enter()?;
        let start = self.span();
        let node = match self.take_sign(&['+', '-']) {
            Some('-') => {
                let operand = self.factor()?;
                Node { span: start.to(operand.span), kind: Kind::Negate(Box::new(operand)) }
            }
            Some(_) => self.factor()?,
            None => {
                let base = self.atom()?;
                match self.take_sign(&['^']) {
                    Some(_) => binary(Operator::Power, base, self.factor()?),
                    None => base,
                }
            }
        };
        self.leave();
        Ok(node)
    }

    /// A number, a column, a function of a sum, or a sum in parentheses.
    fn atom(&mut self) -> Result<Node, ParseError> {
        let (token, span) = self.tokens[self.next].clone();
        match token {
            Token::Number(value) => {
                self.next += 1;
                Ok(Node { span, kind: Kind::Number(value) })
            }
            Token::Name { name, quoted } => {
                self.next += 1;
                match self.peek() {
                    Token::Sign('(') if !quoted => self.call(&name, span),
                    _ => Ok(Node { span, kind: Kind::Column(name) }),
                }
            }
            Token::Sign('(') => {
                self.next += 1;
                let mut inner = self.sum()?;
                inner.span = span.to(self.close(span)?);
                Ok(inner)
            }
            Token::Sign(',') => self.fail(span, COMMA.to_owned()),
            Token::Sign('*') if self.text[..span.start].ends_with('*') => {
                self.fail(span, "a power is written '^'".to_owned())
            }
            Token::Sign(sign) => self
                .fail(span, format!("a number, a column or a function is missing before '{sign}'")),
            Token::End if self.next == 0 => self.fail(span, "the expression is empty".to_owned()),
            Token::End => {
                self.fail(span, "a number, a column or a function is missing at the end".to_owned())
            }
        }
    }

    fn call(&mut self, name: &str, span: Span) -> Result<Node, ParseError> {
        let Some(function) = Function::find(name) else {
            let names = Function::ALL.map(Function::name);
            let advice = match nearest_name(name, names) {
                Some(near) => format!("did you mean '{near}'?"),
                None => format!("there are {}", names.join(", ")),
            };
            return self.fail(span, format!("no function is called '{name}'; {advice}"));
        };
        let open = self.span();
        self.next += 1;
        let argument = self.sum()?;
        let close = self.close(open)?;
        Ok(Node { span: span.to(close), kind: Kind::Call(function, Box::new(argument)) })
    }

    /// Takes the parenthesis that closes the one at `open`.
    fn close(&mut self, open: Span) -> Result<Span, ParseError> {
        let span = self.span();
        match self.peek() {
            Token::Sign(')') => {
                self.next += 1;
                Ok(span)
            }
            Token::End => self.fail(open, "this parenthesis is never closed".to_owned()),
            Token::Sign(':') => self.fail(span, COLON.to_owned()),
            Token::Sign(',') => self.fail(span, COMMA.to_owned()),
            _ => {
                self.fail(span, "an operator (+ - * / ^) or ')' is missing before this".to_owned())
            }
        }
    }
}

fn binary(operator: Operator, left: Node, right: Node) -> Node {
    let span = left.span.to(right.span);
    Node { span, kind: Kind::Binary(operator, Box::new(left), Box::new(right)) }
}
