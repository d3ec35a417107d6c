//! The area bound (ABE): the time that the work alone takes if it is divided among the classes of
//! workers as well as can be, by a linear programme.

use tegula_runtime::sim::TaskType;

use crate::linear::{Linear, Terms, Variable};

/// The bound, and how the work is divided in it.
#[derive(Clone, Debug, PartialEq)]
pub struct Area {
    /// The bound in seconds.
    pub seconds: f64,
    /// For each type and class the number of tasks, which need not be whole.
    pub tasks: Vec<Vec<f64>>,
}

/// Work of a type that is less than this share of all stays out of the programme, which wants its
/// coefficients within six orders of magnitude.
const NEGLIGIBLE: f64 = 1e-5;

/// The area bound of `types` on so many `workers` of each class: the least `T` such that each
/// type's tasks are divided among the classes and each class has at most `T` of work per worker.
/// No dependency is looked at, and tasks may be divided.
///
/// Types whose work is less than a hundred-thousandth of all are not divided: each stays on the
/// class that is fastest at it.
///
/// None if a type can run on no class that has workers, or durations are not finite.
///
/// Source: L. L. Nesi, PhD thesis, UGA and UFRGS, 2023, section 4.2.2, equations 4.3 to 4.5,
/// with the workers of one class, which are equal, taken together.
///
/// # Panics
/// If a type has not as many durations as there are classes.
#[must_use]
pub fn area(types: &[TaskType], workers: &[usize]) -> Option<Area> {
    for kind in types {
        assert_eq!(kind.seconds.len(), workers.len(), "durations of a type and classes");
    }
    let work: Vec<Vec<Option<f64>>> = types.iter().map(|kind| work(kind, workers)).collect();
    let least: Vec<(usize, f64)> = work.iter().map(|row| least(row)).collect::<Option<_>>()?;
    let scale: f64 = least.iter().map(|&(_, time)| time).sum();
    let mut shares = vec![vec![0.0; workers.len()]; types.len()];
    let mut large = Vec::new();
    for (i, &(class, time)) in least.iter().enumerate() {
        if time > NEGLIGIBLE * scale {
            large.push(i);
        } else {
            shares[i][class] = 1.0;
        }
    }
    if !large.is_empty() {
        solve(&work, &large, scale, &mut shares)?;
    }
    Some(divided(types, &work, &shares))
}

/// For each class the time that all tasks of `kind` take if they are divided among its workers.
fn work(kind: &TaskType, workers: &[usize]) -> Vec<Option<f64>> {
    let of_class = |(seconds, &workers): (&Option<f64>, &usize)| {
        let seconds = seconds.filter(|_| workers > 0)?;
        (seconds.is_finite() && seconds >= 0.0)
            .then(|| kind.tasks as f64 * seconds / workers as f64)
    };
    kind.seconds.iter().zip(workers).map(of_class).collect()
}

/// The fastest class and its time.
fn least(row: &[Option<f64>]) -> Option<(usize, f64)> {
    let times = row.iter().enumerate().filter_map(|(class, time)| Some((class, (*time)?)));
    times.min_by(|a, b| a.1.total_cmp(&b.1))
}

/// Divides the types in `large`: the share of each that each class takes. Times are counted in
/// `scale`, which the bound does not exceed.
fn solve(
    work: &[Vec<Option<f64>>],
    large: &[usize],
    scale: f64,
    shares: &mut [Vec<f64>],
) -> Option<()> {
    let mut programme = Linear::default();
    let bound = programme.variable(1.0);
    let mut variables: Vec<(usize, usize, Variable)> = Vec::new();
    for &i in large {
        // A class that is so slow would take more than the bound for any share worth naming.
        let fits = |time: f64| time * NEGLIGIBLE <= scale;
        let classes = work[i].iter().enumerate().filter(|(_, time)| time.is_some_and(fits));
        let own: Vec<_> = classes.map(|(class, _)| (i, class, programme.variable(0.0))).collect();
        programme.equal(own.iter().map(|&(.., variable)| (variable, 1.0)).collect(), 1.0);
        variables.extend(own);
    }
    let classes = work.first().map_or(0, Vec::len);
    for class in 0..classes {
        let term = |&(i, c, variable): &(usize, usize, Variable)| {
            (c == class).then(|| (variable, work[i][c].expect("the class can run it") / scale))
        };
        let mut terms: Terms = variables.iter().filter_map(term).collect();
        terms.push((bound, -1.0));
        programme.at_most(terms, 0.0);
    }
    let values = programme.solve().ok()?;
    for &(i, class, variable) in &variables {
        shares[i][class] = values.of(variable);
    }
    // Shares add up to 1 only as exactly as the programme was solved.
    for &i in large {
        let sum: f64 = shares[i].iter().sum();
        shares[i].iter_mut().for_each(|share| *share /= sum);
    }
    Some(())
}

/// The bound of work that is divided by `shares`: the largest time of a class.
fn divided(types: &[TaskType], work: &[Vec<Option<f64>>], shares: &[Vec<f64>]) -> Area {
    let classes = work.first().map_or(0, Vec::len);
    let time = |class: usize| -> f64 {
        work.iter().zip(shares).map(|(row, s)| row[class].map_or(0.0, |time| time * s[class])).sum()
    };
    let seconds = (0..classes).map(time).fold(0.0, f64::max);
    let tasks = types.iter().zip(shares);
    let tasks =
        tasks.map(|(kind, row)| row.iter().map(|share| share * kind.tasks as f64).collect());
    Area { seconds, tasks: tasks.collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(tasks: u64, seconds: &[f64]) -> TaskType {
        let seconds = seconds.iter().map(|&s| s.is_finite().then_some(s)).collect();
        TaskType { tasks, seconds }
    }

    fn seconds_of(types: &[TaskType], workers: &[usize]) -> f64 {
        area(types, workers).expect("there is a bound").seconds
    }

    fn assert_close(x: f64, y: f64) {
        assert!((x - y).abs() <= 1e-6 * y.abs(), "{x} against {y}");
    }

    #[test]
    fn one_class_shares_all_work() {
        let types = [kind(10, &[2.0]), kind(5, &[1.0]), kind(1_000_000, &[3e-6])];
        assert_close(seconds_of(&types, &[4]), (20.0 + 5.0 + 3.0) / 4.0);
        for workers in 1..9 {
            assert_close(seconds_of(&types, &[workers]), 28.0 / workers as f64);
        }
    }

    #[test]
    fn a_faster_class_takes_more() {
        // x tasks on a worker of 1 s, 30 - x on one of 2 s: x = 2 (30 - x), so x = 20.
        let bound = area(&[kind(30, &[1.0, 2.0])], &[1, 1]).expect("there is a bound");
        assert_close(bound.seconds, 20.0);
        assert_close(bound.tasks[0][0], 20.0);
        // Two slow ones: x = 30 - x.
        assert_close(seconds_of(&[kind(30, &[1.0, 2.0])], &[1, 2]), 15.0);
    }

    #[test]
    fn classes_take_what_they_are_relatively_good_at() {
        // The first class is 10 times as fast at a, equal at b: a stays there as long as b fills
        // the second. 10 a of 1 s or 10 s, 30 b of 1 s: 10 + x = 30 - x, so T = 20.
        let types = [kind(10, &[1.0, 10.0]), kind(30, &[1.0, 1.0])];
        let bound = area(&types, &[1, 1]).expect("there is a bound");
        assert_close(bound.seconds, 20.0);
        assert_close(bound.tasks[0][0], 10.0);
        assert_close(bound.tasks[1][1], 20.0);
        // Fewer b: the second class also takes some a. 10 a, 5 b: a share y of a, 10 - y on the
        // first: 10 - y = 5 + 10 y, so y = 5 / 11.
        let types = [kind(10, &[1.0, 10.0]), kind(5, &[1.0, 1.0])];
        assert_close(seconds_of(&types, &[1, 1]), 10.0 - 5.0 / 11.0);
    }

    #[test]
    fn what_a_class_cannot_run_stays_off_it() {
        let types = [kind(4, &[3.0, f64::INFINITY]), kind(10, &[1.0, 0.1])];
        assert_close(seconds_of(&types, &[1, 1]), 12.0);
        assert_eq!(area(&[kind(1, &[f64::INFINITY])], &[3]), None);
        assert_eq!(area(&[kind(1, &[1.0])], &[0]), None, "no worker has the class");
    }

    #[test]
    fn nothing_takes_no_time() {
        assert_eq!(area(&[], &[3]).map(|bound| bound.seconds), Some(0.0));
        assert_eq!(area(&[kind(0, &[1.0])], &[3]).map(|bound| bound.seconds), Some(0.0));
        assert_eq!(area(&[], &[]).map(|bound| bound.seconds), Some(0.0));
    }

    #[test]
    fn scales_far_apart_do_no_harm() {
        let types =
            [kind(1_000_000, &[1e-3, 2e-5]), kind(1, &[1e-9, 1e-9]), kind(3, &[1e-4, 10.0])];
        let bound = seconds_of(&types, &[30, 2]);
        // First type: 30 workers of 1000 / s and 2 of 50 000 / s.
        let first = 1e6 / (30.0 / 1e-3 + 2.0 / 2e-5);
        assert!(bound >= first && bound < first * (1.0 + NEGLIGIBLE), "{bound} against {first}");
        for power in [-9, -6, 0, 6] {
            let unit = 10f64.powi(power);
            let types = [kind(10, &[unit, 10.0 * unit]), kind(5, &[unit, unit])];
            assert_close(seconds_of(&types, &[1, 1]), (10.0 - 5.0 / 11.0) * unit);
        }
    }

    /// The bound for two classes in closed form: the first class takes the types that it is
    /// relatively best at, up to the point where both have equal work per worker.
    fn of_two_classes(types: &[TaskType], workers: &[usize]) -> f64 {
        let of = |kind: &TaskType| {
            let work = work(kind, workers);
            (work[0].expect("it can run"), work[1].expect("it can run"))
        };
        let mut work: Vec<(f64, f64)> = types.iter().map(of).collect();
        work.sort_by(|a, b| (a.0 / a.1).total_cmp(&(b.0 / b.1)));
        let mut second: f64 = work.iter().map(|(_, time)| time).sum();
        let mut first = 0.0;
        for (on_first, on_second) in work {
            if first + on_first >= second - on_second {
                let share = (second - first) / (on_first + on_second);
                return first + share * on_first;
            }
            (first, second) = (first + on_first, second - on_second);
        }
        first
    }

    #[test]
    fn two_classes_agree_with_their_closed_form() {
        let mut state = 1u64;
        let mut draw = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as f64 / (1u64 << 31) as f64
        };
        for round in 0..300 {
            let count = 1 + round % 20;
            let mut seconds = || 10f64.powf(-6.0 + 5.0 * draw());
            let pairs: Vec<[f64; 2]> = (0..count).map(|_| [seconds(), seconds()]).collect();
            let tasks = |_| 10f64.powf(6.0 * draw()) as u64;
            let tasks: Vec<u64> = (0..count).map(tasks).collect();
            let types: Vec<TaskType> =
                pairs.iter().zip(tasks).map(|(pair, tasks)| kind(tasks, pair)).collect();
            let workers = [1 + round % 64, 1 + round % 5];
            let (bound, exact) = (seconds_of(&types, &workers), of_two_classes(&types, &workers));
            let error = bound / exact - 1.0;
            assert!((-1e-9..1e-4).contains(&error), "round {round}: {bound} against {exact}");
        }
    }

    /// The hypervisor, which has no linear programmes, finds the same by their duals.
    #[test]
    fn the_bound_of_the_hypervisor_is_the_same() {
        use tegula_runtime::sched::hypervisor::{TypeLeft, area_seconds};
        let mut state = 7u64;
        let mut draw = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as f64 / (1u64 << 31) as f64
        };
        for round in 0..200 {
            let (count, classes) = (1 + round % 9, 1 + round % 4);
            let workers: Vec<usize> = (0..classes).map(|_| 1 + (9.0 * draw()) as usize).collect();
            let times: Vec<Vec<f64>> = (0..count)
                .map(|_| (0..classes).map(|_| 10f64.powf(-3.0 + 2.0 * draw())).collect())
                .collect();
            let tasks: Vec<u64> = (0..count).map(|_| 1 + (1e4 * draw()) as u64).collect();
            let types: Vec<TaskType> =
                times.iter().zip(&tasks).map(|(times, &tasks)| kind(tasks, times)).collect();
            let left: Vec<TypeLeft> = times
                .iter()
                .zip(&tasks)
                .map(|(times, &tasks)| TypeLeft { tasks: tasks as f64, seconds: times.clone() })
                .collect();
            let (dual, bound) = (area_seconds(&left, &workers), seconds_of(&types, &workers));
            let error = dual / bound - 1.0;
            assert!(error.abs() < 1e-4, "round {round}: {dual} against {bound}");
        }
    }
}
