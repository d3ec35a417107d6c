//! Where the text of the thesis and the program that made its numbers differ.

/// What a run follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rules {
    /// The text: see [`crate::engine`].
    Text,
    /// The program, with its details.
    Published,
}

impl Rules {
    /// Both, with the names that flags take and what they are.
    pub const ALL: [(&'static str, Self, &'static str); 2] = [
        ("text", Self::Text, "as the thesis writes them"),
        ("published", Self::Published, "as the program of the thesis has them"),
    ];

    /// A pass is made only in seconds that are multiples of this, unless another is asked for.
    #[must_use]
    pub fn default_interval(self) -> i64 {
        match self {
            Self::Text => 0,
            Self::Published => 30,
        }
    }
}
