//! How many workers of each class each context gets so that the last of them ends soonest.
//!
//! The programmes of the thesis (equations 3.1 and 3.2) differ only in how they estimate the time
//! of a context from its workers. Given that, the smallest deadline that can be met in whole
//! workers is found by bisection. For one deadline, the fewest workers of the largest class that a
//! context needs follow from those of the other classes that it has; what is left is a knapsack
//! over these, which is solved exactly.

use crate::sched::contexts::Limits;

/// Most combinations of workers of the smaller classes.
const MOST_STATES: usize = 512;
/// Halvings of the deadline.
const STEPS: usize = 60;
/// How close to the best deadline it comes.
const PRECISION: f64 = 1e-4;

/// Workers by context and class, and the time until the last context ends, which is smallest.
///
/// `workers` are those of each class, `limits` what each context may have of them. `seconds(c, n)`
/// is the time of context `c` on `n` workers by class, which never grows with `n`. Workers that
/// shorten no context's time are given to nobody.
///
/// None, if the limits leave no choice under which all contexts end.
///
/// With `C` contexts, `P` workers in the largest class and `S` combinations of the others, it takes
/// `O(C S log P + C S^2)` steps for each of some deadlines, and calls `seconds` at most once for
/// each argument.
pub fn allocate(
    workers: &[usize],
    limits: &[Vec<Limits>],
    seconds: impl Fn(usize, &[usize]) -> f64,
) -> Option<(Vec<Vec<usize>>, f64)> {
    if limits.is_empty() || workers.is_empty() {
        return None;
    }
    let mut search = Search::new(workers, limits, &seconds);
    let all: Vec<f64> = (0..limits.len()).map(|context| search.best_time(context)).collect();
    // Nobody ends sooner than with all workers.
    let mut low = all.iter().copied().fold(0.0, f64::max);
    if !low.is_finite() {
        return None;
    }
    let mut best = search.meet(low);
    let mut high = low;
    while best.is_none() {
        (low, high) = (high, (2.0 * high).max(1e-9));
        if high > 1e30 {
            return None;
        }
        best = search.meet(high);
    }
    for _ in 0..STEPS {
        if high - low <= PRECISION * high {
            break;
        }
        let middle = 0.5 * (low + high);
        match search.meet(middle) {
            Some(found) => (best, high) = (Some(found), middle),
            None => low = middle,
        }
    }
    let mut chosen = best?;
    search.share_rest(&mut chosen);
    let last = chosen.iter().enumerate().map(|(context, own)| search.time(context, own));
    let last = last.fold(0.0, f64::max);
    Some((chosen, last))
}

struct Search<'a, F> {
    workers: &'a [usize],
    limits: &'a [Vec<Limits>],
    seconds: &'a F,
    /// The largest class.
    main: usize,
    /// By class, the counts of workers that combinations list; of the largest one only none.
    counts: Vec<Vec<usize>>,
    /// By combination, the workers of each class; the last class runs fastest.
    states: Vec<Vec<usize>>,
    /// Times by context, combination and workers of the largest class; NaN: not asked for yet.
    known: Vec<f64>,
}

impl<'a, F: Fn(usize, &[usize]) -> f64> Search<'a, F> {
    fn new(workers: &'a [usize], limits: &'a [Vec<Limits>], seconds: &'a F) -> Self {
        let main = (0..workers.len()).max_by_key(|&class| workers[class]).unwrap_or(0);
        // Where there are too many combinations, workers go by twos, fours, and so on.
        let list = |class: usize, step: usize| -> Vec<usize> {
            let last = if class == main { 0 } else { workers[class] };
            (0..last).step_by(step).chain([last]).collect()
        };
        let lists = |step| (0..workers.len()).map(|class| list(class, step)).collect();
        let mut step = 1;
        let mut counts: Vec<Vec<usize>> = lists(step);
        while counts.iter().map(Vec::len).product::<usize>() > MOST_STATES {
            step *= 2;
            counts = lists(step);
        }
        let mut states = vec![Vec::new()];
        for list in &counts {
            let longer = |state: &Vec<usize>, count: usize| [&state[..], &[count]].concat();
            states = states
                .iter()
                .flat_map(|state| list.iter().map(move |&count| longer(state, count)))
                .collect();
        }
        let known = vec![f64::NAN; limits.len() * states.len() * (workers[main] + 1)];
        Self { workers, limits, seconds, main, counts, states, known }
    }

    fn time(&self, context: usize, own: &[usize]) -> f64 {
        (self.seconds)(context, own)
    }

    fn most(&self, context: usize, class: usize) -> usize {
        let limit = self.limits[context].get(class).copied().unwrap_or(Limits::NONE);
        limit.most.min(self.workers[class])
    }

    fn least(&self, context: usize, class: usize) -> usize {
        let limit = self.limits[context].get(class).copied().unwrap_or(Limits::NONE);
        limit.least.min(self.workers[class])
    }

    /// The time of `context` on all that it may have.
    fn best_time(&self, context: usize) -> f64 {
        let all: Vec<usize> =
            (0..self.workers.len()).map(|class| self.most(context, class)).collect();
        self.time(context, &all)
    }

    /// Time of `context` on the combination `state` and `count` workers of the largest class.
    fn lookup(&mut self, context: usize, state: usize, count: usize) -> f64 {
        let place = (context * self.states.len() + state) * (self.workers[self.main] + 1) + count;
        if self.known[place].is_nan() {
            let mut own = self.states[state].clone();
            own[self.main] = count;
            self.known[place] = (self.seconds)(context, &own);
        }
        self.known[place]
    }

    /// The fewest workers of the largest class with which `context` meets `deadline` beside the
    /// others of `state`.
    fn need(&mut self, context: usize, state: usize, deadline: f64) -> Option<usize> {
        let fits = (0..self.workers.len()).filter(|&class| class != self.main).all(|class| {
            let have = self.states[state][class];
            (self.least(context, class)..=self.most(context, class)).contains(&have)
        });
        let (mut low, mut high) = (self.least(context, self.main), self.most(context, self.main));
        if !fits || low > high || self.lookup(context, state, high) > deadline {
            return None;
        }
        while low < high {
            let middle = (low + high) / 2;
            if self.lookup(context, state, middle) <= deadline {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        Some(high)
    }

    /// Workers with which all contexts meet `deadline`.
    fn meet(&mut self, deadline: f64) -> Option<Vec<Vec<usize>>> {
        let (contexts, states) = (self.limits.len(), self.states.len());
        // By combination that is taken so far: the fewest workers of the largest class, and by
        // context the combination that it has then.
        let mut taken: Vec<Option<usize>> = vec![None; states];
        taken[0] = Some(0);
        let mut choices: Vec<Vec<usize>> = Vec::with_capacity(contexts);
        let mut from: Vec<Vec<usize>> = Vec::with_capacity(contexts);
        for context in 0..contexts {
            let needs: Vec<Option<usize>> =
                (0..states).map(|state| self.need(context, state, deadline)).collect();
            let mut next: Vec<Option<usize>> = vec![None; states];
            let (mut choice, mut before) = (vec![0; states], vec![0; states]);
            for (old, used) in taken.iter().enumerate() {
                let Some(used) = used else { continue };
                for (state, need) in needs.iter().enumerate() {
                    let Some(need) = need else { continue };
                    let total = used + need;
                    let Some(sum) = self.sum(old, state) else { continue };
                    if total <= self.workers[self.main]
                        && next[sum].is_none_or(|least| total < least)
                    {
                        (next[sum], choice[sum], before[sum]) = (Some(total), state, old);
                    }
                }
            }
            taken = next;
            choices.push(choice);
            from.push(before);
        }
        let mut state = (0..states).filter(|&s| taken[s].is_some()).min_by_key(|&s| taken[s])?;
        let mut chosen = vec![Vec::new(); contexts];
        for context in (0..contexts).rev() {
            let own = choices[context][state];
            let mut workers = self.states[own].clone();
            workers[self.main] = self.need(context, own, deadline)?;
            chosen[context] = workers;
            state = from[context][state];
        }
        Some(chosen)
    }

    /// The combination of two together, if there are as many workers. Where it is not listed, the
    /// next larger one stands for it.
    fn sum(&self, one: usize, other: usize) -> Option<usize> {
        let mut place = 0;
        for (class, counts) in self.counts.iter().enumerate() {
            let both = self.states[one][class] + self.states[other][class];
            let index = counts.partition_point(|&count| count < both);
            if index == counts.len() {
                return None;
            }
            place = place * counts.len() + index;
        }
        Some(place)
    }

    /// Gives workers that are left, one by one, to the context whose time they shorten that ends
    /// last.
    fn share_rest(&self, chosen: &mut [Vec<usize>]) {
        for class in 0..self.workers.len() {
            let used: usize = chosen.iter().map(|own| own[class]).sum();
            for _ in used..self.workers[class] {
                let gains = |context: usize| {
                    let mut own = chosen[context].clone();
                    own[class] += 1;
                    let (now, then) =
                        (self.time(context, &chosen[context]), self.time(context, &own));
                    (own[class] <= self.most(context, class) && then < now * (1.0 - 1e-9))
                        .then_some((now, context))
                };
                let latest = (0..chosen.len()).filter_map(gains);
                let Some((_, context)) = latest.max_by(|one, other| one.0.total_cmp(&other.0))
                else {
                    break;
                };
                chosen[context][class] += 1;
            }
        }
    }
}
