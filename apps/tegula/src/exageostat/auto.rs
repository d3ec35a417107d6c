//! `--method auto`: how likelihoods are computed where that is left to the program.

use tegula_exageostat::vecchia::{Form, Vecchia};
use tegula_linalg::program::cholesky_flops;

use super::method::{Method, NEIGHBOURS};
use crate::error::{is_no_room, is_refused, no_room, refused};
use crate::output::{Console, bytes, number};

/// Error of a log-likelihood that hardly moves its maximum.
const ACCURACY: f64 = 1.0;

/// Most places whose exact likelihood is evaluated unasked: two seconds on two cores.
const MOST_EXACT: usize = 10_000;

/// Most neighbours that are taken unasked: some seconds for a hundred thousand places on two cores.
const MOST_NEIGHBOURS: usize = 120;

/// What `--method` says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Choice {
    /// This method.
    Named(Method),
    /// Exact as far as that is quick and fits, else from neighbours, more of them until the error
    /// of the log-likelihood is no larger than this.
    Auto(f64),
}

impl Choice {
    /// Parses `auto`, after which may stand an accuracy, or a method.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        match text.split_once(':').map_or((text, None), |(name, rest)| (name, Some(rest))) {
            ("auto", None) => Ok(Self::Auto(ACCURACY)),
            ("auto", Some(text)) => {
                let accuracy = text.parse().ok().filter(|accuracy| (1e-6..=1e6).contains(accuracy));
                accuracy.map(Self::Auto).ok_or_else(|| {
                    format!("'{text}' is no error of a log-likelihood between 1e-6 and 1e6")
                })
            }
            _ => {
                Method::parse(text).map(Self::Named).map_err(|why| format!("{why}; or write auto"))
            }
        }
    }

    /// The method for `n` places, with noise or without, within `memory` bytes, and the error of
    /// the log-likelihood that it is to keep to, where it was left to choose.
    pub(super) fn settle(self, n: usize, has_noise: bool, memory: u64) -> (Method, Option<f64>) {
        match self {
            Self::Named(method) => (method, None),
            Self::Auto(accuracy) => {
                let is_exact = n <= MOST_EXACT && triangle_bytes(n) <= memory as f64 / 2.0;
                // Noise hides what the nearest tell.
                let form = if has_noise { Form::Latent } else { Form::Grouped };
                let approximation = Method::Vecchia(NEIGHBOURS, None, form);
                (if is_exact { Method::Exact } else { approximation }, Some(accuracy))
            }
        }
    }
}

/// Bytes of the lower triangle of a covariance matrix of `n` places.
fn triangle_bytes(n: usize) -> f64 {
    0.5 * (n as f64).powi(2) * size_of::<f64>() as f64
}

/// What comes closer than `vecchia`, whose log-likelihood is found to be wrong by `error`, if that
/// is more than `accuracy` and more neighbours are worth trying.
pub(super) fn closer(
    vecchia: Option<Vecchia>,
    error: Option<f64>,
    accuracy: Option<f64>,
    console: &Console,
) -> Option<Vecchia> {
    let (vecchia, error) = (vecchia?, error?.abs());
    let neighbours = 2 * vecchia.neighbours;
    if error <= accuracy? || neighbours > MOST_NEIGHBOURS {
        return None;
    }
    console.line(format_args!(
        "the log-likelihood is wrong by about {}: again with {neighbours} neighbours",
        number(error, 3)
    ));
    Some(Vecchia { neighbours, ..vecchia })
}

/// A warning if the log-likelihood is wrong by more than was asked for.
pub(super) fn too_far(error: Option<f64>, accuracy: Option<f64>) -> Option<String> {
    let (error, accuracy) = (error?.abs(), accuracy?);
    (error > accuracy).then(|| {
        format!(
            "the log-likelihood is wrong by about {}, more than the {accuracy} asked for: give more \
             neighbours by --method vecchia:M:FORM, or take --method exact",
            number(error, 3)
        )
    })
}

/// `failure` of an exact likelihood of `n` places, which may not fit, with what it takes and what
/// else there is.
pub(super) fn alternative(n: usize, failure: anyhow::Error) -> anyhow::Error {
    if !is_refused(&failure) || n <= MOST_EXACT {
        return failure;
    }
    let again = if is_no_room(&failure) { no_room } else { refused };
    again(format!(
        "{failure}. An exact likelihood of {n} places is {} flops on {} for each evaluation: \
         --method auto, or vecchia:M, approximates it and says how well",
        number(cholesky_flops(n as f64), 3),
        bytes(triangle_bytes(n)),
    ))
}

#[cfg(test)]
mod tests {
    use tegula_exageostat::vecchia::Ordering;

    use super::*;

    #[test]
    fn choices_are_read() {
        assert_eq!(Choice::parse("auto"), Ok(Choice::Auto(1.0)));
        assert_eq!(Choice::parse("auto:0.25"), Ok(Choice::Auto(0.25)));
        assert_eq!(Choice::parse("exact"), Ok(Choice::Named(Method::Exact)));
        for text in ["auto:", "auto:0", "auto:nan", "auto:inf", "automatic", "auto:1:2"] {
            assert!(Choice::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_method_is_chosen_by_places_and_memory() {
        let (auto, named) = (Choice::Auto(0.5), Choice::Named(Method::Exact));
        let vecchia = |form| (Method::Vecchia(30, None, form), Some(0.5));
        assert_eq!(auto.settle(10_000, true, 1 << 30), (Method::Exact, Some(0.5)));
        assert_eq!(auto.settle(10_000, false, 1 << 29), vecchia(Form::Grouped));
        assert_eq!(auto.settle(10_001, true, 1 << 40), vecchia(Form::Latent));
        assert_eq!(named.settle(90_000, true, 1 << 20), (Method::Exact, None));
    }

    #[test]
    fn neighbours_double_until_the_error_is_small() {
        let of = |neighbours| Some(Vecchia::new(neighbours, Ordering::Maximin));
        let console = Console::new(false, true, false);
        let closer = |vecchia, error, accuracy| closer(vecchia, error, accuracy, &console);
        assert_eq!(closer(of(30), Some(-0.6), Some(0.5)), of(60));
        assert_eq!(closer(of(30), Some(-0.4), Some(0.5)), None);
        assert_eq!(closer(of(30), Some(9.0), None), None);
        assert_eq!(closer(of(120), Some(9.0), Some(0.5)), None);
        assert!(too_far(Some(-0.6), Some(0.5)).is_some());
        assert!(too_far(Some(0.4), Some(0.5)).is_none());
    }
}
