//! Of blocks, from neighbours, and at places together, against R's gstat and numpy.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{column, folder_with, tegula_in};

/// Observations at 12 places, as R's `i <- 0:11; x <- (7*i) %% 12 + 0.25*(i %% 3);
/// y <- (5*i) %% 9 + 0.5*(i %% 2); z <- sin(i) + 0.1*i`, with a model of them.
fn twelve(more: &str) -> PathBuf {
    let row = |i: i32| {
        let (x, y) = ((7 * i) % 12, (5 * i) % 9);
        let (x, y) =
            (f64::from(x) + 0.25 * f64::from(i % 3), f64::from(y) + 0.5 * f64::from(i % 2));
        let z = f64::from(i).sin() + 0.1 * f64::from(i);
        format!("{x:?},{y:?},{z:?}\n")
    };
    let rows: String = (0..12).map(row).collect();
    let folder = folder_with("train.csv", &format!("x,y,value\n{rows}"));
    fs::write(folder.join("at.csv"), "x,y\n3,4\n8.5,1.25\n-1,10\n").expect("written");
    let fit = "exageostat fit train.csv --covariance exponential --fix variance=1.5,range=4";
    tegula_in(&folder, &format!("{fit} --nugget 0.2 -o model.json {more}")).succeeded();
    folder
}

/// Predicts the three places of [`twelve`] with `flags`, and compares mean and variance.
#[track_caller]
fn check_three(folder: &Path, flags: &str, answers: [[f64; 2]; 3], tolerance: f64) {
    let predict = format!("exageostat predict model.json --at at.csv -o out.csv {flags}");
    tegula_in(folder, &predict).succeeded();
    for (column_index, name) in ["mean", "variance"].into_iter().enumerate() {
        let found = column(&folder.join("out.csv"), name);
        for (found, answer) in found.iter().zip(answers) {
            let error = (found - answer[column_index]).abs();
            assert!(error < tolerance, "{flags}, {name}: {found}, not {}", answer[column_index]);
        }
    }
}

/// The answers are those of numpy: `k` the means over the block by polar coordinates about each
/// observation, `v` the mean of the covariances between its points by a rule that is graded towards
/// 0; `b = (1' C^-1 z) / (1' C^-1 1)`, mean `b + k' C^-1 (z - b)`, variance
/// `v - k' C^-1 k + (1 - 1' C^-1 k)^2 / (1' C^-1 1)`. gstat, whose rule has four nodes along each
/// side, has variances that are larger by up to 0.006.
#[test]
fn blocks_are_predicted_by_the_mean_over_them() {
    let folder = twelve("");
    let point = [
        [0.494_582_696_341_085_1, 0.938_131_393_771_550_5],
        [0.744_092_543_510_177_6, 1.038_432_639_913_461],
        [0.883_180_093_562_793_1, 1.285_329_149_525_166_9],
    ];
    let square = [
        [0.500_161_219_991_926_6, 0.606_916_312_069_443_2],
        [0.739_793_059_024_139_8, 0.706_963_444_723_428_1],
        [0.880_772_790_302_289_7, 0.953_466_301_003_813_6],
    ];
    let rectangle = [
        [0.497_610_506_484_483_8, 0.602_472_380_191_366_1],
        [0.709_792_790_071_280_3, 0.694_685_385_832_202_9],
        [0.883_801_993_600_646_5, 0.934_364_626_192_708_9],
    ];
    // The table of the covariance is good to some 1e-15 of the variance.
    let neighbours = ["", "--neighbours 12", "--neighbours 100", "--method vecchia:12"];
    for more in neighbours {
        check_three(&folder, more, point, 1e-12);
        check_three(&folder, &format!("--block 0 {more}"), point, 1e-12);
        check_three(&folder, &format!("--block 2 {more}"), square, 1e-6);
        check_three(&folder, &format!("--block 2x2 {more}"), square, 1e-6);
        check_three(&folder, &format!("--block 3x1 {more}"), rectangle, 1e-6);
    }
    let wide = tegula_in(
        &folder,
        "exageostat predict model.json --at at.csv -o out.csv --block 20x1 --json -",
    );
    assert!(wide.succeeded().json()["remarks"][0].as_str().is_some_and(|words| {
        words.contains("a block is 20 along x, and the data reach over 11")
    }));
    let slope = [
        [0.545_559_952_213_674_3, 0.615_280_871_991_200_3],
        [0.604_410_975_317_794, 0.756_552_827_610_258_4],
        [1.129_392_785_886_205_7, 1.270_376_769_043_417_1],
    ];
    let folder = twelve("--mean x");
    check_three(&folder, "--block 3x1", slope, 1e-6);
    for (flags, words) in [
        ("--block 2x2x2", "a side for each of 2 coordinates, not 3"),
        ("--block -1", "write WIDTH or WIDTHxHEIGHT"),
        ("--neighbours 0", "'0' is no number of neighbours"),
    ] {
        let predict = format!("exageostat predict model.json --at at.csv {flags}");
        tegula_in(&folder, &predict).failed(2, &[words]);
    }
}

/// Simple kriging from five neighbours: `krige(z~1, d, at, beta = 0, nmax = 5)` of gstat 2.1 at
/// places, and of blocks numpy's answers as above.
#[test]
fn neighbours_are_the_nearest_observations() {
    let nearest = [
        [0.188_832_678_448_991_65, 0.997_047_695_214_812_7],
        [0.570_414_668_582_321_3, 0.999_359_467_840_509],
        [0.627_098_143_549_925, 1.156_814_019_232_747_2],
    ];
    let blocks = [
        [0.191_008_423_510_849_9, 0.661_682_974_786_516],
        [0.536_234_893_454_132_3, 0.655_823_043_218_002_6],
        [0.628_656_086_829_687, 0.806_623_432_279_743_5],
    ];
    let folder = twelve("--mean zero");
    for method in ["exact", "vecchia:12"] {
        check_three(&folder, &format!("--neighbours 5 --method {method}"), nearest, 1e-12);
        check_three(
            &folder,
            &format!("--neighbours 5 --method {method} --block 0"),
            nearest,
            1e-12,
        );
        let block = format!("--neighbours 5 --method {method} --block 3x1");
        check_three(&folder, &block, blocks, 1e-6);
    }
}

/// The matrix is numpy's `cov(T, T) - K' C^-1 K + (1 - 1' C^-1 K)' (1 - 1' C^-1 K) / (1' C^-1 1)`
/// for the places `T` of [`twelve`] and one of the observations, `K` their covariances with the
/// observations.
#[test]
fn predictions_have_a_joint_distribution() {
    let folder = twelve("");
    fs::write(folder.join("at.csv"), "x,y\n3,4\n8.5,1.25\n-1,10\n0,0\n").expect("written");
    let answer = [
        0.938_131_393_771_551,
        -0.008_802_422_387_777_717,
        0.059_873_730_371_647_84,
        0.016_367_165_090_403_71,
        -0.008_802_422_387_777_717,
        1.038_432_639_913_461_4,
        0.070_636_076_570_438_58,
        0.010_237_413_385_491_94,
        0.059_873_730_371_647_84,
        0.070_636_076_570_438_56,
        1.285_329_149_525_167_5,
        0.021_911_741_346_959_814,
        0.016_367_165_090_403_82,
        0.010_237_413_385_491_884,
        0.021_911_741_346_959_855,
        0.172_337_187_976_294_85_f64,
    ];
    let count = 20_000;
    for flags in ["", "--method vecchia:12"] {
        let predict = "exageostat predict model.json --at at.csv --seed 3";
        let all = format!("{predict} -o out.csv --joint joint.csv --simulate {count} {flags}");
        tegula_in(&folder, &all).succeeded();
        let rows = fs::read_to_string(folder.join("joint.csv")).expect("written");
        let found: Vec<f64> =
            rows.lines().flat_map(|row| row.split(',')).filter_map(|x| x.parse().ok()).collect();
        assert_eq!(found.len(), 16, "{rows}");
        for (found, answer) in found.iter().zip(answer) {
            assert!((found - answer).abs() < 1e-12, "{flags}: {found}, not {answer}");
        }
        let text = fs::read_to_string(folder.join("out.csv")).expect("written");
        let cells: Vec<Vec<f64>> = text
            .lines()
            .skip(1)
            .map(|row| row.split(',').map(|cell| cell.parse().expect("a number")).collect())
            .collect();
        for (i, row) in cells.iter().enumerate() {
            // x, y, mean, variance, variance_obs, then the draws.
            let (mean, variance, draws) = (row[2], row[3], &row[5..]);
            assert!((variance - answer[5 * i]).abs() < 1e-12);
            assert_eq!(draws.len(), count);
            let n = count as f64;
            let error = draws.iter().map(|z| z - mean).sum::<f64>() / n;
            // Five standard errors.
            assert!(error.abs() < 5.0 * (variance / n).sqrt(), "{flags}, mean {i}: {error}");
            for j in 0..=i {
                let pairs = draws.iter().zip(&cells[j][5..]);
                let product: f64 = pairs.map(|(z, y)| (z - mean) * (y - cells[j][2])).sum();
                let spread = answer[5 * i] * answer[5 * j] + answer[4 * i + j].powi(2);
                let error = product / n - answer[4 * i + j];
                assert!(error.abs() < 5.0 * (spread / n).sqrt(), "{flags}, {i}, {j}: {error}");
            }
        }
        let again = format!("{predict} -o again.csv --simulate {count} {flags} --workers 1");
        tegula_in(&folder, &again).succeeded();
        assert_eq!(text, fs::read_to_string(folder.join("again.csv")).expect("written"));
    }
    let predict = "exageostat predict model.json --grid 0:1:0.01,0:1:0.01";
    for (flags, words) in [
        ("--simulate 2", ["--simulate", "10201 places", "5000 places at most"]),
        ("--joint joint.npy", ["--joint", "10201 places", "5000 places at most"]),
        ("--joint joint.what", ["joint.what", "npy", "csv"]),
    ] {
        tegula_in(&folder, &format!("{predict} {flags}")).failed(2, &words);
    }
}

/// Draws of values that were transformed are on the scale of the data: their logarithms have the
/// moments of the field.
#[test]
fn draws_are_on_the_scale_of_the_values() {
    let text = fs::read_to_string(twelve("").join("train.csv")).expect("the data");
    let rows = text.lines().skip(1).map(|row| {
        let (at, z) = row.rsplit_once(',').expect("three cells");
        format!("{at},{:?}\n", z.parse::<f64>().expect("a number").exp())
    });
    let folder = folder_with("train.csv", &format!("x,y,value\n{}", rows.collect::<String>()));
    let fit = "exageostat fit train.csv --covariance exponential --fix variance=1.5,range=4";
    let fit = format!("{fit} --nugget 0.2 --transform log -o model.json");
    tegula_in(&folder, &fit).succeeded();
    let predict = "exageostat predict model.json --grid 3:8:5,4:4:1 -o out.csv --simulate 4000";
    tegula_in(&folder, predict).succeeded();
    let text = fs::read_to_string(folder.join("out.csv")).expect("written");
    let mean = column(&folder.join("out.csv"), "transformed_mean");
    let variance = column(&folder.join("out.csv"), "transformed_variance");
    for ((row, mean), variance) in text.lines().skip(1).zip(mean).zip(variance) {
        let cells: Vec<f64> = row.split(',').map(|cell| cell.parse().expect("a number")).collect();
        let draws = &cells[cells.len() - 4000..];
        let error = draws.iter().map(|y| y.ln() - mean).sum::<f64>() / 4000.0;
        assert!(error.abs() < 5.0 * (variance / 4000.0).sqrt(), "{error}");
    }
    tegula_in(&folder, &format!("{predict} --block 1")).failed(2, &["--block", "--transform"]);
}
