//! Vecchia's approximation of the likelihood, of its score, and of predictions.

use tegula_kernels::geometry::Geometry;
use tegula_kernels::kernel::covariance::rate::random_points;
use tegula_kernels::kernel::covariance::{RadialTable, Structure, TABLE_BYTES};
use tegula_kernels::kernel::random::RandomInputs;
use tegula_kernels::kernel::vecchia::{
    CompositeWeights, Conditionals, JointScore, JointTerms, NONE, OWN, Places, ScoreSums,
    ScoreTerms, Sets, Terms, Weights,
};

use super::covariances::{law_of, mark, recipe, tables_of};
use super::{Comparison, raw};

impl Comparison<'_> {
    /// In all geometries; the first places of a set lack neighbours, and some have none.
    pub(super) fn vecchia(&mut self, random: &mut RandomInputs) {
        for (geometry, is_relative) in Geometry::ALL.into_iter().zip([true, false].repeat(2)) {
            for (first, rows, m) in [(0, 40, 1), (0, 21, 6), (3, 90, 30), (60, 3, 70), (5, 0, 4)] {
                let places = Places { first, rows, neighbours: m, columns: 2, geometry };
                self.places(places, is_relative, random);
            }
        }
    }

    /// Sets of covariances by distance and of those that are put together, in all geometries.
    pub(super) fn sets(&mut self, random: &mut RandomInputs) {
        for (geometry, is_relative) in Geometry::ALL.into_iter().zip([true, false].repeat(2)) {
            let tables = |nugget: f64| {
                let mut tables = tables_of(geometry, 0.0);
                tables[0].nugget = nugget;
                raw_of(&tables)
            };
            let structure = Structure::Radial { is_relative };
            self.sets_of((&tables, structure, 2), geometry, [0, 0], random);
            for marks in [[0, 0], [1, 0], [0, 1], [1, 1]] {
                let recipe = recipe(marks[0], marks[1]);
                let law = |nugget: f64| {
                    let mut recipe = recipe;
                    recipe.nugget = nugget;
                    law_of(&recipe, geometry)
                };
                let law = (&law as _, recipe.structure(), recipe.derivatives());
                self.sets_of(law, geometry, marks, random);
            }
        }
    }

    /// The sums of sets of a few members and of many, and what is predicted from neighbours.
    fn sets_of(
        &mut self,
        (law, structure, derivatives): (&dyn Fn(f64) -> Vec<u8>, Structure, usize),
        geometry: Geometry,
        marks: [u64; 2],
        random: &mut RandomInputs,
    ) {
        let (count, columns, rows, m) = (100, 2, 40, 7);
        let points = mark(random_points(geometry, count + rows, 1.0, 12), marks);
        let place = |i: usize| {
            let mut numbers = points.point(i)[..geometry.stored()].to_vec();
            numbers.extend((0..points.marks()).map(|mark| points.mark(mark)[i]));
            numbers
        };
        let mut records: Vec<f64> = Vec::new();
        for i in 0..count {
            records.extend(place(i));
            records.extend(random.numbers::<f64>(columns));
        }
        let records = raw(&records);
        let size = 4096.0 * 64.0 * (rows * rows) as f64;
        let sums = |length: usize| vec![0xff; length * size_of::<f64>()];
        let sets = Sets { columns, marks: points.marks(), geometry, structure, size: (rows, m) };
        // One place twice is too much, if noise is less than nothing.
        for (is_good, nugget) in [(true, 0.25), (false, -1e-3)] {
            let (law, lists) = (law(nugget), lists(is_good));
            let own = match structure {
                Structure::Radial { .. } => law[..TABLE_BYTES].to_vec(),
                Structure::Composite { .. } => law.clone(),
            };
            let terms = [own, records.clone(), lists.clone(), sums(Terms::length(columns))];
            self.compare::<f64, f64, _>(JointTerms(sets), &terms, size);
            let (mix, made) = (raw(&[2.0, 0.3, 0.3, 0.7]), sums(ScoreSums::length(derivatives)));
            let score = [law, records.clone(), lists, mix, made];
            let kernel = JointScore { sets, derivatives };
            self.compare::<f64, f64, _>(kernel, &score, 64.0 * size);
        }
        if matches!(structure, Structure::Composite { .. }) {
            let targets: Vec<f64> = (count..count + rows).flat_map(place).collect();
            let given: Vec<u32> = (0..rows).flat_map(|place| before(place, m)).collect();
            let given = bytemuck::cast_slice(&given).to_vec();
            let places = Places { first: 0, rows, neighbours: m, columns, geometry };
            let made = sums(rows * (columns + 1));
            let buffers = [law(0.25), records, given, raw(&targets), made];
            let kernel = CompositeWeights { places, marks: points.marks(), structure };
            self.compare::<f64, f64, _>(kernel, &buffers, size);
        }
    }

    fn places(&mut self, places: Places, is_relative: bool, random: &mut RandomInputs) {
        let Places { first, rows, neighbours: m, columns, geometry } = places;
        let (count, derivatives) = (100, 2);
        let points = random_points(geometry, count + rows, 1.0, 12);
        let coordinates = |i: usize| points.point(i)[..geometry.stored()].to_vec();
        let mut records: Vec<f64> = Vec::new();
        for i in 0..count {
            records.extend(coordinates(i));
            records.extend(random.numbers::<f64>(columns));
        }
        let targets: Vec<f64> = (count..count + rows).flat_map(coordinates).collect();
        let lists: Vec<u32> = (first..first + rows).flat_map(|place| before(place, m)).collect();
        let tables = tables_of(geometry, 0.25);
        let table = raw_of(&tables[..1]);
        let (records, lists) = (raw(&records), bytemuck::cast_slice(&lists).to_vec());
        // Squares of the numbers over what is left of variances, in matrices of this order.
        let size = 4096.0 * (rows * (m + 1)) as f64;
        let sums = |length: usize| vec![0xff; length * size_of::<f64>()];
        let buffers = [table.clone(), records.clone(), lists.clone(), sums(Terms::length(columns))];
        self.compare::<f64, f64, _>(Terms(places), &buffers, size);
        let mix = raw(&[2.0, 0.3, 0.3, 0.7]);
        let score = ScoreTerms { places, derivatives, is_relative };
        let made = sums(ScoreSums::length(derivatives));
        let buffers = [raw_of(&tables), records.clone(), lists.clone(), mix, made];
        self.compare::<f64, f64, _>(score, &buffers, 64.0 * size);
        let conditionals = Conditionals { places, derivatives, is_relative };
        let made = sums(conditionals.length());
        let buffers = [raw_of(&tables), records.clone(), lists.clone(), made];
        self.compare::<f64, f64, _>(conditionals, &buffers, size);
        let made = sums(rows * (columns + 1));
        let of_targets = Places { first: 0, ..places };
        let buffers = [table.clone(), records.clone(), lists, raw(&targets), made];
        self.compare::<f64, f64, _>(Weights(of_targets), &buffers, size);
        // Without a nugget, twice the same neighbour is too much.
        if m > 1 && rows > 1 {
            let table = raw_of(&tables_of(geometry, 0.0)[..1]);
            let mut lists = vec![NONE; rows * m];
            for row in [rows - 1, rows / 2] {
                lists[row * m + m - 2..(row + 1) * m].fill(1);
            }
            let lists = bytemuck::cast_slice(&lists).to_vec();
            let buffers =
                [table.clone(), records.clone(), lists.clone(), sums(Terms::length(columns))];
            self.compare::<f64, f64, _>(Terms(places), &buffers, size);
            let buffers = [table, records, lists, raw(&targets), sums(rows * (columns + 1))];
            self.compare::<f64, f64, _>(Weights(of_targets), &buffers, size);
        }
    }
}

/// Lists of sets: of a place alone, and of some and of many, or of others of which one place is a
/// member twice.
fn lists(is_good: bool) -> Vec<u8> {
    let mut sets = vec![vec![5 | OWN]];
    if is_good {
        sets.push(vec![1, 4, 2, 3 | OWN, 9 | OWN, 11 | OWN]);
        sets.extend((0..5).map(|set| vec![20 + set, (30 + set) | OWN, (40 + 2 * set) | OWN]));
        sets.push((50..90).map(|place| if place % 3 == 0 { place } else { place | OWN }).collect());
    } else {
        sets.extend([vec![7, 8 | OWN, 12, 8 | OWN], vec![6, 6 | OWN]]);
    }
    let mut list = vec![sets.len() as u32];
    for set in sets {
        list.push(set.len() as u32);
        list.extend(set);
    }
    // What follows is not read.
    list.extend([u32::MAX; 9]);
    bytemuck::cast_slice(&list).to_vec()
}

/// Up to `m` places before one, some steps apart.
fn before(place: usize, m: usize) -> Vec<u32> {
    let mut given: Vec<u32> =
        (0..place.min(m)).map(|k| ((place - 1 - k) * 7 % place) as u32).collect();
    given.sort_unstable();
    given.dedup();
    let mut list = vec![NONE; m - given.len()];
    list.extend(given);
    list
}

fn raw_of(tables: &[RadialTable]) -> Vec<u8> {
    bytemuck::cast_slice(tables).to_vec()
}
