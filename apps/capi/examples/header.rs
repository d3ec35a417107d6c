//! Prints the header for matrices in tiles, or with the argument `lapack` that for LAPACK's names.
#![expect(clippy::print_stdout, reason = "what it is for")]

fn main() {
    let is_lapack = std::env::args().nth(1).is_some_and(|name| name == "lapack");
    print!("{}", if is_lapack { tegula::header::lapack() } else { tegula::header::native() });
}
