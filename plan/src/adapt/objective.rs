//! What choices are to make least.

/// What is to be least.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Objective {
    /// The time.
    Time,
    /// The energy.
    Energy,
    /// Energy times time, where saving a share of one is worth the same share of the other.
    Product,
}

impl Objective {
    /// Every objective, the one to take unless told otherwise first.
    pub const ALL: [Self; 3] = [Self::Time, Self::Energy, Self::Product];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Time => "time",
            Self::Energy => "energy",
            Self::Product => "product",
        }
    }

    /// What it is.
    #[must_use]
    pub fn summary(self) -> &'static str {
        match self {
            Self::Time => "seconds",
            Self::Energy => "joules",
            Self::Product => "joules times seconds",
        }
    }

    /// What so many seconds and joules cost; not a number if it needs the joules and they are not
    /// known.
    #[must_use]
    pub fn cost(self, seconds: f64, joules: Option<f64>) -> f64 {
        match self {
            Self::Time => seconds,
            Self::Energy => joules.unwrap_or(f64::NAN),
            Self::Product => seconds * joules.unwrap_or(f64::NAN),
        }
    }
}
