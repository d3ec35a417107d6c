//! Variables of a formula: columns, arithmetic, factors and polynomials.

use tegula_files::expression::{Expression, Function, ParseError, Span, Token};
use tegula_files::nearest_name;

use super::spelling::spelled;

/// Functions of a formula beside those of arithmetic.
const FACTOR: [&str; 3] = ["factor", "as.factor", "C"];
const POLY: &str = "poly";
/// Highest degree of a polynomial.
const MOST_DEGREE: usize = 50;

/// A variable of a formula.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    pub(super) name: String,
    pub(super) span: Span,
    pub(super) kind: Kind,
}

/// What a variable is.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// A column: a regressor if it holds numbers, a factor if it holds text.
    Column(Expression),
    /// Numbers that are computed.
    Numbers(Expression),
    /// A factor, also of numbers.
    Factor(Expression),
    /// Polynomials up to a degree: the powers if `is_raw`, else orthogonal ones.
    Poly {
        /// Of what.
        of: Expression,
        /// The highest degree.
        degree: usize,
        /// Whether they are powers.
        is_raw: bool,
    },
}

impl Variable {
    /// Its name as R prints it.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it is.
    #[must_use]
    pub fn kind(&self) -> &Kind {
        &self.kind
    }

    /// What it is computed from.
    #[must_use]
    pub fn expression(&self) -> &Expression {
        match &self.kind {
            Kind::Column(of) | Kind::Numbers(of) | Kind::Factor(of) | Kind::Poly { of, .. } => of,
        }
    }

    /// The variable that `tokens`, a name or the call of a function, make up in `text`.
    pub(super) fn read(text: &str, tokens: &[(Token, Span)]) -> Result<Self, ParseError> {
        let span = whole(tokens);
        let name = spelled(tokens);
        let kind = match tokens {
            [(Token::Name { .. }, _)] => Kind::Column(Expression::parse_part(text, span)?),
            [(Token::Name { name, .. }, at), _, arguments @ .., _] => {
                call(text, (name, *at), span, arguments)?
            }
            _ => unreachable!("a variable is a name or a call"),
        };
        if let Kind::Numbers(of) | Kind::Factor(of) | Kind::Poly { of, .. } = &kind
            && of.columns().is_empty()
        {
            return Err(ParseError::new(text, span, super::parse::CONSTANT));
        }
        Ok(Self { name, span, kind })
    }
}

/// From the first of some tokens to the last.
pub(super) fn whole(tokens: &[(Token, Span)]) -> Span {
    tokens[0].1.to(tokens[tokens.len() - 1].1)
}

/// The call, at `span`, of the function `name` with `arguments`.
fn call(
    text: &str,
    (name, at): (&str, Span),
    span: Span,
    arguments: &[(Token, Span)],
) -> Result<Kind, ParseError> {
    let arguments: Vec<&[(Token, Span)]> = split(arguments);
    let has_argument = arguments.iter().all(|argument| !argument.is_empty());
    let is_ours = name == POLY || FACTOR.contains(&name);
    if is_ours && !has_argument {
        return Err(ParseError::new(text, span, "an argument is missing here"));
    }
    if FACTOR.contains(&name) {
        return match arguments.as_slice() {
            [one] => Ok(Kind::Factor(Expression::parse_part(text, whole(one))?)),
            [_, more, ..] => Err(ParseError::new(
                text,
                whole(more),
                format!(
                    "{name} takes a column alone: levels are in their order, the first is the reference"
                ),
            )),
            [] => unreachable!("a list that is split has a part"),
        };
    }
    if name == POLY {
        return poly(text, &arguments);
    }
    if Function::find(name).is_some() {
        return Ok(Kind::Numbers(Expression::parse_part(text, span)?));
    }
    let names = Function::ALL.map(Function::name);
    let names: Vec<&str> = names.into_iter().chain([POLY]).chain(FACTOR).collect();
    let advice = match nearest_name(name, names.iter().copied()) {
        Some(near) => format!("did you mean '{near}'?"),
        None => format!("there are {}", names.join(", ")),
    };
    Err(ParseError::new(text, at, format!("no function is called '{name}'; {advice}")))
}

/// `poly(x, degree, raw = FALSE)`.
fn poly(text: &str, arguments: &[&[(Token, Span)]]) -> Result<Kind, ParseError> {
    let (mut degree, mut is_raw) = (None, None);
    for argument in &arguments[1..] {
        let fail = |message: &str| Err(ParseError::new(text, whole(argument), message));
        let (name, value) = match argument {
            [(Token::Name { name, .. }, _), (Token::Sign('='), _), (value, _)] => {
                (name.as_str(), value)
            }
            [(value, _)] if degree.is_none() => ("degree", value),
            _ => return fail("poly takes a column, a degree and raw = TRUE, as poly(x, 2)"),
        };
        match (name, value) {
            ("degree", Token::Number(value))
                if value.fract() == 0.0 && (1.0..=MOST_DEGREE as f64).contains(value) =>
            {
                if degree.replace(*value as usize).is_some() {
                    return fail("the degree is given twice");
                }
            }
            ("degree", Token::Number(_)) => {
                return fail(&format!("a degree is a whole number from 1 to {MOST_DEGREE}"));
            }
            ("raw", Token::Name { name, .. })
                if ["TRUE", "T", "FALSE", "F"].contains(&name.as_str()) =>
            {
                if is_raw.replace(name.starts_with('T')).is_some() {
                    return fail("raw is given twice");
                }
            }
            _ => return fail("poly takes one column, a degree and raw = TRUE, as poly(x, 2)"),
        }
    }
    let of = Expression::parse_part(text, whole(arguments[0]))?;
    Ok(Kind::Poly { of, degree: degree.unwrap_or(1), is_raw: is_raw.unwrap_or(false) })
}

/// What stands between commas that are in no parentheses.
fn split(tokens: &[(Token, Span)]) -> Vec<&[(Token, Span)]> {
    let mut depth = 0;
    let is_comma = |(token, _): &(Token, Span)| {
        match token {
            Token::Sign('(') => depth += 1,
            Token::Sign(')') => depth -= 1,
            _ => {}
        }
        depth == 0 && *token == Token::Sign(',')
    };
    tokens.split(is_comma).collect()
}
