//! A document in the making: elements of SVG as text, with names escaped.

use std::fmt::{Arguments, Write};

/// An SVG document.
#[derive(Clone, Debug, Default)]
pub struct Svg(String);

impl Svg {
    /// Adds a line.
    ///
    /// # Panics
    /// Never: a string takes all.
    pub fn line(&mut self, element: Arguments<'_>) {
        self.0.write_fmt(element).expect("a string takes all");
        self.0.push('\n');
    }

    /// Adds text of a class with the start of its baseline at `(x, y)`.
    pub fn text(&mut self, (x, y): (f64, f64), class: &str, text: &str) {
        let text = escaped(text);
        self.line(format_args!(
            "<text x=\"{}\" y=\"{}\" class=\"{class}\">{text}</text>",
            px(x),
            px(y)
        ));
    }

    /// Adds a rectangle of a class, from `x` on and `y` down, with a `title` to show on hover.
    pub fn rect(
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

    /// Wraps all of it as a document of this class and size, width by height, with rules of style.
    #[must_use]
    pub fn finish(self, name: &str, (width, height): (f64, f64), style: &str) -> String {
        let body = self.0;
        let (width, height) = (px(width), px(height));
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"{name}\" width=\"{width}\" \
             height=\"{height}\" viewBox=\"0 0 {width} {height}\">\n<style>\n{style}</style>\n\
             <rect width=\"100%\" height=\"100%\" class=\"bg\"/>\n{body}</svg>\n"
        )
    }
}

/// A length in pixels, to a hundredth.
#[must_use]
pub fn px(length: f64) -> f64 {
    (length * 100.0).round() / 100.0
}

/// `text` with the characters that mean something in XML written out.
#[must_use]
pub fn escaped(text: &str) -> String {
    let text = text.replace(char::is_control, "\u{fffd}");
    html_escape::encode_double_quoted_attribute(&text).into_owned()
}
