//! Text as R spells it: blanks around operators, numbers in their shortest form.

use tegula_files::expression::{Span, Token};

/// The spelling of `tokens`, as `deparse` of R has it.
pub(super) fn spelled(tokens: &[(Token, Span)]) -> String {
    let mut text = String::new();
    let mut follows_operand = false;
    for (token, _) in tokens {
        match token {
            Token::Number(value) => text.push_str(&number(*value)),
            Token::Name { name, .. } => text.push_str(&column(name)),
            Token::Sign(sign @ ('+' | '-')) if !follows_operand => text.push(*sign),
            Token::Sign(sign @ ('+' | '-' | '*' | '=')) => text.push_str(&format!(" {sign} ")),
            Token::Sign(',') => text.push_str(", "),
            Token::Sign(sign) => text.push(*sign),
            Token::End => {}
        }
        follows_operand = matches!(token, Token::Number(_) | Token::Name { .. } | Token::Sign(')'));
    }
    text
}

/// A column's name, in backquotes if it is no name otherwise.
pub(super) fn column(name: &str) -> String {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    let begins = name.starts_with(|c: char| c.is_alphabetic() || c == '_') || name == ".";
    if begins && name.chars().all(is_part) { name.to_owned() } else { format!("`{name}`") }
}

/// A number with as many digits as tell it apart, with an exponent where that is shorter.
pub(super) fn number(value: f64) -> String {
    let scientific = format!("{value:e}");
    let Some((mantissa, exponent)) = scientific.split_once('e') else { return scientific };
    let exponent: i32 = exponent.parse().expect("an exponent is a whole number");
    let digits = mantissa.chars().filter(char::is_ascii_digit).count() as i32;
    let fixed = match exponent {
        _ if exponent >= digits - 1 => exponent + 1,
        0.. => digits + 1,
        _ => digits - exponent + 1,
    };
    let power = format!("{:02}", exponent.abs());
    let with_exponent = digits + i32::from(digits > 1) + 2 + power.len() as i32;
    if fixed <= with_exponent {
        return format!("{value}");
    }
    format!("{mantissa}e{}{power}", if exponent < 0 { '-' } else { '+' })
}
