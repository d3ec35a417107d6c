//! The rules by which a time is found, in their order.

use super::*;
use crate::platform::WorkerKind;

const CPU: ClassId = ClassId(0);
const GPU: ClassId = ClassId(1);

fn machine() -> Machine {
    let mut machine = Machine::cores(2);
    machine.add_class("gpu", WorkerKind::Cuda);
    machine
}

fn cost(flops: f64, bytes: f64) -> Cost {
    Cost { flops, bytes }
}

fn given(codelet: &str, class: &str, flops: u64, seconds: f64) -> Entry {
    let entry = Entry::never(codelet, class);
    Entry { flops, seconds, never: false, ..entry }
}

#[test]
fn guesses_give_way_to_rates_curves_and_samples() {
    let guess = WorkerModel { gflops: 2.0, gbytes_per_second: 1.0, overhead_seconds: 0.0 };
    let models = Models::guessing(&machine(), guess);
    let time = |flops: f64| models.nanoseconds("gemm", cost(flops, 0.0), CPU).expect("a time");
    assert_eq!(time(1e6), 500_000);
    models.record("gemm", cost(1e6, 0.0), CPU, 100_000);
    assert_eq!((time(1e6), time(4e6)), (100_000, 400_000));
    (0..10).for_each(|_| models.record("gemm", cost(4e6, 0.0), CPU, 200_000));
    assert_eq!((time(4e6), time(1.6e7)), (200_000, 400_000));
    (0..9).for_each(|_| models.record("gemm", cost(1e6, 0.0), CPU, 100_000));
    assert_eq!(time(1e6), 100_000);
    assert_eq!(models.nanoseconds("gemm", cost(1e6, 0.0), GPU), Some(500_000));
}

#[test]
fn numbers_from_elsewhere_are_believed_for_any_bytes() {
    let models = Models::new(&machine());
    models.enter(&given("potrf", "cpu", 1000, 3e-6));
    assert_eq!(models.nanoseconds("potrf", cost(1000.2, 64.0), CPU), Some(3000));
    models.record("potrf", cost(1000.0, 64.0), CPU, 9000);
    assert_eq!(models.nanoseconds("potrf", cost(1000.0, 64.0), CPU), Some(3000));
    (0..9).for_each(|_| models.record("potrf", cost(1000.0, 64.0), CPU, 9000));
    assert_eq!(models.nanoseconds("potrf", cost(1000.0, 64.0), CPU), Some(9000));
    assert_eq!(models.nanoseconds("potrf", cost(1000.0, 32.0), CPU), Some(3000));
}

#[test]
fn formulas_come_after_numbers_and_before_other_sizes() {
    let models = Models::new(&machine());
    models.enter(&given("gemm", "gpu", 1_000_000, 3e-6));
    let time = |flops, bytes| models.nanoseconds("gemm", cost(flops, bytes), GPU);
    assert_eq!(time(2e6, 4000.0), Some(6000), "the rate of the other size");
    let formula = Formula { gflops: 1000.0, gbytes_per_second: 8.0, overhead_seconds: 5e-6 };
    models.enter(&Entry::of_formula("gemm", "gpu", formula));
    assert_eq!((time(1e6, 4000.0), time(2e6, 4000.0)), (Some(3000), Some(5000 + 2000 + 500)));
    assert_eq!(models.basis("gemm", cost(2e6, 0.0), GPU), Some(Basis::Known));
    assert_eq!(models.nanoseconds("gemm", cost(2e6, 0.0), CPU), None);
    let again = Models::new(&machine());
    models.entries().iter().for_each(|entry| again.enter(entry));
    assert_eq!(again.entries(), models.entries());
    assert_eq!(again.nanoseconds("gemm", cost(2e6, 4000.0), GPU), Some(7500));
}

#[test]
fn what_cannot_run_has_no_time() {
    let models = Models::new(&machine());
    assert_eq!(models.nanoseconds("dcmg", cost(10.0, 0.0), GPU), None);
    models.guess(
        GPU,
        Some(WorkerModel { gflops: 1.0, gbytes_per_second: 1.0, overhead_seconds: 0.0 }),
    );
    models.enter(&Entry::never("dcmg", "gpu"));
    assert_eq!(models.nanoseconds("dcmg", cost(10.0, 0.0), GPU), None);
    assert_eq!(models.nanoseconds("other", cost(10.0, 0.0), GPU), Some(10));
}

#[test]
fn entries_come_back_as_they_went_in() {
    let models = Models::new(&machine());
    (1..=12).for_each(|time| models.record("gemm", cost(1e6, 96.0), CPU, 1000 * time));
    models.record("gemm", cost(2e6, 96.0), CPU, 7000);
    models.enter(&given("potrf", "gpu", 1000, 3e-6));
    models.enter(&Entry::never("dcmg", "gpu"));
    let entries = models.entries();
    let names: Vec<&str> = entries.iter().map(|entry| entry.codelet.as_str()).collect();
    assert_eq!(names, ["dcmg", "gemm", "gemm", "potrf"]);
    assert_eq!(entries[1].samples, Some(12));
    assert!((entries[1].seconds - 6.5e-6).abs() < 1e-15 && entries[1].deviation > 3e-6);
    let again = Models::new(&machine());
    entries.iter().for_each(|entry| again.enter(entry));
    for (entry, old) in again.entries().iter().zip(&entries) {
        assert_eq!(
            (entry.place(), entry.samples, entry.never),
            (old.place(), old.samples, old.never)
        );
        assert!((entry.deviation - old.deviation).abs() <= 1e-12 * old.deviation);
    }
    assert_eq!(again.nanoseconds("gemm", cost(1e6, 96.0), CPU), Some(6500));
}

#[test]
fn times_say_what_they_come_from() {
    let models = Models::new(&machine());
    let basis = |name, flops: f64| models.basis(name, cost(flops, 0.0), CPU);
    assert_eq!(basis("gemm", 1000.0), None);
    let guess = WorkerModel { gflops: 1.0, gbytes_per_second: 1.0, overhead_seconds: 0.0 };
    models.guess(CPU, Some(guess));
    assert_eq!(basis("gemm", 1000.0), Some(Basis::Guessed));
    models.enter(&given("gemm", "cpu", 1000, 3e-6));
    assert_eq!(basis("gemm", 1000.0), Some(Basis::Known));
    assert_eq!(basis("gemm", 2000.0), Some(Basis::Extrapolated));
    models.record("potrf", cost(1000.0, 0.0), CPU, 9000);
    assert_eq!(basis("potrf", 1000.0), Some(Basis::Extrapolated), "one task is too few");
    models.enter(&Entry::never("dcmg", "cpu"));
    assert_eq!(basis("dcmg", 1000.0), None);
}

#[test]
fn many_sizes_are_found_again() {
    let models = Models::new(&machine());
    for round in 0..10 {
        for size in 1..=3000_u32 {
            models.record("gemm", cost(f64::from(size), 8.0), CPU, u64::from(size + round));
        }
    }
    for size in 1..=3000_u32 {
        let time = models.nanoseconds("gemm", cost(f64::from(size), 8.0), CPU);
        // The mean of ten times is 4.5 more than the first, which rounds up.
        assert_eq!(time, Some(u64::from(size) + 5));
    }
}
