//! Vecchia's approximation of the likelihood, of its score, and of predictions.

use tegula_kernels::geometry::Geometry;
use tegula_kernels::kernel::covariance::RadialTable;
use tegula_kernels::kernel::covariance::rate::random_points;
use tegula_kernels::kernel::random::RandomInputs;
use tegula_kernels::kernel::vecchia::{
    Conditionals, NONE, Places, ScoreSums, ScoreTerms, Terms, Weights,
};

use super::covariances::tables_of;
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
