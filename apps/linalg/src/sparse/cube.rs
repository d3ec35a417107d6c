//! The matrix on which sparse factorisations are mostly studied.

use tegula_kernels::sparse::SparseMatrix;

/// The Laplacian of a cube of `edge` points each way, 6 on the diagonal and -1 between neighbours.
/// Points are numbered by nested dissection (George, "Nested dissection of a regular finite element
/// mesh", SIAM J. Numer. Anal. 10, 1973), so that its columns need no other order.
///
/// # Panics
/// If there are more points than indices hold.
#[must_use]
pub fn laplacian_of_cube(edge: u32) -> SparseMatrix<f64> {
    let n = edge.pow(3);
    let at = |[x, y, z]: [u32; 3]| ((x * edge + y) * edge + z) as usize;
    let mut numbers = vec![0; n as usize];
    dissect(Part { low: [0; 3], high: [edge; 3] }, &mut 0, &mut |point, number| {
        numbers[at(point)] = number;
    });
    let mut entries = Vec::with_capacity(7 * n as usize);
    for point in (Part { low: [0; 3], high: [edge; 3] }).points() {
        let here = numbers[at(point)];
        entries.push((here, here, 6.0));
        for axis in (0..3).filter(|&axis| point[axis] + 1 < edge) {
            let mut next = point;
            next[axis] += 1;
            let there = numbers[at(next)];
            entries.extend([(here, there, -1.0), (there, here, -1.0)]);
        }
    }
    SparseMatrix::from_entries(n as usize, n as usize, &entries)
}

/// A box of points, from `low` up to and without `high`.
#[derive(Clone, Copy)]
struct Part {
    low: [u32; 3],
    high: [u32; 3],
}

impl Part {
    fn points(self) -> impl Iterator<Item = [u32; 3]> {
        let [x, y, z] = [0, 1, 2].map(|axis| self.low[axis]..self.high[axis]);
        x.flat_map(move |x| {
            let z = z.clone();
            y.clone().flat_map(move |y| z.clone().map(move |z| [x, y, z]))
        })
    }
}

/// Numbers a box: both halves, then the two planes between them, since in a QR factorisation
/// columns meet that have a row in common.
fn dissect(part: Part, next: &mut u32, put: &mut dyn FnMut([u32; 3], u32)) {
    let length = |axis: &usize| part.high[*axis] - part.low[*axis];
    let axis = (0..3).max_by_key(length).expect("there are three");
    let mut planes = part;
    if length(&axis) > 4 {
        let middle = part.low[axis] + length(&axis) / 2;
        let (mut first, mut last) = (part, part);
        (first.high[axis], last.low[axis]) = (middle - 1, middle + 1);
        (planes.low[axis], planes.high[axis]) = (middle - 1, middle + 1);
        dissect(first, next, put);
        dissect(last, next, put);
    }
    for point in planes.points() {
        put(point, *next);
        *next += 1;
    }
}
