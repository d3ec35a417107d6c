//! A document in the making: elements of SVG as text, with names escaped.

use std::fmt::{Arguments, Write};

use super::style::WIDTH;

/// An SVG document.
#[derive(Debug, Default)]
pub(super) struct Svg(String);

impl Svg {
    /// Adds a line.
    pub(super) fn line(&mut self, element: Arguments<'_>) {
        self.0.write_fmt(element).expect("a string takes all");
        self.0.push('\n');
    }

    /// Adds text of a class with the start of its baseline at `(x, y)`.
    pub(super) fn text(&mut self, (x, y): (f64, f64), class: &str, text: &str) {
        let text = escaped(text);
        self.line(format_args!(
            "<text x=\"{}\" y=\"{}\" class=\"{class}\">{text}</text>",
            px(x),
            px(y)
        ));
    }

    /// Adds a rectangle of a class, from `x` on and `y` down, with a `title` to show on hover.
    pub(super) fn rect(
        &mut self,
        (x, y): (f64, f64),
        (width, height): (f64, f64),
        class: &str,
        title: &str,
    ) {
        let (x, y, width, height) = (px(x), px(y), px(width), px(height));
        let title = escaped(title);
        self.line(format_args!(
            "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" class=\"{class}\">\
             <title>{title}</title></rect>"
        ));
    }

    /// Wraps all of it as a document of this size and class, with rules of style.
    pub(super) fn finish(self, name: &str, height: f64, style: &str) -> String {
        let body = self.0;
        let height = px(height);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"{name}\" width=\"{WIDTH}\" \
             height=\"{height}\" viewBox=\"0 0 {WIDTH} {height}\">\n<style>\n{style}</style>\n\
             <rect width=\"100%\" height=\"100%\" class=\"bg\"/>\n{body}</svg>\n"
        )
    }
}

/// A length in pixels, to a hundredth.
pub(super) fn px(length: f64) -> f64 {
    (length * 100.0).round() / 100.0
}

/// `text` with the characters that mean something in XML written out.
pub(super) fn escaped(text: &str) -> String {
    let text = text.replace(char::is_control, "\u{fffd}");
    html_escape::encode_double_quoted_attribute(&text).into_owned()
}
