//! Prints the header for matrices in tiles, or with the argument `lapack` or `scalapack` that for
//! the names of those.
#![expect(clippy::print_stdout, reason = "what it is for")]

fn main() {
    let text = match std::env::args().nth(1).as_deref() {
        Some("lapack") => tegula::header::lapack(),
        Some("scalapack") => tegula::header::scalapack(),
        _ => tegula::header::native(),
    };
    print!("{text}");
}
