//! R's grammar of formulas: sums of crossings (`*`) of interactions (`:`) of factors. Source: J. M.
//! Chambers, T. J. Hastie, "Statistical models in S" (1992), section 2.3.1.

use super::error::{ParseError, Span};
use super::formula::{Term, as_number, is_constant};
use super::parse::{Parser, binary};
use super::token::Token;
use super::{Expression, Kind, Node, Operator};

/// Most terms of a formula: every `*` may double them.
const MOST_TERMS: usize = 500;

/// A sum of terms, with what it says of the intercept.
#[derive(Default)]
pub(super) struct Sum {
    pub(super) intercept: Option<bool>,
    pub(super) terms: Vec<Product>,
}

/// A term: the product of its factors, of which no two are the same.
#[derive(Clone)]
pub(super) struct Product {
    factors: Vec<Node>,
    /// Whether a crossing made it, so that it may occur again.
    is_crossed: bool,
}

impl Product {
    /// The term that it is in the text of `parser`.
    pub(super) fn term(&self, parser: &Parser<'_>) -> Term {
        let names: Vec<&str> = self.factors.iter().map(|node| written(parser, node)).collect();
        let multiply = |left, right| binary(Operator::Multiply, left, right);
        let root = self.factors.iter().cloned().reduce(multiply).expect("a product has factors");
        Term {
            name: names.join(":"),
            expression: Expression { text: parser.text().to_owned(), root },
        }
    }

    fn span(&self) -> Span {
        self.factors[0].span.to(self.factors[self.factors.len() - 1].span)
    }

    fn has(&self, parser: &Parser<'_>, factor: &Node) -> bool {
        self.factors.iter().any(|other| is_same(parser, other, factor))
    }

    /// Whether both have the same factors, in any order.
    fn is_same(&self, parser: &Parser<'_>, other: &Self) -> bool {
        self.factors.len() == other.factors.len()
            && self.factors.iter().all(|factor| other.has(parser, factor))
    }

    /// This term times `other`; a factor of both counts once.
    fn times(&self, parser: &Parser<'_>, other: &Self) -> Self {
        let new = other.factors.iter().filter(|factor| !self.has(parser, factor));
        let factors = self.factors.iter().chain(new).cloned().collect();
        Self { factors, is_crossed: self.is_crossed || other.is_crossed }
    }
}

/// What stands between two `+`: an intercept, or terms.
enum Part {
    Intercept(bool),
    Terms(Vec<Product>),
}

/// `[+|-] crossing {(+|-) crossing}`, terms with few factors first.
pub(super) fn sum(parser: &mut Parser<'_>) -> Result<Sum, ParseError> {
    parser.enter()?;
    let mut sum = Sum::default();
    let mut sign = parser.take_sign(&['+', '-']);
    loop {
        let start = parser.span();
        match crossing(parser, sign.unwrap_or('+'))? {
            Part::Intercept(with) => set(parser, &mut sum.intercept, with, start)?,
            Part::Terms(terms) => add(parser, &mut sum.terms, terms)?,
        }
        sign = parser.take_sign(&['+', '-']);
        if sign.is_none() {
            break;
        }
    }
    sum.terms.sort_by_key(|term| term.factors.len());
    parser.leave();
    Ok(sum)
}

/// `interaction {* interaction}`
fn crossing(parser: &mut Parser<'_>, sign: char) -> Result<Part, ParseError> {
    let start = parser.position();
    let mut left = match operand(parser, start)? {
        Operand::Terms(terms) => interactions(parser, start, terms)?,
        Operand::Number(node) if is_operator(parser.peek()) => {
            return arithmetic(parser, start, node.span);
        }
        Operand::Number(node) => {
            let with = summand(parser, &node, sign)?.expect("a number is no regressor");
            return Ok(Part::Intercept(with));
        }
    };
    while parser.take_sign(&['*']).is_some() {
        let right = match operand(parser, start)? {
            Operand::Terms(terms) => interactions(parser, start, terms)?,
            Operand::Number(node) => return arithmetic(parser, start, node.span),
        };
        let mut products = left.clone();
        products.extend(right.iter().cloned());
        products.extend(interact(parser, &left, &right)?);
        products.iter_mut().for_each(|product| product.is_crossed = true);
        left = Vec::new();
        add(parser, &mut left, products)?;
    }
    if sign == '-' {
        let span = left[0].span().to(left[left.len() - 1].span());
        return parser.fail(span, SUBTRACTED.to_owned());
    }
    Ok(Part::Terms(left))
}

/// `{: operand}` after the operand `left` of a crossing that begins at `start`.
fn interactions(
    parser: &mut Parser<'_>,
    start: usize,
    mut left: Vec<Product>,
) -> Result<Vec<Product>, ParseError> {
    loop {
        let span = parser.span();
        if matches!(parser.peek(), Token::Sign('/' | '^')) {
            return arithmetic(parser, start, span);
        }
        if parser.take_sign(&[':']).is_none() {
            return Ok(left);
        }
        match operand(parser, start)? {
            Operand::Terms(right) => left = interact(parser, &left, &right)?,
            Operand::Number(node) => return arithmetic(parser, start, node.span),
        }
    }
}

/// An operand of a crossing.
enum Operand {
    Number(Node),
    Terms(Vec<Product>),
}

/// A number, a column, a function of an expression, or a sum in parentheses, in a crossing that
/// begins at `start`.
fn operand(parser: &mut Parser<'_>, start: usize) -> Result<Operand, ParseError> {
    let span = parser.span();
    match parser.peek() {
        Token::Sign('(') => {
            parser.go_to(parser.position() + 1);
            let inner = sum(parser)?;
            parser.close(span)?;
            if inner.intercept.is_some() {
                return arithmetic(parser, start, span);
            }
            Ok(Operand::Terms(inner.terms))
        }
        Token::Sign('+' | '-') => arithmetic(parser, start, span),
        _ => {
            let node = parser.atom()?;
            if as_number(&node).is_some() {
                return Ok(Operand::Number(node));
            }
            if is_constant(&node) {
                return parser.fail(node.span, CONSTANT.to_owned());
            }
            Ok(Operand::Terms(vec![Product { factors: vec![node], is_crossed: false }]))
        }
    }
}

const CONSTANT: &str = "this term is constant: write 1 for an intercept, 0 for none";
const SUBTRACTED: &str = "a term cannot be subtracted, its coefficient has a sign of its own (a difference of columns is \
                          I(a - b)); only -1 can, which takes the intercept out";

/// What the summand `node` with `sign` before it says of the intercept, if it is no regressor.
pub(super) fn summand(
    parser: &Parser<'_>,
    node: &Node,
    sign: char,
) -> Result<Option<bool>, ParseError> {
    match (as_number(node), sign) {
        (Some(0.0), _) | (Some(1.0), '-') => Ok(Some(false)),
        (Some(1.0), _) => Ok(Some(true)),
        _ if is_constant(node) => parser.fail(node.span, CONSTANT.to_owned()),
        (_, '-') => parser.fail(node.span, SUBTRACTED.to_owned()),
        _ => Ok(None),
    }
}

/// Notes what the summand at `span` says `with` the intercept.
pub(super) fn set(
    parser: &Parser<'_>,
    intercept: &mut Option<bool>,
    with: bool,
    span: Span,
) -> Result<(), ParseError> {
    if intercept.is_some_and(|before| before != with) {
        return parser.fail(span, "the intercept is both asked for and taken out".to_owned());
    }
    *intercept = Some(with);
    Ok(())
}

/// Adds `new` terms; one that is there already counts once, and is a mistake where both were
/// written out.
fn add(parser: &Parser<'_>, terms: &mut Vec<Product>, new: Vec<Product>) -> Result<(), ParseError> {
    for term in new {
        match terms.iter().find(|other| other.is_same(parser, &term)) {
            Some(other) if !other.is_crossed && !term.is_crossed => {
                let message = "this term stands in the formula twice";
                return parser.fail(term.span(), message.to_owned());
            }
            Some(_) => {}
            None if terms.len() == MOST_TERMS => return parser.fail(term.span(), too_many()),
            None => terms.push(term),
        }
    }
    Ok(())
}

/// Every term of `left` times every one of `right`.
fn interact(
    parser: &Parser<'_>,
    left: &[Product],
    right: &[Product],
) -> Result<Vec<Product>, ParseError> {
    if let ([one], [other]) = (left, right)
        && one.is_same(parser, other)
    {
        let (span, name) = (one.span().to(other.span()), one.term(parser).name);
        let message = format!("a term times itself is the term; the square is I({name}^2)");
        return parser.fail(span, message);
    }
    if left.len() * right.len() > MOST_TERMS {
        return parser.fail(left[0].span().to(right[0].span()), too_many());
    }
    let pairs = left.iter().flat_map(|one| right.iter().map(move |other| one.times(parser, other)));
    Ok(pairs.collect())
}

fn too_many() -> String {
    format!("more than {MOST_TERMS} terms")
}

/// Refuses what is arithmetic in a formula: the product that begins at the token `start`, of which
/// `span` is the part that tells.
fn arithmetic<T>(parser: &mut Parser<'_>, start: usize, span: Span) -> Result<T, ParseError> {
    parser.go_to(start);
    let mut node = parser.product()?;
    let mut name = written(parser, &node).to_owned();
    while parser.take_sign(&[':']).is_some() {
        node = parser.product()?;
        name = format!("{name}*{}", written(parser, &node));
    }
    let message =
        format!("operators join terms in a mean, as in R: for arithmetic write I({name})");
    parser.fail(span, message)
}

fn is_operator(token: &Token) -> bool {
    matches!(token, Token::Sign('*' | '/' | '^' | ':'))
}

/// The text of `node`.
fn written<'a>(parser: &Parser<'a>, node: &Node) -> &'a str {
    &parser.text()[node.span.start..node.span.end]
}

/// Whether two factors are the same column, or written alike, blanks aside.
fn is_same(parser: &Parser<'_>, a: &Node, b: &Node) -> bool {
    if let (Kind::Column(a), Kind::Column(b)) = (&a.kind, &b.kind) {
        return a == b;
    }
    let letters = |node| written(parser, node).chars().filter(|c| !c.is_whitespace());
    letters(a).eq(letters(b))
}
