//! A page of what strategies chose on pools.

use tegula_figures::chart::{Chart, Layer, chart};
use tegula_figures::html;
use tegula_figures::svg::escaped;
use tegula_plan::adapt::{Action, PoolRow};

use super::replay::{Trial, Tried};
use crate::output::number;

/// The page.
pub(super) fn page(tried: &[Tried]) -> String {
    let cost = tried.first().map_or("", |pool| pool.objective.summary());
    let mut body = html::section(
        &format!(
            "What a run costs ({cost}), and by how many per cent each strategy is above the best \
             count"
        ),
        1,
        &table(tried),
    );
    for pool in tried {
        body += &format!("<h2>{}</h2>\n<div class=\"figures\">\n", escaped(&pool.name));
        body += &html::captioned(
            "Durations",
            &durations(pool),
            "Points: what the phases take with so many nodes of the factorisation and all of the \
             generation. Line: what the linear programme expects. Upright lines: the last node of \
             each group of equal ones.",
        );
        if let Some(front) = front(pool) {
            body += &html::captioned(
                "Time and energy",
                &front,
                "Points: what each choice takes, named by the nodes of the generation and of the \
                 factorisation. Line: those to which no other is better in both.",
            );
        }
        for trial in &pool.trials {
            body += &html::captioned(
                trial.strategy.name,
                &choices(pool, trial),
                "How often it chose each count, in the mean over runs.",
            );
        }
        body += "</div>\n";
    }
    html::page("How many nodes each phase uses", &body)
}

/// A row for each pool, a column for each strategy: how much more it costs than the best count.
fn table(tried: &[Tried]) -> Vec<Vec<String>> {
    let mut head = vec!["pool".to_owned(), "all nodes".to_owned(), "best count".to_owned()];
    let strategies = tried.first().map(|pool| &pool.trials[..]).unwrap_or_default();
    head.extend(strategies.iter().map(|trial| trial.strategy.name.to_owned()));
    let row = |pool: &Tried| {
        let costs = [pool.all, pool.best].map(|mean| number(mean.cost, 5));
        let mut row: Vec<String> = [pool.name.clone()].into_iter().chain(costs).collect();
        row.extend(
            pool.trials
                .iter()
                .map(|trial| format!("{:.1}", 100.0 * (trial.mean().cost / pool.best.cost - 1.0))),
        );
        row
    };
    std::iter::once(head).chain(tried.iter().map(row)).collect()
}

/// Where groups end, but the last.
fn borders(pool: &Tried) -> impl Iterator<Item = Layer<'static>> + '_ {
    let ends = pool.space.ends();
    ends[..ends.len() - 1].iter().map(|&end| Layer::Upright(end as f64 + 0.5))
}

fn durations(pool: &Tried) -> String {
    let line = || pool.space.line().iter().map(|&row| &pool.pool.rows[row]);
    let points: Vec<(f64, f64)> =
        line().map(|row| (row.action.second as f64, row.seconds)).collect();
    let words: Vec<String> =
        points.iter().map(|(nodes, seconds)| format!("{nodes} nodes: {seconds:.2} s")).collect();
    let bound: Vec<(f64, f64)> =
        line().map(|row| (row.action.second as f64, row.bounds[1])).collect();
    let mut layers: Vec<Layer<'_>> = borders(pool).collect();
    layers.extend([Layer::Line(&bound), Layer::Points(&points, &words)]);
    // The few nodes that take long would leave no height for the others.
    let top = points.iter().map(|&(_, seconds)| seconds).fold(0.0, f64::max);
    let (x, y) = ("nodes of the factorisation", "seconds");
    chart(&Chart { x, y, with_x: &[0.0], with_y: &[0.0, top], layers: &layers })
}

/// Time and energy of all choices, if the energy is known.
fn front(pool: &Tried) -> Option<String> {
    let rows = &pool.pool.rows;
    let place = |row: &PoolRow| Some((row.seconds, 1e-3 * row.joules?));
    let points = rows.iter().map(place).collect::<Option<Vec<(f64, f64)>>>()?;
    let word = |(row, (seconds, energy)): (&PoolRow, &(f64, f64))| {
        let Action { first, second } = row.action;
        format!("{first}|{second}: {seconds:.2} s, {energy:.2} kJ")
    };
    let words: Vec<String> = rows.iter().zip(&points).map(word).collect();
    let best: Vec<(f64, f64)> = pool.pool.front().into_iter().map(|row| points[row]).collect();
    let layers = [Layer::Line(&best), Layer::Points(&points, &words)];
    let (x, y) = ("seconds", "kJ");
    Some(chart(&Chart { x, y, with_x: &[0.0], with_y: &[0.0], layers: &layers }))
}

fn choices(pool: &Tried, trial: &Trial) -> String {
    let taken = trial.taken(pool.pool.rows.len());
    let mut of_count = vec![0.0; pool.space.nodes() + 1];
    for (row, count) in pool.pool.rows.iter().zip(taken) {
        of_count[row.action.second] += count;
    }
    let bar = |(nodes, &count): (usize, &f64)| (nodes as f64 - 0.5, nodes as f64 + 0.5, count);
    let bars: Vec<(f64, f64, f64)> =
        of_count.iter().enumerate().skip(1).map(bar).filter(|bar| bar.2 > 0.0).collect();
    let mut layers: Vec<Layer<'_>> = borders(pool).collect();
    layers.push(Layer::Bars(&bars));
    let (x, y) = ("nodes of the factorisation", "times");
    let with_x = [0.5, pool.space.nodes() as f64 + 0.5];
    chart(&Chart { x, y, with_x: &with_x, with_y: &[0.0], layers: &layers })
}
