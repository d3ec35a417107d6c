//! Figures of plain numbers: well-formed, complete, and small.

use super::checks::{check_well_formed, faults_of_text};
use crate::plot::{Curve, Curves, curves, owners};

#[track_caller]
fn check(svg: &str, most: usize) {
    check_well_formed(svg).unwrap_or_else(|error| panic!("{error}"));
    assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    let faults = faults_of_text(svg);
    assert!(faults.is_empty(), "{faults:?}");
    assert!(svg.len() < most, "{} bytes", svg.len());
}

/// Tiles of each rank, from the strokes of its path.
fn drawn_tiles(svg: &str, ranks: usize) -> Vec<usize> {
    let mut tiles = vec![0; ranks];
    for piece in svg.split("<path d=\"M").skip(1).filter(|piece| piece.contains("<title>rank ")) {
        let strokes = piece.split('"').next().unwrap_or("");
        let lengths = strokes.split('h').skip(1).map(|rest| rest.split('M').next().unwrap_or(""));
        let rank = piece.split("<title>rank ").nth(1).and_then(|rest| rest.split(',').next());
        let rank: usize = rank.and_then(|rank| rank.parse().ok()).expect("a rank");
        tiles[rank] = lengths.map(|length| length.parse::<usize>().expect("a length")).sum();
    }
    tiles
}

#[test]
fn every_stored_tile_has_its_owner() {
    let kinds = ["chetemi", "chetemi", "chifflet", "chetemi", "chifflet <2>", "none"];
    for (rows, columns) in [(1, 1), (10, 10), (7, 31), (60, 60), (0, 0), (120, 3)] {
        let full = owners("Full", (rows, columns), &kinds, |i, j| Some((2 * i + j) % 5));
        check(&full, 400_000);
        assert_eq!(drawn_tiles(&full, 6).iter().sum::<usize>(), rows * columns);
        assert_eq!(drawn_tiles(&full, 6)[5], 0);
    }
    let lower = owners("Lower", (20, 20), &kinds, |i, j| (j <= i).then_some(i % 5));
    let row_sum = |rank: usize| (rank..20).step_by(5).map(|i| i + 1).sum::<usize>();
    assert_eq!(
        drawn_tiles(&lower, 6),
        [row_sum(0), row_sum(1), row_sum(2), row_sum(3), row_sum(4), 0]
    );
    assert!(lower.contains("210 stored, on 6 ranks"));
    assert!(lower.contains("chifflet: 1 rank, "), "{lower}");
}

#[test]
fn large_maps_stay_small() {
    let kinds = [vec!["slow"; 60], vec!["fast"; 40]].concat();
    check(&owners("Cyclic", (300, 300), &kinds, |i, j| Some((i % 10) * 10 + j % 10)), 1_000_000);
    check(&owners("Blocks", (300, 300), &kinds, |i, j| Some(i / 30 * 10 + j / 30)), 60_000);
}

#[test]
fn ranks_of_a_kind_share_a_hue() {
    let svg = owners("Kinds", (4, 4), &["a", "b", "a", "b"], |i, _| Some(i));
    let hue = |rank: usize| {
        let rest = svg.split(&format!("\"><title>rank {rank}, ")).next().expect("a path");
        rest.rsplit("hsl(")
            .next()
            .and_then(|rest| rest.split(',').next())
            .expect("a hue")
            .to_owned()
    };
    assert_eq!((hue(0), hue(1)), (hue(2), hue(3)));
    assert_ne!(hue(0), hue(1));
}

#[test]
fn curves_of_any_reach_are_drawn() {
    let line: Vec<(f64, f64)> = (0..100).map(|k| (f64::from(k), 1e-3 * f64::from(k * k))).collect();
    let few = [(16.0, 120.0), (30.0, 80.5), (50.0, 61.0)];
    let curve = |name, points, is_faint| Curve { name, points, is_faint };
    let empty = Curves { title: "None", x: "k", y: "seconds", curves: &[], borders: &[] };
    check(&curves(&empty), 10_000);
    let all = [curve("max \u{2212} min", &line[..], false), curve("node 3", &line[..50], true)];
    let borders = [(20.0, "all nodes"), (21.0, "fast nodes"), (99.0, "the last section")];
    let svg = curves(&Curves { curves: &all, borders: &borders, ..empty });
    check(&svg, 20_000);
    assert_eq!(svg.matches("class=\"border\"").count(), 3);
    assert!(svg.contains("<title>node 3</title>") && !svg.contains(">node 3</text>"), "faint");
    for points in [&few[..], &few[..1], &[(0.0, 0.0); 2], &[(-3.0, -1e-9), (4e9, 1e9)]] {
        let many: Vec<Curve<'_>> = (0..25).map(|_| curve("BC", points, false)).collect();
        let svg = curves(&Curves { curves: &many, ..empty });
        check(&svg, 60_000);
        assert_eq!(svg.matches("<circle").count(), 25 * points.len());
    }
}

#[test]
#[should_panic(expected = "point (1, NaN) of Broken")]
fn numbers_are_finite() {
    let curve = Curve { name: "", points: &[(1.0, f64::NAN)], is_faint: true };
    let _ = curves(&Curves { title: "Broken", x: "", y: "", curves: &[curve], borders: &[] });
}
