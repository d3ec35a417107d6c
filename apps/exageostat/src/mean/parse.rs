//! R's grammar of formulas, by recursive descent: sums of crossings (`*`, `/`) of interactions
//! (`:`) of powers of variables and of sums in parentheses.

use tegula_files::expression::{Expression, ParseError, Span, Token, tokens};

use super::terms::Term;
use super::variable::{Kind, Variable, whole};

/// Nesting beyond this is refused, and so is a longer text, so that none can exhaust the stack.
const DEEPEST: usize = 200;
const LONGEST: usize = 1000;
/// Most terms of a formula: every `*` may double them.
const MOST_TERMS: usize = 500;

pub(super) const CONSTANT: &str = "this term is constant: write 1 for an intercept, 0 for none";
const TWICE: &str = "this term stands in the formula twice";

/// What a formula says.
pub(super) struct Parsed {
    pub(super) has_intercept: bool,
    pub(super) variables: Vec<Variable>,
    pub(super) terms: Vec<Term>,
}

/// Reads `text`.
pub(super) fn parse(text: &str) -> Result<Parsed, ParseError> {
    let mut parser = Parser { text, tokens: read(text)?, next: 0, depth: 0, variables: Vec::new() };
    let Sum { intercept, mut terms } = parser.sum()?;
    parser.expect_end()?;
    terms.sort_by_key(|found| found.term.0.len());
    let terms = terms.into_iter().map(|found| found.term).collect();
    Ok(Parsed { has_intercept: intercept.unwrap_or(true), variables: parser.variables, terms })
}

/// Reads `text` as earlier versions have written formulas: a sum of products, in which `*`, `/` and
/// `^` are arithmetic.
pub(super) fn parse_products(text: &str) -> Result<Parsed, ParseError> {
    let tokens = read(text)?;
    let mut depth = 0;
    let mut is_after_operand = false;
    let mut cuts: Vec<usize> = Vec::new();
    for (place, (token, _)) in tokens.iter().enumerate() {
        match token {
            Token::Sign('(') => depth += 1,
            Token::Sign(')') => depth -= 1,
            Token::Sign('+' | '-') if depth == 0 && (is_after_operand || place == 0) => {
                cuts.push(place);
            }
            Token::Sign(':') if depth == 0 => cuts.push(place),
            _ => {}
        }
        is_after_operand = is_operand_end(token);
    }
    cuts.push(tokens.len() - 1);
    let mut parsed = Parsed { has_intercept: true, variables: Vec::new(), terms: Vec::new() };
    let (mut start, mut sign, mut joins) = (0, '+', false);
    for cut in cuts {
        let piece = &tokens[start..cut];
        if let [(Token::Number(value), _)] = piece {
            parsed.has_intercept = *value != 0.0 && sign == '+';
        } else if !piece.is_empty() {
            let span = whole(piece);
            let name = text[span.start..span.end].to_owned();
            let kind = Kind::Numbers(Expression::parse_part(text, span)?);
            let term = Term(vec![parsed.variables.len()]);
            parsed.variables.push(Variable { name, span, kind });
            match parsed.terms.last_mut() {
                Some(last) if joins => *last = last.join(&term),
                _ => parsed.terms.push(term),
            }
        }
        joins = tokens[cut].0 == Token::Sign(':');
        sign = if tokens[cut].0 == Token::Sign('-') { '-' } else { '+' };
        start = cut + 1;
    }
    Ok(parsed)
}

/// The tokens of `text`; a `~` before them all means nothing.
fn read(text: &str) -> Result<Vec<(Token, Span)>, ParseError> {
    let trimmed = text.trim_start();
    let right = trimmed.strip_prefix('~').unwrap_or(trimmed);
    let start = text.len() - right.len();
    if let Some(place) = right.find('~').filter(|_| !right.contains('`')) {
        let span = Span { start: start + place, end: start + place + 1 };
        return Err(ParseError::new(text, span, "a mean is what stands right of '~' alone"));
    }
    let whole = |span: Span| Span { start: span.start + start, end: span.end + start };
    let mut found =
        tokens(right).map_err(|error| ParseError::new(text, whole(error.span), error.message))?;
    found.iter_mut().for_each(|(_, span)| *span = whole(*span));
    match found.get(LONGEST) {
        Some((token, span)) if *token != Token::End => {
            let message = format!("too long: more than {LONGEST} words and signs");
            Err(ParseError::new(text, *span, message))
        }
        _ => Ok(found),
    }
}

fn is_operand_end(token: &Token) -> bool {
    matches!(token, Token::Number(_) | Token::Name { .. } | Token::Sign(')'))
}

/// A term with where it stands.
#[derive(Clone)]
struct Found {
    term: Term,
    span: Span,
    /// Whether an operator or parentheses made it, so that it may occur again.
    is_made: bool,
}

/// Terms, each once.
type Terms = Vec<Found>;

/// A sum of terms, with what it says of the intercept.
#[derive(Default)]
struct Sum {
    intercept: Option<bool>,
    terms: Terms,
}

/// An operand: a number that stands for itself, or terms.
enum Operand {
    Number(f64, Span),
    Terms(Terms),
}

struct Parser<'a> {
    text: &'a str,
    tokens: Vec<(Token, Span)>,
    next: usize,
    depth: usize,
    variables: Vec<Variable>,
}

impl Parser<'_> {
    fn peek(&self) -> &Token {
        &self.tokens[self.next].0
    }

    fn span(&self) -> Span {
        self.tokens[self.next].1
    }

    fn fail<T>(&self, span: Span, message: impl Into<String>) -> Result<T, ParseError> {
        Err(ParseError::new(self.text, span, message))
    }

    /// Takes the next token if it is one of `signs`.
    fn take(&mut self, signs: &[char]) -> Option<char> {
        match *self.peek() {
            Token::Sign(sign) if signs.contains(&sign) => {
                self.next += 1;
                Some(sign)
            }
            _ => None,
        }
    }

    fn expect_end(&self) -> Result<(), ParseError> {
        match self.peek() {
            Token::End => Ok(()),
            Token::Sign(')') => self.fail(self.span(), "this parenthesis was never opened"),
            Token::Sign(',') => self.fail(self.span(), "a comma has no meaning here"),
            _ => self.fail(self.span(), "an operator (+ - : * / ^) is missing before this"),
        }
    }

    /// `[+|-] crossing {(+|-) crossing}`
    fn sum(&mut self) -> Result<Sum, ParseError> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return self.fail(self.span(), format!("nested more than {DEEPEST} deep"));
        }
        let mut sum = Sum::default();
        let mut sign = self.take(&['+', '-']).unwrap_or('+');
        loop {
            let start = self.next;
            match self.crossing()? {
                Operand::Number(value, span) => self.intercept(&mut sum, (sign, value), span)?,
                Operand::Terms(terms) if sign == '-' => {
                    self.remove(&mut sum.terms, &terms, start)?
                }
                Operand::Terms(terms) => self.add(&mut sum.terms, terms)?,
            }
            match self.take(&['+', '-']) {
                Some(next) => sign = next,
                None => break,
            }
        }
        self.depth -= 1;
        Ok(sum)
    }

    /// Notes what `value` after `sign` says of the intercept.
    fn intercept(
        &self,
        sum: &mut Sum,
        (sign, value): (char, f64),
        span: Span,
    ) -> Result<(), ParseError> {
        let with = match (sign, value) {
            ('+', 1.0) => true,
            ('-', 1.0) | (_, 0.0) => false,
            _ => return self.fail(span, CONSTANT),
        };
        if sum.intercept.is_some_and(|before| before != with) {
            return self.fail(span, "the intercept is both asked for and taken out");
        }
        sum.intercept = Some(with);
        Ok(())
    }

    /// Takes `taken`, written from the token `start` on, out of `terms`; they may be among those
    /// that a point stands for, as long as it does.
    fn remove(&self, terms: &mut Terms, taken: &Terms, start: usize) -> Result<(), ParseError> {
        let has_rest = self.variables.iter().any(|variable| variable.name == ".");
        for out in taken {
            let place = terms.iter().position(|found| found.term == out.term);
            if place.is_none() && has_rest {
                continue;
            }
            let Some(place) = place else {
                let span = self.tokens[start].1.to(self.tokens[self.next - 1].1);
                return self.fail(
                    span,
                    "a term that is not there cannot be subtracted; the difference of columns is I(a - b)",
                );
            };
            terms.remove(place);
        }
        Ok(())
    }

    /// `interaction {(*|/) interaction}`
    fn crossing(&mut self) -> Result<Operand, ParseError> {
        let start = self.next;
        let mut left = match self.interaction(start)? {
            Operand::Terms(terms) => terms,
            number @ Operand::Number(..) if !matches!(self.peek(), Token::Sign('*' | '/')) => {
                return Ok(number);
            }
            Operand::Number(_, span) => return self.arithmetic(start, span),
        };
        while let Some(sign) = self.take(&['*', '/']) {
            let at = self.tokens[self.next - 1].1;
            let right = match self.interaction(start)? {
                Operand::Terms(terms) => terms,
                Operand::Number(_, span) if sign == '*' => return self.arithmetic(start, span),
                Operand::Number(..) => return self.arithmetic(start, at),
            };
            let joined = if sign == '*' {
                self.join(&left, &right)?
            } else {
                let all = left.iter().skip(1).fold(left[0].clone(), |all, one| joined(&all, one));
                self.join(&[all], &right)?
            };
            let right = if sign == '*' { right } else { Vec::new() };
            let made = [left, right, joined].concat().into_iter();
            left = Vec::new();
            self.add(&mut left, made.map(|found| Found { is_made: true, ..found }).collect())?;
        }
        Ok(Operand::Terms(left))
    }

    /// `power {: power}` of a crossing that begins at the token `start`.
    fn interaction(&mut self, start: usize) -> Result<Operand, ParseError> {
        let mut left = match self.power(start)? {
            Operand::Terms(terms) => terms,
            number @ Operand::Number(..) if *self.peek() != Token::Sign(':') => return Ok(number),
            Operand::Number(_, span) => return self.arithmetic(start, span),
        };
        while self.take(&[':']).is_some() {
            match self.power(start)? {
                Operand::Terms(right) => {
                    let joined = self.join(&left, &right)?;
                    left = Vec::new();
                    self.add(&mut left, joined)?;
                }
                Operand::Number(_, span) => return self.arithmetic(start, span),
            }
        }
        Ok(Operand::Terms(left))
    }

    /// `operand [^ number]` of a crossing that begins at the token `start`.
    fn power(&mut self, start: usize) -> Result<Operand, ParseError> {
        let base = self.operand(start)?;
        let at = self.span();
        if self.take(&['^']).is_none() {
            return Ok(base);
        }
        let Operand::Terms(terms) = base else { return self.arithmetic(start, at) };
        let most = match *self.peek() {
            Token::Number(value) if value.fract() == 0.0 && value >= 1.0 && terms.len() > 1 => {
                value
            }
            _ => return self.arithmetic(start, at),
        };
        self.next += 1;
        let mut power = terms.clone();
        // A product of more factors than there are terms is one of fewer.
        for _ in 1..(most.min(terms.len() as f64) as usize) {
            let products = self.join(&power, &terms)?;
            power = Vec::new();
            self.add(
                &mut power,
                products.into_iter().map(|p| Found { is_made: true, ..p }).collect(),
            )?;
        }
        Ok(Operand::Terms(power))
    }

    /// A number, a column, a function of an expression, or a sum in parentheses, in a crossing that
    /// begins at the token `start`.
    fn operand(&mut self, start: usize) -> Result<Operand, ParseError> {
        let span = self.span();
        match self.peek().clone() {
            Token::Number(value) => {
                self.next += 1;
                Ok(Operand::Number(value, span))
            }
            Token::Name { .. } => self.variable(),
            Token::Sign('(') => {
                self.next += 1;
                let inner = self.sum()?;
                self.close(span)?;
                if inner.intercept.is_some() {
                    return self.arithmetic(start, span);
                }
                let made = inner.terms.into_iter().map(|found| Found { is_made: true, ..found });
                let terms: Terms = made.collect();
                if terms.is_empty() {
                    self.fail(span, "no term is left in here")
                } else {
                    Ok(Operand::Terms(terms))
                }
            }
            Token::Sign('+' | '-') => self.arithmetic(start, span),
            Token::Sign(sign) => {
                self.fail(span, format!("a column or a function is missing before '{sign}'"))
            }
            Token::End if self.next == 0 => self.fail(span, "the formula is empty"),
            Token::End => self.fail(span, "a column or a function is missing at the end"),
        }
    }

    /// A column or a call.
    fn variable(&mut self) -> Result<Operand, ParseError> {
        let first = self.next;
        self.next += 1;
        let is_plain = matches!(&self.tokens[first].0, Token::Name { quoted: false, .. });
        if is_plain && *self.peek() == Token::Sign('(') {
            self.next = self.closing(self.next)? + 1;
        }
        let variable = Variable::read(self.text, &self.tokens[first..self.next])?;
        let span = variable.span;
        let number = self.variables.iter().position(|other| other.name == variable.name);
        let number = number.unwrap_or_else(|| {
            self.variables.push(variable);
            self.variables.len() - 1
        });
        Ok(Operand::Terms(vec![Found { term: Term(vec![number]), span, is_made: false }]))
    }

    /// The token that closes the parenthesis at the token `open`.
    fn closing(&self, open: usize) -> Result<usize, ParseError> {
        let mut depth = 0;
        for (place, (token, _)) in self.tokens.iter().enumerate().skip(open) {
            match token {
                Token::Sign('(') => depth += 1,
                Token::Sign(')') if depth == 1 => return Ok(place),
                Token::Sign(')') => depth -= 1,
                _ => {}
            }
        }
        self.fail(self.tokens[open].1, "this parenthesis is never closed")
    }

    /// Takes the parenthesis that closes the one at `open`.
    fn close(&mut self, open: Span) -> Result<(), ParseError> {
        match self.peek() {
            Token::Sign(')') => {
                self.next += 1;
                Ok(())
            }
            Token::End => self.fail(open, "this parenthesis is never closed"),
            _ => self.fail(self.span(), "an operator (+ - : * / ^) or ')' is missing before this"),
        }
    }

    /// Adds `new` terms; one that is there already counts once, and is a mistake where both were
    /// written out.
    fn add(&self, terms: &mut Terms, new: Terms) -> Result<(), ParseError> {
        for found in new {
            match terms.iter().find(|other| other.term == found.term) {
                Some(other) if !other.is_made && !found.is_made => {
                    return self.fail(found.span, TWICE);
                }
                Some(_) => {}
                None if terms.len() == MOST_TERMS => return self.too_many(found.span),
                None => terms.push(found),
            }
        }
        Ok(())
    }

    /// Every term of `left` with every one of `right`.
    fn join(&self, left: &[Found], right: &[Found]) -> Result<Terms, ParseError> {
        if let ([one], [other]) = (left, right)
            && one.term == other.term
        {
            let names: Vec<&str> =
                one.term.0.iter().map(|&number| self.variables[number].name.as_str()).collect();
            let message =
                format!("a term times itself is the term; the square is I({}^2)", names.join(":"));
            return self.fail(one.span.to(other.span), message);
        }
        if left.len() * right.len() > MOST_TERMS * MOST_TERMS {
            return self.too_many(left[0].span.to(right[0].span));
        }
        let pairs = left.iter().flat_map(|one| right.iter().map(move |other| joined(one, other)));
        let mut terms = Vec::new();
        for found in pairs {
            let is_made = !terms.is_empty() || found.is_made;
            self.add(&mut terms, vec![Found { is_made, ..found }])?;
        }
        Ok(terms)
    }

    fn too_many<T>(&self, span: Span) -> Result<T, ParseError> {
        self.fail(span, format!("more than {MOST_TERMS} terms"))
    }

    /// Refuses what is arithmetic in a formula: the product that begins at the token `start`, of
    /// which `span` is the part that tells.
    fn arithmetic<T>(&self, start: usize, span: Span) -> Result<T, ParseError> {
        let (mut depth, mut end, mut is_after_operand) = (0_usize, start, false);
        for (token, _) in &self.tokens[start..] {
            match token {
                Token::End => break,
                Token::Sign('+' | '-' | ',') if depth == 0 && is_after_operand => break,
                Token::Sign(')') if depth == 0 => break,
                Token::Sign('(') => depth += 1,
                Token::Sign(')') => depth -= 1,
                _ => {}
            }
            is_after_operand = is_operand_end(token);
            end += 1;
        }
        let whole = self.tokens[start].1.to(self.tokens[end.max(start + 1) - 1].1);
        let name = self.text[whole.start..whole.end].replace(':', "*");
        let message =
            format!("operators join terms in a mean, as in R: for arithmetic write I({name})");
        self.fail(span, message)
    }
}

/// The term of both, from the one to the other.
fn joined(one: &Found, other: &Found) -> Found {
    Found {
        term: one.term.join(&other.term),
        span: one.span.to(other.span),
        is_made: one.is_made || other.is_made,
    }
}
