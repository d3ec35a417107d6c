//! The functions of one argument that an expression may call, `I` of R's formulas among them.

/// A function of one argument. Angles are in radians.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    /// The argument itself: in a formula, where operators cross terms, it holds arithmetic.
    Identity,
    /// Square root.
    Sqrt,
    /// Natural logarithm.
    Log,
    /// Logarithm to base ten.
    Log10,
    /// Exponential.
    Exp,
    /// Absolute value.
    Abs,
    /// Sine.
    Sin,
    /// Cosine.
    Cos,
}

impl Function {
    /// Every function.
    pub const ALL: [Self; 8] = [
        Self::Sqrt,
        Self::Log,
        Self::Log10,
        Self::Exp,
        Self::Abs,
        Self::Sin,
        Self::Cos,
        Self::Identity,
    ];

    /// The name by which an expression calls it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Identity => "I",
            Self::Sqrt => "sqrt",
            Self::Log => "log",
            Self::Log10 => "log10",
            Self::Exp => "exp",
            Self::Abs => "abs",
            Self::Sin => "sin",
            Self::Cos => "cos",
        }
    }

    /// The function of that name.
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|function| function.name() == name)
    }

    /// The value at `x`; NaN or infinite where the function is not defined.
    pub fn apply(self, x: f64) -> f64 {
        match self {
            Self::Identity => x,
            Self::Sqrt => x.sqrt(),
            Self::Log => x.ln(),
            Self::Log10 => x.log10(),
            Self::Exp => x.exp(),
            Self::Abs => x.abs(),
            Self::Sin => x.sin(),
            Self::Cos => x.cos(),
        }
    }
}
