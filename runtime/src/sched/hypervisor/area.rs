//! The area bound of tasks of a few types on workers of a few classes, without a linear programme.

use super::TypeLeft;

/// Points at which the inner maxima are looked for, where there are more than two classes.
const POINTS: usize = 48;

/// The least seconds in which so many workers of each class can run the tasks, which may be cut and
/// have no dependencies; infinite, if some run nowhere.
///
/// It is the optimum of: least `T` with `sum_t n_tk d_tk <= T w_k` for each class `k` and
/// `sum_k n_tk = n_t` for each type `t`. Its dual, a price `y_k` for the time of each class, is
/// `max sum_t n_t min_k d_tk y_k` with `sum_k w_k y_k = 1`, which is concave in the prices. With
/// two classes its maximum is where both cost the same for some type; with more it is found by
/// golden section in each further price, and where two classes cost the same.
#[must_use]
pub fn area_seconds(types: &[TypeLeft], workers: &[usize]) -> f64 {
    let classes: Vec<usize> = (0..workers.len()).filter(|&class| workers[class] > 0).collect();
    let runs = |kind: &&TypeLeft| classes.iter().any(|&class| kind.seconds[class].is_finite());
    if !types.iter().filter(|kind| kind.tasks > 0.0).all(|kind| runs(&kind)) {
        return f64::INFINITY;
    }
    let mut prices = vec![0.0; workers.len()];
    let dual = Dual { types, workers, classes: &classes };
    dual.most(0, 1.0, &mut prices)
}

struct Dual<'a> {
    types: &'a [TypeLeft],
    workers: &'a [usize],
    /// The classes that have workers.
    classes: &'a [usize],
}

impl Dual<'_> {
    fn value(&self, prices: &[f64]) -> f64 {
        let cost = |kind: &TypeLeft| {
            let of = self.classes.iter().filter(|&&class| kind.seconds[class].is_finite());
            of.map(|&class| kind.seconds[class] * prices[class]).fold(f64::INFINITY, f64::min)
        };
        let busy = self.types.iter().filter(|kind| kind.tasks > 0.0);
        busy.map(|kind| kind.tasks * cost(kind)).sum()
    }

    /// The maximum over the prices of the classes from `place` on, which share `budget`.
    fn most(&self, place: usize, budget: f64, prices: &mut [f64]) -> f64 {
        match self.classes.len() - place {
            0 => 0.0,
            1 => {
                let class = self.classes[place];
                prices[class] = budget / self.workers[class] as f64;
                self.value(prices)
            }
            2 => self.most_of_two(place, budget, prices),
            _ => self.golden(place, budget, prices),
        }
    }

    /// The maximum over the last two prices: at an end, or where for some type they cost the same,
    /// or one of them what it costs on the classes before.
    fn most_of_two(&self, place: usize, budget: f64, prices: &mut [f64]) -> f64 {
        let (one, other) = (self.classes[place], self.classes[place + 1]);
        let (n, m) = (self.workers[one] as f64, self.workers[other] as f64);
        let mut candidates = vec![0.0, budget / n];
        for kind in self.types {
            let (d, e) = (kind.seconds[one], kind.seconds[other]);
            if d.is_finite() && e.is_finite() {
                // d y_1 = e y_2 with n y_1 + m y_2 = budget.
                candidates.push(budget * e / (n * e + m * d));
            }
            let before =
                self.classes[..place].iter().map(|&class| kind.seconds[class] * prices[class]);
            let before = before.filter(|cost| cost.is_finite()).fold(f64::INFINITY, f64::min);
            if before.is_finite() {
                candidates.extend([before / d, (budget - m * before / e) / n]);
            }
        }
        let mut best: f64 = 0.0;
        for price in candidates.into_iter().filter(|price| (0.0..=budget / n).contains(price)) {
            prices[one] = price;
            prices[other] = ((budget - n * price) / m).max(0.0);
            best = best.max(self.value(prices));
        }
        best
    }

    fn golden(&self, place: usize, budget: f64, prices: &mut [f64]) -> f64 {
        let (class, ratio) = (self.classes[place], 0.5 * (5.0_f64.sqrt() - 1.0));
        let mut at = |part: f64| {
            prices[class] = part * budget / self.workers[class] as f64;
            self.most(place + 1, (1.0 - part) * budget, prices)
        };
        let (mut low, mut high) = (0.0, 1.0);
        let (mut left, mut right) = (high - ratio * (high - low), low + ratio * (high - low));
        let (mut at_left, mut at_right) = (at(left), at(right));
        let mut best = at(low).max(at(high)).max(at_left).max(at_right);
        for _ in 0..POINTS {
            if at_left < at_right {
                (low, left, at_left) = (left, right, at_right);
                right = low + ratio * (high - low);
                at_right = at(right);
            } else {
                (high, right, at_right) = (right, left, at_left);
                left = high - ratio * (high - low);
                at_left = at(left);
            }
            best = best.max(at_left).max(at_right);
        }
        best
    }
}
